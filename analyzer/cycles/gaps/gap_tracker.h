// SPDX-License-Identifier: GPL-2.0-or-later
// GapTracker: finds the idle gaps of one connection (docs/figures.md, "Idle gap").
//
// In: the event of each segment, and the commands. Out: each interval between payload frames, to
// ConnectionLedger; of these the idle gaps, with their evidence, to PendingGaps, which emits them.
// States: those of PayloadInterval; payload ends an interval and begins the next one. An interval is a gap if
// it is longer than the threshold: what the user set, or else max(100 µs, 1/8 of the round trip, the spacing
// usual in a run).
#pragma once

#include "analyzer/cycles/gaps/evidence/command_wait.h"
#include "analyzer/cycles/gaps/evidence/missed_bytes.h"
#include "analyzer/cycles/gaps/evidence/outage.h"
#include "analyzer/cycles/gaps/evidence/passed_bytes.h"
#include "analyzer/cycles/gaps/evidence/segment_counts.h"
#include "analyzer/cycles/gaps/evidence/small_segments.h"
#include "analyzer/cycles/gaps/gap_history.h"
#include "analyzer/cycles/gaps/gap_surroundings.h"
#include "analyzer/cycles/gaps/payload_interval.h"
#include "analyzer/cycles/gaps/pending_gaps.h"
#include "analyzer/cycles/gaps/spacing_ring.h"
#include "analyzer/iscsi/framing/segment_event.h"

#include <array>
#include <memory>
#include <optional>

namespace iscsiscope {

class GapTracker {
public:
    explicit GapTracker(const GapSurroundings &around) : around_(around) {}
    GapTracker(const GapTracker &) = delete; // its parts refer to its surroundings
    GapTracker &operator=(const GapTracker &) = delete;

    // Takes each segment. sent_by: see IntervalEnd. window: the session's command window after the PDUs of
    // the segment; null if it completed none.
    void on_segment(const SegmentEvent &, std::optional<Time> sent_by, const CommandWindow *window);
    // Fast path for a segment without PDU boundaries that continues its sender's last one. Returns true if it
    // continued the last payload without a gap and has been recorded. Returns false, without effect, if the
    // segment must go to on_segment().
    bool continue_run(const SegmentEvent &);
    // Takes a SCSI Command; called before on_segment() of its frame.
    void on_command(CmdSn, Time first_seen);
    // Ends the current gap, if any, by something other than payload. The next one needs payload first.
    void end(GapEnd, Time at, FrameNumber frame, std::optional<Time> sent_by = {});

    // Of the gaps found, see PendingGaps and GapEmitter.
    const PendingGaps &pending() const { return pending_; }
    void settled(const TcpRetransmission &verdict) { pending_.settled(verdict); }
    void no_task_interval_ended(Time since, NoTaskIntervals::Interval without_task) {
        pending_.no_task_interval_ended(since, without_task);
    }
    void flush(Time now, bool all) { pending_.flush(segments_, now, all); }
    GapEmitter::AckWaits ack_waits(Side sender) const { return pending_.emitter().ack_waits(sender); }
    const GapHistory &history() const { return history_; }

    // End offset of the highest byte sent by this side that has passed, in order or not.
    std::uint64_t passed(Side sender) const { return directions_[index(sender)].passed.end(); }
    // Time of the last payload frame from this side; empty if there was none.
    std::optional<Time> last_sent(Side sender) const {
        const PassedBytes &bytes = directions_[index(sender)].passed;
        return bytes.seen() ? std::optional<Time>(bytes.last()) : std::nullopt;
    }

private:
    struct Direction {
        PassedBytes passed;
        SmallSegments small;
        std::unique_ptr<SpacingRing> spacing;
        std::uint32_t largest = 0; // payload of a frame
        bool last_full = false;    // the last one filled a segment
    };

    // A payload frame at hand.
    struct Arrival {
        const SegmentEvent &event;
        std::optional<Time> sent_by; // see IntervalEnd
        bool small;                  // is_small()
        Time now;                    // its time, not before the last frame's

        const SegmentReport &report() const { return event.report; }
    };

    void on_acknowledgment(const SegmentReport &);
    void on_payload(Arrival, const CommandWindow *window);
    void note_interval(const Arrival &, bool continues) const;
    void note_payload(const Arrival &);
    // window_closed: the command window was, at the gap's start.
    void found(const Arrival &, bool window_closed);
    void describe(const Arrival &, GapEvidence &) const;
    void hand_on(const PendingGap &, Time now);

    const GapSurroundings around_;
    std::array<Direction, 2> directions_; // by sender
    SegmentCounts segments_;
    MissedBytes missed_;
    CommandWait command_wait_;
    Outage outage_;
    GapHistory history_;
    PendingGaps pending_{around_};
    PayloadInterval interval_{around_};
};

} // namespace iscsiscope

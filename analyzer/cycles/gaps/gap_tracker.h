// SPDX-License-Identifier: GPL-2.0-or-later
// GapTracker: finds the idle gaps of one connection (docs/figures.md, "Idle gap"). A gap found is pending
// until its kind and its part of the connection's active life are known; then it is emitted as a GapRecord
// and added to ActiveLife. Gaps are emitted in order of their end.
#pragma once

#include "analyzer/base/containers/fifo.h"
#include "analyzer/cycles/gaps/evidence/gap_evidence.h"
#include "analyzer/cycles/gaps/gap_history.h"
#include "analyzer/cycles/gaps/host_paths.h"
#include "analyzer/cycles/gaps/pdu_ranges.h"
#include "analyzer/cycles/gaps/spacing_ring.h"
#include "analyzer/cycles/owners/time_owners.h"
#include "analyzer/cycles/records/active_life.h"
#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/cycles/tasks/command_window.h"
#include "analyzer/tcp/stream/connection.h"

#include <array>
#include <memory>
#include <optional>

namespace iscsiscope {

// The connection as the tracker sees it; built for each call.
struct GapContext {
    const Connection &tcp;
    Side initiator;
    const std::array<PduRanges, 2> &ranges; // by Side of the sender
    ActiveLife &life;
    TimeOwners &owners;
    bool tasks_open;
    RecordSink &sink;
    const SendCircumstances *sending = nullptr; // of the current segment; null: not known
    const HostActivity *target_activity =
        nullptr;                                 // the target host, on all connections between the two hosts
    std::uint64_t others = 0;                    // bytes that it has sent on the other ones
    const HostActivity *peer_activity = nullptr; // its receiver, on any connection between the two hosts
    std::optional<Time> sent_by{};               // see IntervalEnd
};

class GapTracker {
public:
    // Most pending gaps; beyond it the oldest is emitted with the evidence known so far.
    static constexpr std::size_t max_pending = 4096;

    // Takes each segment, after the PDUs it completed. threshold: set by the user; empty: the adaptive
    // default. window: the session's command window after those PDUs; null if the segment completed no PDU.
    void on_segment(const GapContext &, const SegmentReport &, std::optional<Duration> threshold,
                    const CommandWindow *window);
    // Fast path for a segment without PDU boundaries that continues its sender's last one. Returns true if it
    // continued the last payload without a gap and has been recorded. Returns false, without effect, if the
    // segment must go to on_segment().
    bool continue_run(const GapContext &, const SegmentReport &, std::optional<Duration> threshold);
    // Takes a SCSI Command; called before on_segment() of its frame.
    void on_command(CmdSn, Time first_seen);
    // Ends the current gap, if any, by something other than payload. The next one needs payload first.
    void end(const GapContext &, GapEnd, Time at, FrameNumber frame, std::optional<Duration> threshold);

    // End offset of the highest byte sent by this side that has passed, in order or not.
    std::uint64_t passed(Side s) const { return directions_[index(s)].high_end; }
    bool waiting() const { return !pending_.empty(); }
    // Takes the tcp room's final verdict on the retransmission in a frame.
    void settled(const TcpRetransmission &);
    // Start of the oldest gap that waits for such a verdict, as later gaps wait for it; Time::max() if none.
    Time unsettled_from() const;
    // Emits the pending gaps that are ready; with `all`, all of them, with the evidence known so far.
    void flush(const GapContext &, Time now, bool all);

    // This sender's waits for the ACK of a small segment (Nagle's algorithm), and for delayed ACKs.
    TcpWaits nagle(Side sender) const { return waits_of(sender).nagle; }
    TcpWaits held_acks(Side sender) const { return waits_of(sender).held_acks; }

    const GapHistory &history() const { return history_; }
    // Time of the last payload frame from this side; empty if there was none.
    std::optional<Time> last_sent(Side s) const {
        const Direction &d = directions_[index(s)];
        return d.seen ? std::optional<Time>(d.last) : std::nullopt;
    }

private:
    // Allocated with the first such wait: few connections have one.
    struct AckWaits {
        TcpWaits nagle, held_acks;
    };
    struct Direction {
        std::uint64_t high_end = 0;    // end offset of the highest byte that passed
        std::uint64_t unseen_mark = 0; // unseen_bytes of this end at its last payload frame
        Time last{};
        Time small_at{};                 // its last segment smaller than the MSS
        std::optional<Time> small_acked; // when an ACK that covers small_end passed
        std::uint64_t small_end = 0;     // end offset of its last segment smaller than the MSS; 0: none
        std::uint32_t segments = 0;      // segments sent by this end, with or without payload; wraps
        std::uint32_t segments_mark = 0; // `segments` at the last payload frame of either end
        std::uint8_t small_released = 0; // small segments sent at once when the one before was acknowledged
        bool seen = false;
        bool last_small = false;    // its last segment was smaller than the MSS
        bool small_unacked = false; // when it sent its last payload frame, that segment was unacknowledged
        bool no_delay = false;      // it has sent a small segment while another was unacknowledged
        FrameNumber small_frame = 0, small_ack_frame = 0;
        std::unique_ptr<AckWaits> waits;
        std::unique_ptr<SpacingRing> spacing;
    };
    struct Pending {
        GapEvidence evidence;
        WaitParts parts;
        FrameNumber before = 0, after = 0;
        std::optional<std::uint64_t> cycle;
        std::uint64_t owner_offset = 0; // of the ending frame's first new byte, whose PDU is `cycle`'s
        std::uint64_t unseen_mark = 0;
        std::optional<Time> window_opened_until; // a command up to then shows that commands were waiting
        Side side{};                             // sender of the ending frame
        std::uint32_t peer_segments = 0;         // Direction::segments of its peer when the gap began
        bool owner_wanted = false;
        bool peer_awaited = false; // the kind depends on whether the peer ever sends again
        bool opened_hole = false;  // the ending frame left a hole before its bytes
        bool maybe_down = false;   // a first unanswered retransmission: a second one shows a path failure
        bool verdict_open = false; // the tcp room's verdict on the ending retransmission is not final
    };

    AckWaits waits_of(Side sender) const {
        const auto &waits = directions_[index(sender)].waits;
        return waits ? *waits : AckWaits{};
    }
    void note_size(const Connection &, const SegmentReport &, Direction &);
    void note_payload(const GapContext &, const SegmentReport &, Time now);
    void on_acknowledgment(const GapContext &, const SegmentReport &);
    void missed(Side sender, std::uint64_t from, const SegmentReport &acknowledged_by);
    void note_unseen_direction(const GapContext &, const SegmentReport &);
    void on_payload(const GapContext &, const SegmentReport &, std::optional<Duration> threshold,
                    const CommandWindow *window);
    bool exceeds_default(Duration interval, bool continues, const Direction &) const;
    IntervalEnd interval_to(const GapContext &, Side, Time now) const;
    void note_interval(const GapContext &, const SegmentReport &, Time now, bool continues);
    void begin_pending(const GapContext &, const SegmentReport &, Time now);
    void push(const GapContext &, Pending, Time now);
    void note_outage(Pending &);
    bool peer_silent(const Pending &gap) const {
        return directions_[index(other(gap.side))].segments == gap.peer_segments;
    }
    static bool find_owner(const GapContext &, Pending &);
    bool ready(const GapContext &, Pending &, Time now) const;
    void emit_front(const GapContext &);
    void emit(const GapContext &, Pending &);

    std::array<Direction, 2> directions_;
    GapHistory history_;
    Fifo<Pending> pending_;
    Time last_{}; // last payload frame, either direction
    FrameNumber last_frame_ = 0;
    std::uint64_t last_end_ = 0; // end offset of its payload
    Duration rtt_share_{-1};     // 1/8 of the sum of both minimum RTTs at that frame; negative: not known
    std::optional<Time> window_opened_until_;
    CmdSn window_max_; // MaxCmdSN when the window was last closed
    Side last_side_{};
    std::uint64_t others_mark_ = 0;  // GapContext::others at that frame
    bool armed_ = false;             // a payload frame has passed, and end() has not been called since
    bool missed_ = false;            // since that frame an ACK covered bytes that no frame holds
    Side missed_side_{};             // the sender of those bytes
    std::uint64_t missed_from_ = 0;  // their first offset
    FrameNumber missed_frame_ = 0;   // the frame of that ACK
    std::optional<Time> outage_end_; // of the last gap in which the path was down
    bool window_closed_ = false;
    std::uint32_t verdicts_open_ = 0; // pending gaps with verdict_open
    std::uint32_t owned_ = 0;         // the oldest pending gaps whose PDU has been found, a count
    bool command_waited_ = false;     // the current frame carries a command that waited for the window
};

} // namespace iscsiscope

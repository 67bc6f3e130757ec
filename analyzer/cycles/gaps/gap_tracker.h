// SPDX-License-Identifier: GPL-2.0-or-later
// The idle gaps of one connection: found frame by frame, kept until their kind and their part of the
// active life are known, then told and added up.
#pragma once

#include "analyzer/base/fifo.h"
#include "analyzer/cycles/gaps/gap_classifier.h"
#include "analyzer/cycles/gaps/gap_history.h"
#include "analyzer/cycles/gaps/host_paths.h"
#include "analyzer/cycles/gaps/spacing_ring.h"
#include "analyzer/cycles/records/active_life.h"
#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/cycles/tasks/command_window.h"
#include "analyzer/tcp/stream/connection.h"

#include <array>
#include <memory>
#include <optional>

namespace iscsiscope {

// What the tracker may ask about its connection; made for each call.
struct GapContext {
    const Connection &tcp;
    Side initiator;
    const std::array<PduRanges, 2> &ranges; // by Side of the sender
    ActiveLife &life;
    bool tasks_open;
    RecordSink &sink;
    const SendCircumstances *sending = nullptr; // of the segment at hand; null: not known
    const HostHeard *peer_heard = nullptr;      // its peer, on any connection between the two hosts
};

class GapTracker {
public:
    // Gaps that may wait at once for what follows; beyond it the oldest are told with what is known.
    static constexpr std::size_t max_pending = 4096;

    // Each segment, after the PDUs it completed. threshold: the user's; none: adaptive. window: of the
    // session, after those PDUs; null if there were none in this segment.
    void on_segment(const GapContext &, const SegmentReport &, std::optional<Duration> threshold,
                    const CommandWindow *window);
    // A segment without PDUs that runs on from its sender's before. True if it only continues the bytes that
    // passed last, at once and as they did: all is done. False: nothing is, it is for on_segment().
    bool goes_on(const Connection &, const SegmentReport &, std::optional<Duration> threshold);
    // A SCSI Command was met; before on_segment() of its frame.
    void on_command(CmdSn, Time first_seen);
    // Something other than a segment ends the gap that may be under way; none begins until payload comes.
    void end(const GapContext &, GapEnd, Time at, FrameNumber frame, std::optional<Duration> threshold);

    // Behind the highest byte of this side that has passed, in order or not.
    std::uint64_t passed(Side s) const { return directions_[index(s)].high_end; }
    bool waiting() const { return !pending_.empty(); }
    // What the tcp room found of the repeat in this frame, once nothing can change it.
    void settled(const TcpRetransmission &);
    // Gaps that began then or later are told behind such a verdict; Time::max(): none waits for one.
    Time open_from() const;
    // Tells the gaps that are ripe; all: everything, with what is known now.
    void flush(const GapContext &, Time now, bool all);

    // Waits of this sender for the ACK of a small segment (Nagle's algorithm), and for one that was held
    // back.
    TcpWaits nagle(Side sender) const { return waits_of(sender).nagle; }
    TcpWaits held_acks(Side sender) const { return waits_of(sender).held_acks; }

    const GapHistory &history() const { return history_; }
    // Time of the last payload frame from this side, if there was one.
    std::optional<Time> last_sent(Side s) const {
        const Direction &d = directions_[index(s)];
        return d.seen ? std::optional<Time>(d.last) : std::nullopt;
    }

private:
    // What few connections have: made with the first.
    struct AckWaits {
        TcpWaits nagle, held_acks;
    };
    struct Direction {
        std::uint64_t high_end = 0;    // behind the highest byte that passed
        std::uint64_t unseen_mark = 0; // unseen_bytes of this end at its last payload frame
        Time last{};
        Time small_at{};                 // its last segment smaller than the MSS
        std::optional<Time> small_acked; // when an ACK that covers small_end passed
        std::uint64_t small_end = 0;     // behind its last segment smaller than the MSS; 0: none
        std::uint32_t segments = 0;      // heard from this end, with or without payload; wraps
        std::uint32_t segments_mark = 0; // the same at the last payload frame of either end
        bool seen = false;
        bool last_small = false;    // its last segment was smaller than the MSS
        bool small_unacked = false; // when it sent its last payload frame, that segment was unacknowledged
        bool no_delay = false;      // it lets small segments follow unacknowledged ones
        FrameNumber small_frame = 0, small_ack_frame = 0;
        std::unique_ptr<AckWaits> waits;
        std::unique_ptr<SpacingRing> spacing;
    };
    struct Pending {
        GapEvidence evidence;
        FrameNumber before = 0, after = 0;
        std::optional<std::uint64_t> cycle;
        std::uint64_t owner_offset = 0; // of the byte whose PDU is asked for
        std::uint64_t unseen_mark = 0;
        std::optional<Time> window_opened_until; // a command up to then shows that one was waiting
        Side side{};
        std::uint32_t peer_segments = 0; // heard from the peer when the gap began
        bool owner_wanted = false;
        bool peer_awaited = false; // whether the peer is ever heard again tells the kind
        bool opened_hole = false;
        bool maybe_down = false;   // a first repeat that nobody answered: another one tells
        bool verdict_open = false; // whether something was lost, and how it was found, is not settled
    };

    AckWaits waits_of(Side sender) const {
        const auto &waits = directions_[index(sender)].waits;
        return waits ? *waits : AckWaits{};
    }
    void note_size(const Connection &, const SegmentReport &, Direction &);
    void note_payload(const Connection &, const SegmentReport &, Time now);
    void on_acknowledgment(const GapContext &, const SegmentReport &);
    void missed(Side sender, std::uint64_t from, const SegmentReport &acknowledged_by);
    void note_unheard(const GapContext &, const SegmentReport &);
    void on_payload(const GapContext &, const SegmentReport &, std::optional<Duration> threshold,
                    const CommandWindow *window);
    bool exceeds_default(Duration interval, bool continues, const Direction &) const;
    void begin_pending(const GapContext &, const SegmentReport &, Time now);
    void push(const GapContext &, Pending, Time now);
    void note_outage(Pending &);
    bool peer_silent(const Pending &gap) const {
        return directions_[index(other(gap.side))].segments == gap.peer_segments;
    }
    static bool find_owner(const GapContext &, Pending &);
    bool ripe(const GapContext &, Pending &, Time now) const;
    void tell_front(const GapContext &);
    void tell(const GapContext &, Pending &);

    std::array<Direction, 2> directions_;
    GapHistory history_;
    Fifo<Pending> pending_;
    Time last_{}; // last payload frame, either direction
    FrameNumber last_frame_ = 0;
    std::uint64_t last_end_ = 0; // behind its payload
    Duration rtt_share_{-1};     // 1/8 of both minima at that frame; negative: not known
    std::optional<Time> window_opened_until_;
    CmdSn window_max_; // of the window when it was seen closed
    Side last_side_{};
    bool armed_ = false;            // a payload frame has come, and nothing has ended the wait since
    bool missed_ = false;           // since then an ACK covered bytes that no frame held:
    Side missed_side_{};            // of this side,
    std::uint64_t missed_from_ = 0; // from here on
    FrameNumber missed_frame_ = 0;
    std::optional<Time> outage_end_; // of the last gap in which the path was down
    bool window_closed_ = false;
    std::uint32_t verdicts_open_ = 0; // of those that wait
    std::uint32_t owned_ = 0;         // how many of them, from the first on, have their PDU
    bool command_waited_ = false;     // the frame under way carries a command that waited for the window
};

} // namespace iscsiscope

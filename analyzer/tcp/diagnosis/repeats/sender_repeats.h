// SPDX-License-Identifier: GPL-2.0-or-later
// SenderRepeats: what one sender sends again or late: the one judge of retransmissions, reordering, losses
// before the tap that leave no hole, and of the state of loss that follows from them.
//
// In: each segment of the sender, in order: passes() or, if it only adds bytes to a run, adds(), then sent()
// if it carries data; of the receiver's segments what they acknowledge or report. Out: TcpRetransmissions,
// once no later segment can change their class, and TcpReorderings, to a DirectionSink; what the segment
// recovers, into its SendCircumstances; LossState; the tally's counts.
#pragma once

#include "analyzer/tcp/diagnosis/history/direction.h"
#include "analyzer/tcp/diagnosis/history/ip_id_run.h"
#include "analyzer/tcp/diagnosis/history/send_circumstances.h"
#include "analyzer/tcp/diagnosis/repeats/black_hole.h"
#include "analyzer/tcp/diagnosis/repeats/loss_state.h"
#include "analyzer/tcp/diagnosis/repeats/undecided_repeats.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

// Receives the samples, and the records of decided retransmissions and of reordered segments.
class DirectionSink {
public:
    virtual ~DirectionSink() = default;
    virtual void sample(const Connection &, const TcpSample &) = 0;
    virtual void retransmission(const Connection &, const TcpRetransmission &) = 0;
    virtual void reordering(const Connection &, const TcpReordering &) = 0;
};

class SenderRepeats {
public:
    LossState &loss() { return loss_; }
    const LossState &loss() const { return loss_; }
    // True if there are retransmissions whose class later segments may change.
    bool undecided() const { return !undecided_.empty(); }
    // True if further data in order may change the class of one.
    bool counts_new_data() const { return undecided() || undecided_.counts_after_repeat(); }

    // A segment of the sender, with or without data.
    void passes(const Direction &, const Segment &);
    void adds(const Segment &s) { ids_.left_out(s); } // missing identifications matter only after a silence
    // The segment carries data. at: describes what it waited for.
    void sent(Direction &, const Connection &, const SegmentReport &, SendCircumstances &at, DirectionSink &);

    // The receiver acknowledged everything below the offset. sack: it would report duplicates.
    void acked(Direction &, const Segment &, std::uint64_t offset, bool sack);
    // The receiver's ACK, with its SACKs, has passed.
    void answered(const Direction &, const AckSeen &);
    // The receiver reported these bytes as duplicate (RFC 2883).
    void duplicate_received(Direction &, std::uint64_t from, std::uint64_t to, FrameNumber);
    // The connection has ended.
    void ended(Direction &, const Connection &, Time at);
    // Reports the retransmissions whose class no later segment can change; all: whatever comes.
    void settle(Direction &, const Connection &, Time now, bool all, DirectionSink &);

private:
    void repeat(Direction &, const Connection &, const SegmentReport &, bool original_seen,
                SendCircumstances &at, DirectionSink &);
    void late_fill(Direction &, const Connection &, const SegmentReport &, SendCircumstances &at,
                   DirectionSink &);
    void unseen_tail(const Direction &, const Connection &, const SegmentReport &, SendCircumstances &at);
    void judge(const Direction &, const SendCircumstances &at, UndecidedRepeat &,
               std::optional<Duration> since_last_copy);
    void await(const Direction &, const Connection &, const UndecidedRepeat &, SendCircumstances &at);

    IpIdRun ids_;
    LossState loss_;
    UndecidedRepeats undecided_;
    BlackHole black_hole_;
    std::uint64_t announced_ = 0; // the highest offset that the sender was seen to be about to send
    std::uint64_t own_acks_ = 0;  // segments without payload of this sender, SYN, FIN and RST aside
    std::uint16_t left_out_ = 0;  // packets that are missing directly before the segment
};

} // namespace iscsiscope

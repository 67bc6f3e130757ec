// SPDX-License-Identifier: GPL-2.0-or-later
// DirectionDiagnosis: diagnoses one direction of a connection: retransmissions and reordering, what the
// receiver did and what limited the sender. It makes the TcpDirectionFigures, and reports reorderings, and
// retransmissions once no later segment can change their class, to a DirectionSink.
//
// Each of its parts has one job and its own states; this class hands them the segments in their order:
//   SenderTrack       what was sent, what was acknowledged, and what of it the sender knew
//   ReceiverAnswers   what the receiver did
//   SenderRepeats     what the sender sent again or late, and whether it repairs a loss
//   SendWait          what its last segment had waited for
//   SendLimits        what limited it over time
//   QueueDelay        how long its segments waited in queues
#pragma once

#include "analyzer/base/histogram.h"
#include "analyzer/tcp/diagnosis/history/queue_delay.h"
#include "analyzer/tcp/diagnosis/receiver_answers.h"
#include "analyzer/tcp/diagnosis/send_limits.h"
#include "analyzer/tcp/diagnosis/send_wait.h"

#include <memory>

namespace iscsiscope {

class DirectionDiagnosis {
public:
    // Both references must outlive the object. tap_rtts: must include each segment before sent() or
    // answered() is called; track: of this direction, must include a segment of the sender. The diagnosis
    // enters the ACKs and what was sent into it.
    DirectionDiagnosis(Side sender, const EndTapRtts &tap_rtts, SenderTrack &track, ShortWays short_ways)
        : direction_(sender, tap_rtts, track), answers_(short_ways) {}

    // A segment of the receiver or of the sender passed; the Connection includes it.
    void answered(const Connection &c, const SegmentReport &r, DirectionSink &out) {
        answers_.answered(direction_, c, r, repeats_, out);
    }
    void sent(const Connection &, const SegmentReport &, DirectionSink &);
    // After sent(): sampled() with the segment's TcpSample if it has one, then segment_done() in any case.
    void sampled(const TcpSample &);
    void segment_done() { limits_.segment_done(direction_, repeats_.loss()); }
    // A sample of the connection's whole round trip. when: its segment of this direction passed, if there is
    // one. was_sent: there is; else it may be the segment that is given to sent() next.
    void round_trip(Duration, Time when, bool was_sent);

    // Describes the last segment given to sent().
    const SendCircumstances &circumstances() const { return wait_.circumstances(); }
    // True if the receiver's last window was zero.
    bool zero_window() const { return answers_.zero_window(); }
    // True if the sender's SYN offered or accepted ECN.
    bool ecn_agreed() const { return direction_.figures().ecn; }

    // At the end of the connection: reports what is undecided and returns the figures.
    TcpDirectionFigures finish(const Connection &, Time at, DirectionSink &);

private:
    bool only_adds(const SegmentReport &) const;
    void add(const Connection &, const SegmentReport &);
    void note_known(const Connection &, const Segment &);

    Direction direction_;
    ReceiverAnswers answers_;
    SenderRepeats repeats_;
    SendWait wait_;
    SendLimits limits_;
    std::unique_ptr<QueueDelay> queue_; // created when first needed, like:
    std::unique_ptr<Histogram> cwnds_;  // of the samples
};

} // namespace iscsiscope

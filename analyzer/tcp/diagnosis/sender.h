// SPDX-License-Identifier: GPL-2.0-or-later
// Sender: one direction of a connection: what its sender sent, what it knew, and what it waited for. It makes
// the TcpDirectionFigures, and gives a DirectionSink a TcpSample of each segment of new data, reorderings,
// and retransmissions once no later segment can change their class.
//
// Each of its parts has one job and its own states; this class hands them each segment once, in this order:
//   a segment of the receiver   ReceiverAnswers   what the receiver has and offers, into the track
//   a segment of the sender     SendLimits        what limited it until then
//                               SendWait          what the segment had waited for
//                               SenderRepeats     what was sent again or late, and whether it repairs a loss
//                               SenderTrack       what was sent: from here on the segment is in the log
//                               SenderSampler     bytes in flight, state, congestion window, limit
//                               SendLimits        what limits it from then on
// Beside them QueueDelay: how long its segments waited in queues.
#pragma once

#include "analyzer/base/histogram.h"
#include "analyzer/tcp/diagnosis/history/queue_delay.h"
#include "analyzer/tcp/diagnosis/receiver_answers.h"
#include "analyzer/tcp/diagnosis/send_limits.h"
#include "analyzer/tcp/diagnosis/send_wait.h"
#include "analyzer/tcp/inference/sender_sampler.h"
#include "analyzer/tcp/round_trips/round_trip_statistics.h"

#include <memory>

namespace iscsiscope {

class Sender {
public:
    // round_trips: must outlive the object, and include each segment before sent() or answered() is called.
    Sender(Side side, const RoundTripStatistics &round_trips, ShortWays short_ways)
        : direction_(side, round_trips.ends()), answers_(short_ways),
          sampler_(direction_.track, round_trips.whole()) {}

    // A segment of the receiver passed; the Connection includes it.
    void answered(const Connection &c, const SegmentReport &r, DirectionSink &out) {
        answers_.answered(direction_, c, r, repeats_, out);
    }
    // A segment of the sender passed; the Connection includes it. Returns what its sender had waited for,
    // valid until the next call; null: nothing is to be said.
    const SendCircumstances *sent(const Connection &, const SegmentReport &, DirectionSink &);
    // A sample of the connection's whole round trip. when: its segment of this direction passed, if there is
    // one. was_sent: there is; else it may be the segment that is given to sent() next.
    void round_trip(Duration, Time when, bool was_sent);
    // A sample of the tap-side round trip tap → sender → tap, from an answer that passed the tap at this
    // time.
    void tap_rtt_seen(Time answered, Duration tap_rtt) { sampler_.tap_rtt_seen(answered, tap_rtt); }

    // The scale of the receiver's windows, if no SYN gives it and it was learnt.
    std::optional<std::uint8_t> learnt_window_scale() const { return sampler_.learnt_window_scale(); }
    // True if the sender's SYN offered or accepted ECN.
    bool ecn_agreed() const { return direction_.figures().ecn; }

    // At the end of the connection: reports what is undecided and returns the figures.
    TcpDirectionFigures finish(const Connection &, Time at, DirectionSink &);

private:
    bool only_adds(const SegmentReport &) const;
    void add(const Connection &, const SegmentReport &);
    void take_header(const Connection &, const Segment &);
    void take_data(const Connection &, const SegmentReport &, DirectionSink &);
    void note_known(const Connection &, const Segment &);
    void sampled(const TcpSample &);

    Direction direction_;
    ReceiverAnswers answers_;
    SenderRepeats repeats_;
    SendWait wait_;
    SenderSampler sampler_;
    SendLimits limits_;
    std::unique_ptr<QueueDelay> queue_; // created when first needed, like:
    std::unique_ptr<Histogram> cwnds_;  // of the samples
};

} // namespace iscsiscope

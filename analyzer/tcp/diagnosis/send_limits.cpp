// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/diagnosis/send_limits.h"

namespace iscsiscope {

// An ACK takes effect one tap-side round trip tap → sender → tap after it passed, which is when the segments
// that the sender sends upon it pass the tap.
void SendLimits::run_to(Direction &d, const Connection &c, Time now, LossState &loss) {
    if (!started_) {
        started_ = true;
        clock_.start(c.first_time);
    }
    KnownAcks &acks = d.track.known();
    const Duration tap_rtt = d.times.to_sender(c);
    while (const AckSeen *learnt = acks.learn_next(now, tap_rtt)) {
        const Time at = learnt->time + tap_rtt;
        clock_.run_to(at);
        if (const auto recovery = loss.learnt(learnt->acked, at))
            d.tally.troubles().recoveries.add(*recovery, learnt->frame);
        relabel(d, loss);
    }
    acks.skip_unknown();
    clock_.run_to(now);
}

void SendLimits::relabel(const Direction &d, const LossState &loss) {
    const AckSeen &k = d.acks().known();
    const std::uint64_t sent_to = d.track.sent_log().end();
    const bool under_way = sent_to > k.acked;
    SendLimit label = limit_;
    if (loss.repairing())
        label = SendLimit::cwnd;
    else if (!under_way && label == SendLimit::receive_window &&
             !(k.edge() != 0 && k.edge() <= sent_to)) // the window is open, but the sender had no data
        label = SendLimit::application;
    clock_.set(label, under_way);
}

} // namespace iscsiscope

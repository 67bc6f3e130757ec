// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/gaps/evidence/small_segments.h"

#include "analyzer/cycles/gaps/evidence/prompt.h"

#include <algorithm>

namespace iscsiscope {

void SmallSegments::note_small(const Connection &tcp, const SegmentReport &report, Time work_since) {
    const ConnectionEnd &sender = tcp.end(report.side);
    const auto &tap_rtt = sender.rtt.minimum, &to_receiver = tcp.end(other(report.side)).rtt.minimum;
    const Duration since = report.segment->time - acked_at_;
    // An ACK passes the tap before it reaches the sender: the sender had none for the small segment before.
    if (end_ > sender.acked_offset ||
        (state_ == Last::acknowledged && tap_rtt && since < released_after(*tap_rtt))) {
        ++early_;
    } else if (state_ == Last::acknowledged && tap_rtt && work_since < acked_at_ + *tap_rtt &&
               releases_stand_apart(*tap_rtt, to_receiver)) {
        const bool at_once = since <= prompt_within(*tap_rtt, to_receiver);
        ++(at_once ? released_ : later_);
    }
    state_ = Last::unacknowledged;
    at_ = report.segment->time;
    end_ = report.offset + report.segment->payload_length;
    frame_ = report.segment->frame;
    ack_frame_.reset();
}

Duration SmallSegments::not_held(Duration wait, Duration to_sender, Time now) const {
    if (!waits_ || !nagle_seen())
        return wait;
    return state_ == Last::acknowledged ? std::clamp(now - acked_at_ - to_sender, Duration{}, wait)
                                        : Duration{};
}

void SmallSegments::describe(GapEvidence &e, bool ending_small) const {
    e.small_frame = frame_;
    e.small_ack_frame = ack_frame_;
    if (state_ == Last::acknowledged)
        e.small_acked = acked_at_;
    e.tail_held_by_nagle = waits_ && ending_small && !off();
    e.nagle_seen = nagle_seen();
}

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/inference/sender_view.h"

#include <algorithm>

namespace iscsiscope {

// Handles a segment below the highest byte seen: a retransmission, or at a tap behind a loss or a reordering
// the first passage of these bytes.
void SenderView::resent(const SegmentReport &report, std::uint64_t end, std::uint32_t size) {
    const Segment &s = *report.segment;
    trip_.resent();
    before_.holds = false;
    resent_.push_back({end, s.payload_length, (s.payload_length + size - 1) / size});
    const bool timed_out = timed_out_by(s.time);
    if (!report.repeats && !timed_out)
        return; // may only be reordered
    const bool oldest = track_.acks().empty() || report.offset <= track_.acks().latest().acked;
    if (oldest && timed_out) {
        state_ = SenderState::loss;
        recovery_point_ = track_.sent_log().end();
        envelope_.timed_out();
    } else if (state_ != SenderState::recovery && state_ != SenderState::loss && report.repeats) {
        state_ = SenderState::recovery;
        recovery_point_ = track_.sent_log().end();
        envelope_.entered_recovery();
    }
}

void SenderView::follow_state(const AckSeen &k, const SegmentReport &report, bool opened) {
    const Segment &s = *report.segment;
    if (!any_sent_ && opened) {
        state_ = SenderState::slow_start;
        envelope_.opened();
    }
    if ((state_ == SenderState::recovery || state_ == SenderState::loss) && k.acked >= recovery_point_) {
        // After a timeout the window doubles (slow start); after recovery it is at ssthresh.
        state_ = state_ == SenderState::loss ? SenderState::slow_start : SenderState::avoidance;
        envelope_.left_recovery();
    }
    if (state_ == SenderState::idle_restart && k.acked >= recovery_point_)
        state_ = SenderState::unknown;
    if (state_ != SenderState::recovery && state_ != SenderState::loss) {
        const std::uint64_t sent_before = report.offset;
        if (k.sacked_packets >= duplicate_threshold) {
            state_ = SenderState::recovery;
            recovery_point_ = sent_before;
            envelope_.entered_recovery();
        } else if ((s.flags & tcp_cwr) != 0) { // the window was cut for a CE mark (RFC 3168 section 6.1.2)
            state_ = SenderState::recovery;
            recovery_point_ = sent_before;
            envelope_.entered_recovery();
        } else if (any_sent_ && timed_out_by(s.time) && k.acked >= sent_before) {
            state_ = SenderState::idle_restart;
            recovery_point_ = sent_before + s.payload_length;
            envelope_.idled();
        }
    }
}

} // namespace iscsiscope

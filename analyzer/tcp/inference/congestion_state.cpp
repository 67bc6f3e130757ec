// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/inference/congestion_state.h"

namespace iscsiscope {

void CongestionState::enter_recovery(std::uint64_t point, CwndEnvelope &envelope) {
    state_ = SenderState::recovery;
    point_ = point;
    envelope.entered_recovery();
}

// At a tap behind a loss or a reordering it may be the first passage of these bytes.
void CongestionState::resent(const Sent &s, bool oldest, CwndEnvelope &envelope) {
    if (oldest && s.timed_out) {
        state_ = SenderState::loss;
        point_ = s.to;
        envelope.timed_out();
    } else if (!repairing() && s.report.repeats) {
        enter_recovery(s.to, envelope);
    }
}

void CongestionState::knew(const AckSeen &k, const Sent &s, bool opened, CwndEnvelope &envelope) {
    if (s.first && opened) {
        state_ = SenderState::slow_start;
        envelope.opened();
    }
    if (repairing() && k.acked >= point_) {
        // After a timeout the window doubles (slow start); after recovery it is at ssthresh.
        state_ = state_ == SenderState::loss ? SenderState::slow_start : SenderState::avoidance;
        envelope.left_recovery();
    }
    if (state_ == SenderState::idle_restart && k.acked >= point_)
        state_ = SenderState::unknown;
    if (repairing())
        return;
    const std::uint64_t offset = s.report.offset;
    const Segment &segment = *s.report.segment;
    // With CWR the window was cut for a CE mark (RFC 3168 section 6.1.2).
    if (k.sacked_packets >= duplicate_threshold || (segment.flags & tcp_cwr) != 0) {
        enter_recovery(offset, envelope);
    } else if (!s.first && s.timed_out && k.acked >= offset) {
        state_ = SenderState::idle_restart;
        point_ = offset + segment.payload_length;
        envelope.idled();
    }
}

} // namespace iscsiscope

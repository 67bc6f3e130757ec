// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/gaps/gap_proof.h"

namespace iscsiscope {

std::array<GapProofFrame, 3> proof_of(GapKind kind, const GapEvidence &e, OptionalFrame ended_by) {
    const SendCircumstances &t = e.tcp;
    switch (kind) {
    case GapKind::capture_loss:
        return {{{GapProof::unseen_ack, e.missed_ack_frame}}};
    case GapKind::path_down:
        if (e.ended_by == GapEnd::payload)
            return {{{GapProof::original, t.original_frame}, {GapProof::repeat, ended_by}}};
        return {{{GapProof::reset, ended_by}}};
    case GapKind::retransmission_timeout:
    case GapKind::fast_retransmit:
        return {{{GapProof::original, t.original_frame},
                 {GapProof::loss_signal, t.signal_frame},
                 {GapProof::repeat, ended_by}}};
    case GapKind::window_closed:
        return {{{GapProof::window_closed, t.window_closed_frame},
                 {GapProof::window_update, t.window_update_frame}}};
    case GapKind::delayed_ack:
        return {{{GapProof::held_data, t.held_data_frame}, {GapProof::held_ack, t.release_frame}}};
    case GapKind::ack_held_status:
    case GapKind::ack_held_data:
        return {{{GapProof::small_segment, e.small_frame}, {GapProof::releasing_ack, e.small_ack_frame}}};
    case GapKind::cwnd_limited:
    case GapKind::send_buffer:
        return {{{GapProof::releasing_ack, t.release_frame}}};
    default:
        return {};
    }
}

} // namespace iscsiscope

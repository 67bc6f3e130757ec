// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/gaps/gap_classifier.h"

#include "analyzer/cycles/gaps/held_by_tcp.h"
#include "analyzer/tcp/track/sender_times.h"

namespace iscsiscope {
namespace {

bool delayed_ack(const GapEvidence &e) {
    return e.tcp.ack_held && e.tcp.prompt &&
           (e.tail_held_by_nagle || had_more(e) || e.tcp.limit_before == SendLimit::cwnd ||
            e.tcp.recovering_before);
}

bool cwnd_limited(const GapEvidence &e) {
    if (e.tcp.window_grows)
        return true;
    if (!ack_clocked(e))
        return false;
    // Before the first data of an answer the sender may as well have had nothing to send.
    const bool had_data = had_more(e) || was_spurious(e);
    if ((e.tcp.limit_before == SendLimit::cwnd && had_data) || e.tcp.recovering_before)
        return true;
    // A congestion window that is still growing can limit a sender before its size can be estimated.
    const bool starting =
        e.tcp.limit_before == SendLimit::application &&
        (e.tcp.state_before == SenderState::slow_start || e.tcp.state_before == SenderState::idle_restart);
    const bool undetermined = !e.tcp.plateau_before && (e.tcp.limit_before == SendLimit::unknown || starting);
    return undetermined && had_more(e);
}

bool send_buffer(const GapEvidence &e) {
    // A paced sender has no gaps that end with ACKs, so `pacing` does not rule out a send buffer limit.
    const bool level = e.tcp.plateau_before && had_more(e) &&
                       (e.tcp.limit_before == SendLimit::application ||
                        e.tcp.limit_before == SendLimit::pacing || e.tcp.limit_before == SendLimit::unknown);
    return ack_clocked(e) && ((e.tcp.limit_before == SendLimit::send_buffer && had_more(e)) || level);
}

// Without the SYNs: the sender had used up the window that the bytes in flight show, and ACKs released it.
bool window_seems_closed(const GapEvidence &e) {
    return e.tcp.window_inferred && e.tcp.limit_before == SendLimit::receive_window && had_more(e) &&
           ack_clocked(e);
}

// A status held after the data of its own task. After payload of the initiator in between, the status may
// answer a command that arrived meanwhile.
bool ack_held_status(const GapEvidence &e) {
    return e.role == PduRole::status && e.at_pdu_start && !e.peer_sent_payload && held_for_ack(e);
}

// Only if the sender had more of the same data to send: the first Data-In or an R2T may as well answer a
// command that arrived meanwhile.
bool ack_held_data(const GapEvidence &e) {
    const bool first = e.role == PduRole::first_data_in || e.role == PduRole::first_data_out ||
                       e.role == PduRole::data_out_without_r2t;
    const bool more = e.role == PduRole::more_data_in || e.role == PduRole::more_data_out;
    return (more || (first && !e.at_pdu_start)) && held_for_ack(e);
}

// The kind of a wait of the iSCSI layer.
GapKind by_role(const GapEvidence &e) {
    switch (e.role) {
    case PduRole::first_data_in:
        return e.at_pdu_start ? GapKind::target_first_data : GapKind::target_data;
    case PduRole::more_data_in:
        return GapKind::target_data;
    case PduRole::r2t:
        return GapKind::target_r2t;
    case PduRole::status:
        return GapKind::target_status;
    case PduRole::first_data_out:
        return e.at_pdu_start ? GapKind::initiator_burst : GapKind::initiator_data;
    case PduRole::more_data_out:
        return GapKind::initiator_data;
    case PduRole::data_out_without_r2t: // before its begin it is unknown which of the two ends was waited for
        return e.at_pdu_start ? GapKind::unclassified : GapKind::initiator_data;
    case PduRole::command_alone: // bytes inside a SCSI Command PDU after its first are immediate data
        return e.at_pdu_start ? GapKind::initiator_idle : GapKind::initiator_data;
    case PduRole::command_queued:
        return e.at_pdu_start ? GapKind::initiator_pause : GapKind::initiator_data;
    case PduRole::keep_alive: // without an open task it interrupts the wait for the next command
        return e.tasks_open ? GapKind::control : GapKind::initiator_idle;
    case PduRole::control:
        return GapKind::control;
    case PduRole::none:
        break;
    }
    return GapKind::unclassified;
}

} // namespace

GapKind classify(const GapEvidence &e) {
    if (e.bytes_missed)
        return GapKind::capture_loss;
    // In a one-sided capture it is unknown whether the other end was silent too, and which end was waited
    // for.
    if (e.one_sided)
        return GapKind::unclassified;
    if (e.path_broke || e.ended_by == GapEnd::reset || e.ended_by == GapEnd::reuse ||
        e.ended_by == GapEnd::relogin)
        return GapKind::path_down;
    if (e.tcp.recovers && e.tcp.kind == RetransmissionClass::timeout)
        return GapKind::retransmission_timeout;
    if (e.tcp.recovers &&
        (e.tcp.kind == RetransmissionClass::fast || e.tcp.kind == RetransmissionClass::tail_probe))
        return GapKind::fast_retransmit;
    // A retransmitted segment, or one that fills a hole without having been overtaken, belongs to TCP's
    // recovery even if its class is unknown. It is no wait of the iSCSI layer, and neither is the end of the
    // stream.
    if (((e.repeats || e.fills_hole) && !e.tcp.overtaken && !was_spurious(e)) ||
        e.ended_by != GapEnd::payload)
        return GapKind::unclassified;
    if (e.tcp.window_full && e.tcp.window_update_frame && e.tcp.update_prompt)
        return GapKind::window_closed;
    if (delayed_ack(e))
        return GapKind::delayed_ack;
    if (ack_held_status(e))
        return GapKind::ack_held_status;
    if (ack_held_data(e))
        return GapKind::ack_held_data;
    if (cwnd_limited(e))
        return GapKind::cwnd_limited;
    if (send_buffer(e))
        return GapKind::send_buffer;
    if (window_seems_closed(e))
        return GapKind::window_closed;
    // The sender's timer expired for want of an ACK: the data had arrived, so that the ACK was lost or came
    // late.
    if (was_spurious(e) && e.path_silent && e.end - e.start >= min_timeout)
        return GapKind::retransmission_timeout;
    // A retransmission although nothing was lost. It comes after the rules on ACKs and windows, since an ACK
    // or a window update may have triggered it, as with new data.
    if (was_spurious(e))
        return GapKind::unclassified;
    return e.waited_for_window ? GapKind::command_window : by_role(e);
}

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

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/gaps/gap_classifier.h"

#include "analyzer/cycles/gaps/held_by_tcp.h"
#include "analyzer/tcp/diagnosis/retransmission_judge.h"

#include <array>

namespace iscsiscope {
namespace {

bool capture_loss(const GapEvidence &e) {
    return e.bytes_missed;
}

// In a one-sided capture it is unknown whether the other end was silent too, and which end was waited for.
bool one_sided_capture(const GapEvidence &e) {
    return e.one_sided;
}

bool path_down(const GapEvidence &e) {
    return e.path_broke || e.ended_by == GapEnd::reset || e.ended_by == GapEnd::reuse ||
           e.ended_by == GapEnd::relogin;
}

bool retransmission_timeout(const GapEvidence &e) {
    return e.tcp.recovers && e.tcp.kind == RetransmissionClass::timeout;
}

bool fast_retransmit(const GapEvidence &e) {
    return e.tcp.recovers &&
           (e.tcp.kind == RetransmissionClass::fast || e.tcp.kind == RetransmissionClass::tail_probe);
}

// A retransmitted segment, or one that fills a hole without having been overtaken, belongs to TCP's recovery
// even if its class is unknown. It is no wait of the iSCSI layer, and neither is the end of the stream.
bool unclassified_recovery(const GapEvidence &e) {
    return ((e.repeats || e.fills_hole) && !e.tcp.overtaken && !was_spurious(e)) ||
           e.ended_by != GapEnd::payload;
}

// A retransmission although nothing was lost. It is tried after the rules on ACKs and windows, since an ACK
// or a window update may have triggered it, as with new data.
bool spurious_repeat(const GapEvidence &e) {
    return was_spurious(e);
}

// The sender's timer expired for want of an ACK: the data had arrived, so that the ACK was lost or came late.
bool spurious_timeout(const GapEvidence &e) {
    return was_spurious(e) && e.path_silent && e.end - e.start >= min_timeout;
}

bool window_closed(const GapEvidence &e) {
    return e.tcp.window_full && e.tcp.window_update_frame && e.tcp.update_prompt;
}

bool delayed_ack(const GapEvidence &e) {
    return e.tcp.ack_held && e.tcp.prompt &&
           (e.tail_held_by_nagle || had_more(e) || e.tcp.limit_before == SendLimit::cwnd ||
            e.tcp.recovering_before);
}

bool cwnd_limited(const GapEvidence &e) {
    if (!ack_clocked(e))
        return false;
    if (e.tcp.limit_before == SendLimit::cwnd || e.tcp.recovering_before)
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
    return ack_clocked(e) && (e.tcp.limit_before == SendLimit::send_buffer || level);
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

bool begins_burst(const GapEvidence &e) {
    return e.role == PduRole::first_data_out || e.role == PduRole::data_out_without_r2t;
}

// Only if the sender had more of the same data to send: the first Data-In or an R2T may as well answer a
// command that arrived meanwhile.
bool ack_held_data(const GapEvidence &e) {
    const bool more = e.role == PduRole::more_data_in || e.role == PduRole::more_data_out ||
                      (!e.at_pdu_start && (e.role == PduRole::first_data_in || begins_burst(e)));
    return more && held_for_ack(e);
}

bool command_window(const GapEvidence &e) {
    return e.waited_for_window;
}

bool target_first_data(const GapEvidence &e) {
    return e.role == PduRole::first_data_in && e.at_pdu_start;
}

bool target_r2t(const GapEvidence &e) {
    return e.role == PduRole::r2t;
}

bool target_status(const GapEvidence &e) {
    return e.role == PduRole::status;
}

bool target_data(const GapEvidence &e) {
    return e.role == PduRole::more_data_in || e.role == PduRole::first_data_in;
}

// Only if the R2T was seen: otherwise it is unknown which of the two ends was waited for.
bool initiator_burst(const GapEvidence &e) {
    return e.role == PduRole::first_data_out && e.at_pdu_start;
}

// Bytes inside a SCSI Command PDU after its first are taken as immediate data.
bool initiator_data(const GapEvidence &e) {
    const bool command = e.role == PduRole::command_alone || e.role == PduRole::command_queued;
    return e.role == PduRole::more_data_out || (!e.at_pdu_start && (begins_burst(e) || command));
}

// A keep-alive while no task is open interrupts the wait for the next command, which is what was waited for.
bool initiator_idle(const GapEvidence &e) {
    return e.role == PduRole::command_alone || (e.role == PduRole::keep_alive && !e.tasks_open);
}

bool initiator_pause(const GapEvidence &e) {
    return e.role == PduRole::command_queued;
}

bool control(const GapEvidence &e) {
    return e.role == PduRole::control || e.role == PduRole::keep_alive;
}

struct GapRule {
    GapKind kind;
    bool (*holds)(const GapEvidence &);
};

// In the order in which they are tried.
constexpr std::array rules{
    GapRule{GapKind::capture_loss, capture_loss},
    GapRule{GapKind::unclassified, one_sided_capture},
    GapRule{GapKind::path_down, path_down},
    GapRule{GapKind::retransmission_timeout, retransmission_timeout},
    GapRule{GapKind::fast_retransmit, fast_retransmit},
    GapRule{GapKind::unclassified, unclassified_recovery},
    GapRule{GapKind::window_closed, window_closed},
    GapRule{GapKind::delayed_ack, delayed_ack},
    GapRule{GapKind::ack_held_status, ack_held_status},
    GapRule{GapKind::ack_held_data, ack_held_data},
    GapRule{GapKind::cwnd_limited, cwnd_limited},
    GapRule{GapKind::send_buffer, send_buffer},
    GapRule{GapKind::window_closed, window_seems_closed},
    GapRule{GapKind::retransmission_timeout, spurious_timeout},
    GapRule{GapKind::unclassified, spurious_repeat},
    GapRule{GapKind::command_window, command_window},
    GapRule{GapKind::target_first_data, target_first_data},
    GapRule{GapKind::target_r2t, target_r2t},
    GapRule{GapKind::target_status, target_status},
    GapRule{GapKind::target_data, target_data},
    GapRule{GapKind::initiator_burst, initiator_burst},
    GapRule{GapKind::initiator_data, initiator_data},
    GapRule{GapKind::initiator_idle, initiator_idle},
    GapRule{GapKind::initiator_pause, initiator_pause},
    GapRule{GapKind::control, control},
};

} // namespace

GapKind classify(const GapEvidence &evidence) {
    for (const GapRule &rule : rules)
        if (rule.holds(evidence))
            return rule.kind;
    return GapKind::unclassified;
}

} // namespace iscsiscope

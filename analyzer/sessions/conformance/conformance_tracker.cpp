// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/conformance/conformance_tracker.h"

namespace iscsiscope {
namespace {

// Tasks are followed if negotiated values are known or the session has other connections.
bool follows(const Member &m) {
    return m.login != nullptr || m.unit->root()->group.size() > 1;
}

Violation residual_violation(const Member &m, const Anomaly &a, Time time, Opcode kind) {
    Violation v;
    v.rule = Rule::residual;
    v.by = PduDirection::to_initiator;
    v.stream = m.stream;
    v.frame = a.frame.value_or(0);
    v.time = time;
    v.opcode = kind;
    return v;
}

bool is_of_task(Opcode o) {
    return o == Opcode::data_in || o == Opcode::r2t || o == Opcode::scsi_response;
}

} // namespace

ConnectionRules *ConformanceTracker::prepare(const Member &m, const Pdu &pdu) {
    if (pdu.known != whole_header || pdu.inferred || pdu.header_digest == DigestState::bad) {
        form_.pdu(Occasion(m.stream, pdu));
        forget(m);
        return nullptr;
    }
    ConnectionRules *s = states_.find(m.index);
    if (s == nullptr) {
        s = &states_.of(m.index);
        s->from_login = m.login != nullptr;
    }
    s->suspicions.pdu(pdu, counts_);
    form_.pdu(Occasion(m.stream, pdu));
    return s;
}

void ConformanceTracker::request(const Member &m, const Pdu &pdu, std::optional<bool> in_window) {
    ConnectionRules *const state = prepare(m, pdu);
    if (state == nullptr)
        return;
    const MemberOccasion o(m, pdu, *state);
    numbers_.sent(o);
    if (in_window)
        numbers_.window(o, *in_window);
    data_.length(o);
    if (o.view.opcode() == Opcode::data_out) {
        data_.data_out(o);
    } else {
        requests_.request(o);
        if (o.view.opcode() == Opcode::scsi_command && follows(m)) {
            FollowedTask &task = tasks_.command(o);
            if (task.writes)
                data_.immediate(o, task);
        } else if (o.view.opcode() == Opcode::text_request) {
            login_.text(o);
        }
    }
    violations_.pdu(m.stream, pdu);
}

void ConformanceTracker::answer(const Member &m, const Pdu &pdu) {
    ConnectionRules *const state = prepare(m, pdu);
    if (state == nullptr)
        return;
    const MemberOccasion o(m, pdu, *state);
    last_answer_ = pdu.delivered;
    last_answer_kind_ = o.view.opcode();
    numbers_.answered(o);
    data_.length(o);
    const Opcode opcode = o.view.opcode();
    if (is_of_task(opcode)) {
        FollowedTask *const task = follows(m) ? tasks_.answer(o, states_) : nullptr;
        if (opcode == Opcode::data_in)
            data_.data_in(o, task);
        else if (opcode == Opcode::r2t)
            data_.r2t(o, task);
        else
            tasks_.response(o);
        if (o.view.has_status() && task != nullptr)
            state->tasks.end(*task);
    } else {
        requests_.answer(o);
        if (opcode == Opcode::text_response)
            login_.text(o);
        else if (opcode == Opcode::reject)
            violations_.reject(m.stream, pdu);
    }
    violations_.pdu(m.stream, pdu);
}

void ConformanceTracker::login_pdu(const Member *m, const PduRecord &r) {
    if (m != nullptr && m->login)
        counts_.broken(Rule::login_only, Occasion(r.connection->stream, r.pdu));
    else
        login_.step(r);
    violations_.pdu(r.connection->stream, r.pdu);
}

void ConformanceTracker::task(const Member &m, const CycleRecord &r) {
    // Violations of these two rules are counted in anomaly().
    counts_.kept(Rule::residual, r.status && r.complete ? 1 : 0);
    if (!without_recovery(m))
        counts_.kept(Rule::data_sn_order, r.data_pdus + r.r2t_count);
    if (r.outcome == TaskOutcome::aborted || r.outcome == TaskOutcome::reset)
        violations_.given_up(m.stream, r.itt, r.end);
}

void ConformanceTracker::anomaly(const Anomaly &a, const Member *m) {
    switch (a.kind) {
    case AnomalyKind::residual_mismatch:
        counts_.broken_at(Rule::residual, a.frame);
        if (m != nullptr)
            violations_.add(residual_violation(*m, a, last_answer_, last_answer_kind_));
        break;
    case AnomalyKind::data_sn_gap:
        if (m != nullptr && !without_recovery(*m))
            counts_.broken_at(Rule::data_sn_order, a.frame);
        break;
    case AnomalyKind::stream_hole:
    case AnomalyKind::sync_lost:
    case AnomalyKind::resync:
        // PDUs may be missing here: the state of the open tasks is no longer known.
        if (m != nullptr)
            forget(*m);
        if (a.stream)
            login_.forget(*a.stream);
        break;
    default:
        break;
    }
}

void ConformanceTracker::forget(const Member &m) {
    states_.of(m.index) = {};
    violations_.forget(m.stream);
}

void ConformanceTracker::close(const Member *m, const ConnectionRecord &r) {
    login_.forget(r.stream);
    ConnectionRules *const s = m != nullptr ? states_.find(m->index) : nullptr;
    if (s != nullptr && r.unseen_to_target == 0 && r.unseen_to_initiator == 0)
        s->suspicions.end(counts_);
    violations_.close(r.stream);
    // Unanswered tasks stay: a PDU of theirs may come on another connection.
    if (s != nullptr && s->tasks.free_ended() == 0)
        states_.drop(m->index);
}

ConformanceFigures ConformanceTracker::take() {
    form_.finish();
    return {counts_.take(), violations_.take(), violations_.take_rejects()};
}

} // namespace iscsiscope

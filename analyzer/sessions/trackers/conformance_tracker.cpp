// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/trackers/conformance_tracker.h"

#include <algorithm>
#include <utility>

namespace iscsiscope {
namespace {

std::uint32_t tag(HeaderView v) {
    return static_cast<std::uint32_t>(v.initiator_task_tag());
}

// The negotiated values. Null: the capture does not hold the login, or not the part with all of `wanted`.
const OperationalParameters *keys(const Member &m, ParameterSet wanted) {
    return m.login && m.login->keys.known.has_all(wanted) ? &m.login->keys.parameters : nullptr;
}

} // namespace

void ConformanceTracker::count(Rule rule, bool broken, OptionalFrame frame) {
    ++rows_[static_cast<std::size_t>(rule)].checked;
    if (broken)
        count_broken(rule, frame);
}

void ConformanceTracker::count_broken(Rule rule, OptionalFrame frame) {
    RuleRow &row = rows_[static_cast<std::size_t>(rule)];
    ++row.broken;
    if (row.first_frames.size() < cases_kept)
        row.first_frames.push_back(frame);
}

// Tasks are followed if negotiated values are known or the session has other connections.
bool ConformanceTracker::follows(const Member &m) {
    return m.login != nullptr || m.unit->root()->group.size() > 1;
}

void ConformanceTracker::follow(const Member &m, std::uint32_t itt) {
    std::unique_ptr<Block> &block = states_.of(m.index).tasks[place(itt) / block_size];
    if (!block)
        block = std::make_unique<Block>();
    (*block)[place(itt) % block_size] = {itt, true, 0, 0, 0};
}

ConformanceTracker::Followed *ConformanceTracker::find(const Member &m, std::uint32_t itt) {
    State *s = states_.find(m.index);
    Block *block = s != nullptr ? s->tasks[place(itt) / block_size].get() : nullptr;
    if (block == nullptr)
        return nullptr;
    Followed &f = (*block)[place(itt) % block_size];
    return f.open && f.itt == itt ? &f : nullptr;
}

void ConformanceTracker::command(const Member &m, const Pdu &pdu) {
    if (!follows(m))
        return;
    const HeaderView v = pdu.view();
    follow(m, tag(v));
    if (!v.write_bit())
        return;
    if (const auto *k = keys(m, {Parameter::immediate_data}))
        count(Rule::immediate_not_allowed, pdu.data_length != 0 && !k->immediate_data, pdu.frame);
    if (pdu.data_length != 0)
        sent_to_target(m, pdu);
}

void ConformanceTracker::sent_to_target(const Member &m, const Pdu &pdu) {
    if (const auto *k = keys(m, {Parameter::max_recv_target}))
        count(Rule::max_recv_to_target, pdu.data_length > k->max_recv_data_segment_length_target, pdu.frame);
}

void ConformanceTracker::data_out(const Member &m, const Pdu &pdu) {
    const HeaderView v = pdu.view();
    sent_to_target(m, pdu);
    if (v.target_transfer_tag() == TargetTransferTag::reserved) {
        if (const auto *k = keys(m, {Parameter::initial_r2t}))
            count(Rule::unsolicited_not_allowed, k->initial_r2t, pdu.frame);
    } else if (v.final()) {
        if (Followed *f = find(m, tag(v)); f != nullptr && f->open_r2ts != 0)
            --f->open_r2ts;
    }
}

void ConformanceTracker::data_in(const Member &m, const Pdu &pdu) {
    if (pdu.data_length == 0)
        return;
    const HeaderView v = pdu.view();
    if (const auto *k = keys(m, {Parameter::max_recv_initiator}))
        count(Rule::max_recv_to_initiator, pdu.data_length > k->max_recv_data_segment_length_initiator,
              pdu.frame);
    Followed *f = find(m, tag(v));
    if (f == nullptr)
        return;
    if (const auto *k = keys(m, {Parameter::data_pdu_in_order, Parameter::data_sequence_in_order});
        k != nullptr && k->data_pdu_in_order && k->data_sequence_in_order &&
        pdu.knows(header_field::buffer_offset))
        count(Rule::data_offset_order, v.buffer_offset() != f->next_offset, pdu.frame);
    f->next_offset = v.buffer_offset() + pdu.data_length;
    const std::uint32_t before = f->sequence_bytes;
    f->sequence_bytes += pdu.data_length;
    if (const auto *k = keys(m, {Parameter::max_burst_length})) {
        const bool beyond = f->sequence_bytes > k->max_burst_length;
        if (v.final() || (beyond && before <= k->max_burst_length))
            count(Rule::max_burst_length_in, beyond && before <= k->max_burst_length, pdu.frame);
    }
    if (v.final())
        f->sequence_bytes = 0;
}

// Connection allegiance: data and status come on the command's connection (RFC 7143 section 4.2.5.1).
void ConformanceTracker::allegiance(const Member &m, const Pdu &pdu) {
    const auto &group = m.unit->root()->group;
    const std::uint32_t itt = tag(pdu.view());
    if (find(m, itt) != nullptr) {
        count(Rule::allegiance, false, pdu.frame);
        return;
    }
    for (const Member *other : group)
        if (other != &m && find(*other, itt) != nullptr) {
            count(Rule::allegiance, true, pdu.frame);
            return;
        }
}

void ConformanceTracker::answer(const Member &m, const Pdu &pdu) {
    const HeaderView v = pdu.view();
    if (v.consumes_stat_sn() && pdu.knows(header_field::stat_sn)) {
        State &s = states_.of(m.index);
        if (s.next_status) {
            const std::int32_t ahead = distance(*s.next_status, v.stat_sn());
            if (ahead >= 0) // an older StatSN is a repetition
                count(Rule::stat_sn_gap, ahead > 0, pdu.frame);
        }
        if (!s.next_status || *s.next_status <= v.stat_sn())
            s.next_status = v.stat_sn() + 1;
    }
    const Opcode opcode = v.opcode();
    const bool of_task =
        opcode == Opcode::data_in || opcode == Opcode::r2t || opcode == Opcode::scsi_response;
    if (!of_task || !follows(m))
        return;
    if (m.unit->root()->group.size() > 1)
        allegiance(m, pdu);
    if (opcode == Opcode::data_in) {
        data_in(m, pdu);
    } else if (opcode == Opcode::r2t) {
        const OperationalParameters *k = keys(m, {Parameter::max_outstanding_r2t});
        if (Followed *f = find(m, tag(v)); f != nullptr && k != nullptr) {
            const std::uint32_t allowed = k->max_outstanding_r2t;
            ++f->open_r2ts;
            count(Rule::max_outstanding_r2t, f->open_r2ts > allowed, pdu.frame);
        }
    }
    if (v.has_status())
        if (Followed *f = find(m, tag(v))) {
            f->open = false;
            // Tags mostly count up: the task with a block's last tag is often its last open one.
            const std::size_t at = place(f->itt);
            if (at % block_size == block_size - 1)
                free_if_over(states_.of(m.index).tasks[at / block_size]);
        }
}

bool ConformanceTracker::free_if_over(std::unique_ptr<Block> &block) {
    if (block && std::ranges::none_of(*block, &Followed::open))
        block.reset();
    return block == nullptr;
}

void ConformanceTracker::close(const Member &m) {
    State *s = states_.find(m.index);
    if (s == nullptr)
        return;
    // Unanswered tasks stay: a PDU of theirs may come on another connection.
    std::size_t left = 0;
    for (std::unique_ptr<Block> &block : s->tasks)
        left += free_if_over(block) ? 0 : 1;
    if (left == 0)
        states_.drop(m.index);
}

void ConformanceTracker::burst(const Member &m, const BurstRecord &r) {
    const OptionalFrame frame = r.r2t_frame ? r.r2t_frame : r.first_frame;
    if (r.burst == 0) {
        if (const auto *k = keys(m, {Parameter::first_burst_length}))
            count(Rule::first_burst_length, r.sent_bytes > k->first_burst_length, frame);
        return;
    }
    if (!r.r2t_frame || !r.desired_bytes)
        return; // its R2T is not in the capture
    if (const auto *k = keys(m, {Parameter::max_burst_length}))
        count(Rule::max_burst_length_out, *r.desired_bytes > k->max_burst_length, frame);
    count(Rule::beyond_r2t, r.sent_bytes > *r.desired_bytes, frame);
}

void ConformanceTracker::task(const Member &, const CycleRecord &r) {
    // Violations of these two rules are counted in anomaly().
    rows_[static_cast<std::size_t>(Rule::data_sn_order)].checked += r.data_pdus + r.r2t_count;
    rows_[static_cast<std::size_t>(Rule::residual)].checked += r.status && r.complete ? 1 : 0;
}

void ConformanceTracker::window(const Member &m, const Pdu &pdu, bool inside) {
    // The largest MaxCmdSN is known only if all connections of the session are in the capture.
    if (m.unit->certain)
        count(Rule::command_window, !inside, pdu.frame);
}

void ConformanceTracker::anomaly(const Anomaly &a, const Member *m) {
    if (m == nullptr)
        return;
    switch (a.kind) {
    case AnomalyKind::data_sn_gap:
        count_broken(Rule::data_sn_order, a.frame);
        break;
    case AnomalyKind::residual_mismatch:
        count_broken(Rule::residual, a.frame);
        break;
    case AnomalyKind::stream_hole:
    case AnomalyKind::sync_lost:
    case AnomalyKind::resync:
        // PDUs may be missing here: the state of the open tasks is no longer known.
        if (State *s = states_.find(m->index)) {
            s->tasks = {};
            s->next_status.reset();
        }
        break;
    default:
        break;
    }
}

std::array<RuleRow, rule_count> ConformanceTracker::take() {
    for (std::size_t i = 0; i < rule_count; ++i)
        rows_[i].rule = static_cast<Rule>(i);
    return std::exchange(rows_, {});
}

} // namespace iscsiscope

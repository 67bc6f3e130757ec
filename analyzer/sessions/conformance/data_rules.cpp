// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/conformance/data_rules.h"

#include <algorithm>

namespace iscsiscope {
namespace {

// RFC 7143 section 11.7.2: an A bit asks for a SNACK, which ErrorRecoveryLevel 0 does not have.
bool asks_for_acknowledgment(HeaderView v) {
    return v.acknowledge_bit();
}

bool in_order(const MemberOccasion &o) {
    const auto *k = o.keys({Parameter::data_pdu_in_order, Parameter::data_sequence_in_order});
    return k != nullptr && k->data_pdu_in_order && k->data_sequence_in_order;
}

std::uint64_t end_of(const MemberOccasion &o) {
    return std::uint64_t{o.view.buffer_offset()} + o.pdu.data_length;
}

} // namespace

void DataRules::length(const MemberOccasion &o) {
    if (o.pdu.data_length == 0)
        return;
    if (o.pdu.direction == PduDirection::to_target) {
        if (const auto *k = o.keys({Parameter::max_recv_target})) {
            const std::uint32_t most = k->max_recv_data_segment_length_target;
            counts_.test(Rule::max_recv_to_target, o.pdu.data_length > most, o, {o.pdu.data_length, most});
        }
    } else if (const auto *k = o.keys({Parameter::max_recv_initiator})) {
        const std::uint32_t most = k->max_recv_data_segment_length_initiator;
        counts_.test(Rule::max_recv_to_initiator, o.pdu.data_length > most, o, {o.pdu.data_length, most});
    }
}

// FirstBurstLength limits immediate and unsolicited data together (RFC 7143 section 13.14). Each task counts
// once: where its unsolicited data ends, or at the PDU that goes beyond the limit.
void DataRules::first_burst(const MemberOccasion &o, const FollowedTask &task, std::uint32_t bytes_before) {
    const auto *k = o.keys({Parameter::first_burst_length});
    if (k == nullptr || task.unsolicited_bytes == 0)
        return;
    if (task.unsolicited_bytes > k->first_burst_length)
        if (bytes_before <= k->first_burst_length)
            counts_.broken(Rule::first_burst_length, o, {task.unsolicited_bytes, k->first_burst_length});
        else
            counts_.more(Rule::first_burst_length, o, task.unsolicited_bytes);
    else if (task.unsolicited_over)
        counts_.kept(Rule::first_burst_length);
}

void DataRules::immediate(const MemberOccasion &o, FollowedTask &task) {
    if (const auto *k = o.keys({Parameter::immediate_data}))
        counts_.test(Rule::immediate_not_allowed, o.pdu.data_length != 0 && !k->immediate_data, o,
                     {o.pdu.data_length, 0});
    task.unsolicited_bytes = o.pdu.data_length;
    task.unsolicited_over = o.view.final();
    if (o.pdu.data_length != 0)
        counts_.test(Rule::data_out_beyond_command, o.pdu.data_length > task.expected, o,
                     {o.pdu.data_length, task.expected});
    first_burst(o, task, 0);
}

void DataRules::data_out(const MemberOccasion &o) {
    FollowedTask *const task = o.state.tasks.find_open(o.itt());
    const bool unsolicited_data = o.view.target_transfer_tag() == TargetTransferTag::reserved;
    if (unsolicited_data)
        if (const auto *k = o.keys({Parameter::initial_r2t}))
            counts_.test(Rule::unsolicited_not_allowed, k->initial_r2t, o, {o.pdu.data_length, 0});
    if (task == nullptr)
        return;
    counts_.test(Rule::data_out_without_write, !task->writes, o);
    if (!task->writes)
        return;
    counts_.test(Rule::data_out_beyond_command, end_of(o) > task->expected, o, {end_of(o), task->expected});
    if (unsolicited_data)
        unsolicited(o, *task);
    else
        solicited(o, *task);
}

void DataRules::unsolicited(const MemberOccasion &o, FollowedTask &task) {
    counts_.test(Rule::data_out_after_final, task.unsolicited_over, o);
    if (task.unsolicited_over)
        return;
    if (o.no_recovery && in_order(o))
        counts_.test(Rule::data_out_offset, o.view.buffer_offset() != task.unsolicited_bytes, o,
                     {o.view.buffer_offset(), task.unsolicited_bytes});
    if (o.no_recovery)
        counts_.test(Rule::data_sn_order, o.view.data_sn().value != task.unsolicited_pdus, o,
                     {o.view.data_sn().value, task.unsolicited_pdus});
    ++task.unsolicited_pdus;
    const std::uint32_t before = task.unsolicited_bytes;
    task.unsolicited_bytes += o.pdu.data_length;
    task.unsolicited_over = o.view.final();
    first_burst(o, task, before);
}

void DataRules::solicited(const MemberOccasion &o, FollowedTask &task) {
    OpenR2t *const r = task.r2t(o.ttt());
    if (o.view.final() && task.open_r2ts != 0)
        --task.open_r2ts;
    if (r == nullptr) {
        if (!task.r2ts_left_out)
            o.state.suspicions.add(Rule::data_out_tag, o);
        return;
    }
    counts_.kept(Rule::data_out_tag);
    if (o.no_recovery && in_order(o))
        counts_.test(Rule::data_out_offset, o.view.buffer_offset() != r->offset + r->sent, o,
                     {o.view.buffer_offset(), r->offset + r->sent});
    if (o.no_recovery)
        counts_.test(Rule::data_sn_order, o.view.data_sn().value != r->pdus, o,
                     {o.view.data_sn().value, r->pdus});
    ++r->pdus;
    const std::uint32_t before = r->sent;
    r->sent += o.pdu.data_length;
    const bool beyond = r->sent > r->length && before <= r->length;
    if (r->sent > r->length && !beyond)
        counts_.more(Rule::beyond_r2t, o, r->sent);
    if (beyond || o.view.final())
        counts_.test(Rule::beyond_r2t, beyond, o, {r->sent, r->length});
    if (o.view.final()) {
        counts_.test(Rule::r2t_answered_short, r->sent < r->length, o, {r->sent, r->length});
        r->open = false;
    }
}

void DataRules::sequence(const MemberOccasion &o, FollowedTask &task) {
    const std::uint32_t before = task.sequence_bytes;
    task.sequence_bytes += o.pdu.data_length;
    if (const auto *k = o.keys({Parameter::max_burst_length})) {
        const bool beyond = task.sequence_bytes > k->max_burst_length && before <= k->max_burst_length;
        if (o.view.final() || beyond)
            counts_.test(Rule::max_burst_length_in, beyond, o, {task.sequence_bytes, k->max_burst_length});
    }
    if (o.view.final())
        task.sequence_bytes = 0;
}

void DataRules::data_in(const MemberOccasion &o, FollowedTask *task) {
    const HeaderView v = o.view;
    if (o.no_recovery)
        counts_.test(Rule::acknowledge_bit, asks_for_acknowledgment(v), o);
    if (v.status_bit()) {
        counts_.test(Rule::status_without_final, !v.final(), o);
        counts_.test(Rule::error_in_data_in, v.status() == 0x02, o);
        counts_.test(Rule::residual_bits, v.underflow_bit() && v.overflow_bit(), o);
    }
    if (task == nullptr)
        return;
    counts_.test(Rule::data_in_without_read, !task->reads && o.pdu.data_length != 0, o);
    if (!task->writes && o.no_recovery)
        counts_.test(Rule::data_sn_order, v.data_sn().value != task->next_data_sn, o,
                     {v.data_sn().value, task->next_data_sn});
    task->next_data_sn = v.data_sn().value + 1;
    if (o.pdu.data_length == 0 || !task->reads)
        return;
    if (in_order(o))
        counts_.test(Rule::data_offset_order, v.buffer_offset() != task->next_offset, o,
                     {v.buffer_offset(), task->next_offset});
    task->next_offset = v.buffer_offset() + o.pdu.data_length;
    if (!task->writes)
        counts_.test(Rule::data_in_beyond_command, end_of(o) > task->expected, o,
                     {end_of(o), task->expected});
    sequence(o, *task);
}

void DataRules::r2t(const MemberOccasion &o, FollowedTask *task) {
    const HeaderView v = o.view;
    const std::uint32_t length = v.desired_data_transfer_length(), offset = v.buffer_offset();
    counts_.test(Rule::r2t_of_nothing, length == 0, o);
    counts_.test(Rule::r2t_tag, v.target_transfer_tag() == TargetTransferTag::reserved, o);
    if (const auto *k = o.keys({Parameter::max_burst_length}))
        counts_.test(Rule::max_burst_length_out, length > k->max_burst_length, o,
                     {length, k->max_burst_length});
    if (task == nullptr)
        return;
    counts_.test(Rule::r2t_without_write, !task->writes, o);
    if (!task->writes)
        return;
    const std::uint64_t end = std::uint64_t{offset} + length;
    counts_.test(Rule::r2t_beyond_command, end > task->expected, o, {end, task->expected});
    if (!task->reads && o.no_recovery)
        counts_.test(Rule::data_sn_order, v.r2t_sn().value != task->next_data_sn, o,
                     {v.r2t_sn().value, task->next_data_sn});
    ++task->next_data_sn;
    if (task->next_r2t_offset != 0 && o.no_recovery && in_order(o))
        counts_.test(Rule::r2t_order, offset != task->next_r2t_offset, o, {offset, task->next_r2t_offset});
    task->next_r2t_offset = offset + length;
    ++task->open_r2ts;
    if (const auto *k = o.keys({Parameter::max_outstanding_r2t})) {
        if (task->open_r2ts > k->max_outstanding_r2t)
            o.state.suspicions.add(Rule::max_outstanding_r2t, o, {task->open_r2ts, k->max_outstanding_r2t});
        else
            counts_.kept(Rule::max_outstanding_r2t);
    }
    if (!task->r2ts)
        task->r2ts = std::make_unique<std::array<OpenR2t, 2>>();
    const auto place = std::ranges::find_if(*task->r2ts, [](const OpenR2t &r) { return !r.open; });
    if (place == task->r2ts->end())
        task->r2ts_left_out = true;
    else
        *place = {
            v.target_transfer_tag() == TargetTransferTag::reserved ? 0 : o.ttt(), offset, length, 0, 0, true};
}

} // namespace iscsiscope

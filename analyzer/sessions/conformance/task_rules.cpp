// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/conformance/task_rules.h"

namespace iscsiscope {
namespace {

constexpr std::uint8_t check_condition = 0x02;

// A connection of the session other than this one on which the task is open.
bool open_elsewhere(const MemberOccasion &o, const ByIndex<ConnectionRules> &others) {
    for (const Member *other : o.member.unit->root()->group) {
        const ConnectionRules *state = other != &o.member ? others.find(other->index) : nullptr;
        if (state != nullptr && state->tasks.find_open(o.itt()) != nullptr)
            return true;
    }
    return false;
}

bool knows_tasks(const MemberOccasion &o) {
    return o.state.from_login && o.state.tasks_known && o.no_recovery && o.alone();
}

} // namespace

FollowedTask &TaskRules::command(const MemberOccasion &o) {
    const HeaderView v = o.view;
    counts_.test(Rule::command_flags, !v.write_bit() && !v.final(), o);
    counts_.test(Rule::command_direction,
                 v.expected_data_transfer_length() != 0 && !v.read_bit() && !v.write_bit(), o);
    counts_.test(Rule::immediate_without_write, o.pdu.data_length != 0 && !v.write_bit(), o);
    counts_.test(Rule::task_attribute, (v.flags() & 0x07) > 4, o);
    counts_.test(Rule::tag_reserved, v.initiator_task_tag() == InitiatorTaskTag::reserved, o);
    if (knows_tasks(o)) {
        if (o.state.tasks.find_open(o.itt()) != nullptr)
            o.state.suspicions.add(Rule::tag_in_use, o);
        else
            counts_.kept(Rule::tag_in_use);
    }
    FollowedTask &task = o.state.tasks.begin(o.itt());
    task.expected = v.expected_data_transfer_length();
    task.cmd_sn = v.cmd_sn().value;
    task.reads = v.read_bit();
    task.writes = v.write_bit();
    return task;
}

FollowedTask *TaskRules::answer(const MemberOccasion &o, const ByIndex<ConnectionRules> &others) {
    FollowedTask *const task = o.state.tasks.find(o.itt());
    const bool open = task != nullptr && task->open;
    if (!o.alone()) {
        if (open)
            counts_.kept(Rule::allegiance);
        else if (open_elsewhere(o, others)) {
            counts_.broken(Rule::allegiance, o);
            return nullptr;
        }
    }
    if (knows_tasks(o) && !o.state.tasks.left_out()) {
        const bool after = task != nullptr && !open;
        if (after)
            o.state.suspicions.add(Rule::after_status, o);
        else
            counts_.kept(Rule::after_status);
        if (task == nullptr)
            o.state.suspicions.add(Rule::unknown_task, o);
        else
            counts_.kept(Rule::unknown_task);
    }
    return open ? task : nullptr;
}

void TaskRules::response(const MemberOccasion &o) {
    const HeaderView v = o.view;
    counts_.test(Rule::residual_bits, (v.underflow_bit() && v.overflow_bit()) || (v.flags() & 0x18) == 0x18,
                 o);
    counts_.test(Rule::response_code, v.response() >= 0x02 && v.response() < 0x80, o);
    if (v.response() == 0 && v.status() == check_condition)
        counts_.test(Rule::sense_missing, o.pdu.data_length == 0, o);
}

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/ledger/held_work.h"

#include <algorithm>

namespace iscsiscope {
namespace {

// Which end a task awaits, and since when the cause has passed.
struct Awaited {
    bool initiator = false;
    Time since{};
    bool at_once = false; // the initiator has had its data all along: no round trip lies before it
};

Awaited awaited(const Task &task, const Slab<BurstTracker> &bursts, const WorkContext &context) {
    const CommandHole &left_out = context.left_out;
    const Time sent = std::max(task.start, task.delivered().value_or(task.start));
    Time command = context.to_target.arrived(sent);
    if (task.has_command && !task.immediate) {
        if (left_out.before(CmdSn{task.cmd_sn}))
            return {true, command, true}; // the target may not run it
        command = left_out.runs_from(CmdSn{task.cmd_sn}, command);
    }
    if (task.writing == no_task)
        return {false, command, false};
    const BurstTracker &data = bursts[task.writing];
    if (const std::optional<Time> asked = data.due_since())
        return {true, context.to_initiator.arrived(*asked), false};
    if (task.unsolicited_follows && !data.unsolicited_complete())
        return {true, sent, true};
    return {false, std::max(command, context.to_target.arrived(data.last_data().value_or(sent))), false};
}

} // namespace

HeldWork held_work(const TaskTable &tasks, const Slab<BurstTracker> &bursts, const OpenTasks &open,
                   const WorkContext &context) {
    constexpr int most = 8; // younger tasks hardly have waited longer
    HeldWork held;
    held.open = open.count > 0;
    if (!held.open)
        return held;
    held.lun = tasks[open.first].lun;
    held.type = tasks[open.first].type;
    held.oldest = tasks[open.first].cycle;
    int left = most;
    for (TaskIndex i = open.first; i != no_task && left > 0; i = tasks[i].next, --left) {
        const Awaited a = awaited(tasks[i], bursts, context);
        if (i == open.first)
            held.oldest_awaits_target = !a.initiator;
        const std::optional<Duration> &tap_rtt =
            a.initiator ? context.tap_rtts.to_initiator : context.tap_rtts.to_target;
        held.tap_rtt_known &= a.at_once || tap_rtt.has_value();
        Time &at = a.initiator ? held.at_initiator : held.at_target;
        at = std::min(at, a.since + (a.at_once ? Duration{} : tap_rtt.value_or(Duration{})));
    }
    if (context.sending)
        held.at_initiator = Time::min();
    return held;
}

} // namespace iscsiscope

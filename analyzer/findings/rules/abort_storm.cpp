// SPDX-License-Identifier: GPL-2.0-or-later
// Rule abort_storm: tasks aborted or reset by their initiator (RFC 7143 section 11.5.1).
#include "analyzer/findings/rules/rule_tools.h"

#include <algorithm>

namespace iscsiscope::rules {

Verdict abort_storm(const RuleContext &c) {
    std::uint64_t requests = 0, resets = 0, aborts = 0;
    const EventRecord *first = nullptr;
    for (const auto &[key, e] : c.facts.events) {
        if (key.first != Opcode::task_management_request)
            continue;
        requests += e.count;
        aborts +=
            key.second == 1 || key.second == 2 || key.second == 4 ? e.count : 0; // ABORT, CLEAR TASK SET
        resets += key.second >= 5 && key.second <= 7 ? e.count : 0; // LOGICAL UNIT RESET, TARGET RESETs
        for (const EventRecord &r : e.first)
            if (first == nullptr || r.time < first->time)
                first = &r;
    }
    const OutcomeFacts &aborted = c.facts.of(TaskOutcome::aborted), &reset = c.facts.of(TaskOutcome::reset);
    if (requests == 0)
        return none("no task was aborted and no unit reset");
    Finding f = begin_finding(FindingKind::abort_storm, c);
    const std::uint64_t tasks = aborted.count + reset.count;
    const std::uint64_t lost = c.facts.of(TaskOutcome::connection_lost).count;
    const std::uint64_t open = c.facts.of(TaskOutcome::unanswered).count;
    if (tasks > 0 || requests >= 3)
        f.nature = Nature::failure;
    if (resets == 0 || aborts == 0)
        f.title = resets > 0 ? "LUNs or targets were reset" : "Commands were aborted";
    f.sentence =
        "Initiators asked for " +
        listed({some(aborts, "abort of commands", "aborts of commands"),
                some(resets, "reset of a LUN or target", "resets of LUNs or targets"),
                some(requests - resets - aborts, "other task management function",
                     "other task management functions")}) +
        "; " +
        (tasks > 0 ? human::plural(tasks, "command", "commands") + " ended without an answer after up to " +
                         human::duration(std::max(aborted.longest, reset.longest))
         : lost > 0 ? human::plural(lost, "command was", "commands were") + " lost with the connection"
         : open > 0 ? human::plural(open, "command has", "commands have") + " no answer in the capture"
                    : std::string("no command was left without an answer")) +
        "." + lost_sentence(f, c.lost.to(FindingKind::abort_storm));
    const OutcomeFacts &earlier =
        aborted.count > 0 &&
                (reset.count == 0 || aborted.first_command.value_or(0) < reset.first_command.value_or(0))
            ? aborted
            : reset;
    f.evidence.clear();
    add_evidence(f, earlier.first_command, "the first command that was given up");
    if (first != nullptr)
        add_evidence(f, first->frame, "the first task management request");
    for (const LedgerEntry &e : c.lost.to(FindingKind::abort_storm).waits.worst)
        add_evidence(f, e);
    add_figure(f, "requests", static_cast<double>(requests));
    add_figure(f, "resets", static_cast<double>(resets));
    add_figure(f, "commands_given_up", static_cast<double>(tasks));
    f.remedy =
        "Find what delayed the first command that was given up: the target's storage, packet loss or "
        "a lost answer. Do not only raise the SCSI timeout (Linux: /sys/block/…/device/timeout, "
        "default 30 s): that hides the cause. Windows logs such resets as event 129 (Storport), ESXi as "
        "H:0x5 (abort) or H:0x8 (reset).";
    also(f, FindingKind::slow_target, c.lost.to(FindingKind::slow_target).waits.count > 0);
    also(f, FindingKind::packet_loss, segments_of(c.facts).lost > 0);
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

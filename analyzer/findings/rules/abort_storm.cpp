// SPDX-License-Identifier: GPL-2.0-or-later
// Rule abort_storm: tasks aborted or reset by their initiator (RFC 7143 section 11.5.1).
#include "analyzer/findings/rules/rule_tools.h"

#include <algorithm>

namespace iscsiscope::rules {

Verdict abort_storm(const RuleContext &c) {
    std::uint64_t requests = 0, resets = 0;
    const EventRecord *first = nullptr;
    for (const auto &[key, e] : c.facts.events) {
        if (key.first != Opcode::task_management_request)
            continue;
        requests += e.count;
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
    f.failure = tasks > 0 || requests >= 3;
    f.severity = f.failure ? Severity::problem : Severity::notice;
    f.sentence = human::plural(requests - resets, "abort", "aborts") + " and " +
                 human::plural(resets, "reset", "resets") + " were asked for; " +
                 human::plural(tasks, "command", "commands") + " ended without an answer of their own";
    if (tasks > 0)
        f.sentence += ", the longest wait " + human::duration(std::max(aborted.longest, reset.longest));
    f.sentence += ".";
    const OutcomeFacts &earlier =
        aborted.count > 0 && (reset.count == 0 || aborted.first_command < reset.first_command) ? aborted
                                                                                               : reset;
    f.evidence.clear();
    add_evidence(f, earlier.first_command, "the first command that was given up");
    if (first != nullptr)
        add_evidence(f, first->frame, "the first task management request");
    for (const GapRecord &gap : c.lost.to(FindingKind::abort_storm).waits.worst)
        add_evidence(f, gap);
    add_figure(f, "requests", static_cast<double>(requests));
    add_figure(f, "resets", static_cast<double>(resets));
    add_figure(f, "commands_given_up", static_cast<double>(tasks));
    f.remedy =
        "Look at what delayed the first command given up: the target's storage, loss on the path, or a lost "
        "answer. A longer SCSI timeout (Linux: /sys/block/…/device/timeout, 30 s) hides it only.";
    also(f, FindingKind::slow_target, c.lost.to(FindingKind::slow_target).waits.count > 0);
    also(f, FindingKind::packet_loss, total(c.facts, segments_lost) > 0);
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

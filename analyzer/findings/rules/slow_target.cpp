// SPDX-License-Identifier: GPL-2.0-or-later
// Rule slow_target: the target's service time, without the network, by LUN.
#include "analyzer/findings/rules/rule_tools.h"

#include <algorithm>

namespace iscsiscope::rules {

Verdict slow_target(const RuleContext &c) {
    const Lost &lost = c.lost.to(FindingKind::slow_target);
    const LunFacts *worst = nullptr;
    const auto sum = [](const LunFacts &l) { return l.service.sum(); };
    for (const LunFacts &l : c.facts.luns)
        if (l.service.count() > 0 && (worst == nullptr || sum(l) > sum(*worst)))
            worst = &l;
    const std::uint64_t full = c.facts.of(TaskOutcome::task_set_full).count,
                        busy = c.facts.of(TaskOutcome::busy).count;
    if (lost.waits.count == 0 && full + busy == 0)
        return none(worst == nullptr ? "no service time could be separated from the network's"
                                     : "the target answered within " + words(quantile(worst->service, 0.99)) +
                                           " in 99 % of the cases, network taken off");
    Finding f = begin_finding(FindingKind::slow_target, c);
    // A few late answers of a target that is usually fast are ordinary: a cold cache, a scheduler's tick.
    const std::optional<Duration> usual = worst != nullptr ? quantile(worst->service, 0.5) : std::nullopt;
    const bool fast = usual && *usual < std::chrono::milliseconds(2);
    if (full + busy == 0 && fast &&
        (f.share < problem_from || lost.waits.own_median() < std::chrono::milliseconds(5)))
        return none(human::plural(lost.waits.count, "late answer", "late answers") + " (" +
                    words(f.lost_time) + ") of a target whose median service time is " + words(usual));
    const bool long_waits = lost.waits.own_median() >= std::chrono::milliseconds(2);
    f.severity = f.share >= 0.25 && costs_much(f, lost.waits.count) && long_waits ? Severity::problem
                                                                                  : Severity::notice;
    f.sentence =
        "The target took longer than the network and a millisecond to answer: " + lost_words(f, lost) +
        "; half of these answers took it longer than " + words(quantile(lost.waits.own, 0.5)) + ".";
    if (worst != nullptr) {
        f.lun = worst->lun;
        f.session = worst->session;
        f.sentence +=
            " Service time, network taken off: median " + words(quantile(worst->service, 0.5)) + ", 99 % " +
            words(quantile(worst->service, 0.99)) + ", longest " + words(quantile(worst->service, 1)) +
            " over " + human::plural(worst->service.count(), "command", "commands") + " of the busiest LUN" +
            (worst->service.count() < worst->answered ? ", of " + human::count(worst->answered) + " answered."
                                                      : ".");
        add_figure(f, "service_median", quantile(worst->service, 0.5).value_or(Duration{}));
        add_figure(f, "service_p99", quantile(worst->service, 0.99).value_or(Duration{}));
        for (const LunFacts::Slowest &s : worst->slowest) {
            add_evidence(f, s.command_frame, "command that took " + human::duration(s.service));
            add_evidence(f, s.answer_frame, "its answer");
        }
    }
    if (full + busy > 0) {
        f.sentence += " The target refused " + human::plural(full, "command", "commands") +
                      " with TASK SET FULL and " + human::count(busy) + " with BUSY.";
        if (full + busy >= 5)
            f.severity = Severity::problem;
        const TaskOutcome more = full >= busy ? TaskOutcome::task_set_full : TaskOutcome::busy;
        add_evidence(f, c.facts.of(more).first_end, full >= busy ? "TASK SET FULL" : "BUSY");
        add_figure(f, "task_set_full", static_cast<double>(full));
        add_figure(f, "busy", static_cast<double>(busy));
    }
    f.remedy =
        "Look at the storage behind the target: its medium, cache and load from others. Spread the LUN over "
        "more disks, or move what competes with it; lower the initiators' queue depth if TASK SET FULL or "
        "BUSY is answered.";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

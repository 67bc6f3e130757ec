// SPDX-License-Identifier: GPL-2.0-or-later
// Rule application_idle: the host has no task outstanding, so that neither network nor target limits.
#include "analyzer/findings/rules/rule_tools.h"

namespace iscsiscope::rules {

Verdict application_idle(const RuleContext &c) {
    const Lost &lost = c.lost.to(FindingKind::application_idle);
    if (lost.waits.count == 0)
        return none("the host always had the next command ready");
    Finding f = begin_finding(FindingKind::application_idle, c);
    f.trait = true;
    f.severity = Severity::notice;
    // A pause of the host is no lost time: its share is one of the active life. A pause that is long against
    // the others separates bursts of I/O, as between a disk scan and a test.
    const Duration break_from = 10 * lost.waits.own_median();
    Duration between{};
    for (const ConnectionFacts &k : c.facts.connections)
        for (const Duration pause : k.long_pauses)
            if (pause > break_from)
                between += pause;
    const Duration paused = lost.waits.without_task - between;
    if (paused <= Duration{})
        return none("the host paused only between bursts of I/O, for " + human::duration(between) +
                    " in all");
    f.lost_time = f.task_time = Duration{};
    f.share = f.concerned_share = ratio(paused, c.active() - between);
    f.sentence = "The host had no command to send for " + human::duration(paused) + " (" + percent(f.share) +
                 " of its working time, long breaks left out) in " +
                 human::plural(lost.waits.count, "pause", "pauses") +
                 (lost.waits.count > 1 ? ", half of them longer than " + words(quantile(lost.waits.own, 0.5))
                                       : std::string()) +
                 ". Neither the network nor the target caused these pauses.";
    for (const GapRecord &gap : lost.waits.worst)
        if (between > Duration{} && gap.length > break_from)
            for (EvidenceFrame &e : f.evidence)
                if (e.frame == gap.before_frame)
                    e.word += " (a long break, left out)";
    f.remedy =
        "If more throughput is wanted, look at the program that asks for the data: let it send several "
        "requests at once (more threads, asynchronous I/O) or read ahead (Linux: blockdev --setra).";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

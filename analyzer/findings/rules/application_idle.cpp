// SPDX-License-Identifier: GPL-2.0-or-later
// Rule application_idle: the host has no task outstanding, so that neither network nor target limits.
#include "analyzer/findings/rules/rule_tools.h"

namespace iscsiscope::rules {

Verdict application_idle(const RuleContext &c) {
    IdlePauses idle;
    for (const ConnectionFacts &k : c.facts.connections)
        // Captured near the target, the host may still be receiving: it is not idle.
        if (quantile(k.idle.own, 0.5).value_or(Duration{}) >
            queueing_to_receiver(k, PduDirection::to_initiator))
            idle.merge(k.idle);
    if (idle.count == 0)
        return none("the host always had the next command ready");
    Finding f = begin_finding(FindingKind::application_idle);
    // A pause of the host is no lost time: its share is one of the active life. A pause that is long against
    // the others separates bursts of I/O, as between a disk scan and a test.
    const Duration break_from = 10 * quantile(idle.own, 0.5).value_or(Duration{});
    Duration between{};
    for (const Duration pause : idle.long_ones)
        if (pause > break_from)
            between += pause;
    const Duration paused = idle.time - between;
    if (paused <= Duration{})
        return none("the host paused only between bursts of I/O, for " + human::duration(between) +
                    " in all");
    add_figure(f, "waits", static_cast<double>(idle.count));
    add_figure(f, "median_wait_of_the_awaited_end", quantile(idle.own, 0.5).value_or(Duration{}));
    for (const GapRecord &gap : idle.worst) {
        const bool left_out = between > Duration{} && gap.length > break_from;
        add_evidence(f, gap.before_frame,
                     "last packet before " + human::duration(gap.length) + " of silence" +
                         (left_out ? " (a long break, left out)" : ""));
        add_evidence(f, gap.after_frame, "the next command");
    }
    f.share = f.concerned_share = ratio(paused, c.active() - between);
    f.at_most = Severity::notice;
    f.sentence =
        "The host had no command to send for " + human::duration(paused) + " (" + percent(f.share) +
        " of its working time, long breaks left out) in " + human::plural(idle.count, "pause", "pauses") +
        (idle.count > 1 ? ", half of them longer than " + words(quantile(idle.own, 0.5)) : std::string()) +
        ". Neither the network nor the target caused these pauses.";
    f.remedy =
        "If more throughput is wanted, look at the program that asks for the data: let it send several "
        "requests at once (more threads, asynchronous I/O) or read ahead (Linux: blockdev --setra).";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

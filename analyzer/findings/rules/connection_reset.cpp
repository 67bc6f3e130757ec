// SPDX-License-Identifier: GPL-2.0-or-later
// Rule connection_reset: a connection ended with tasks open, by RST, new SYN on its ports, or new login.
#include "analyzer/findings/rules/rule_tools.h"

namespace iscsiscope::rules {

Verdict connection_reset(const RuleContext &c) {
    const OutcomeFacts &lost_tasks = c.facts.of(TaskOutcome::connection_lost);
    std::uint64_t resets = 0;
    const ConnectionFacts *first = nullptr;
    for (const ConnectionFacts &k : c.facts.connections)
        if (k.record.outcome == ConnectionOutcome::reset || k.record.outcome == ConnectionOutcome::reused) {
            ++resets;
            if (first == nullptr || k.record.end < first->record.end)
                first = &k;
        }
    const Lost &lost = c.lost.to(FindingKind::connection_reset);
    const Lost &pings = c.lost.to(FindingKind::nop_timeout);
    if (lost_tasks.count == 0 && lost.waits.count == 0)
        return none(resets == 0 ? "every connection ended in order or outlived the capture"
                                : human::plural(resets, "connection was", "connections were") +
                                      " reset with no command open, as a logout may do");
    if (pings.waits.count > 0 && lost.waits.count == 0)
        return none("the connections that broke had pings without an answer: see nop_timeout");
    Finding f = begin_finding(FindingKind::connection_reset, c);
    f.failure = f.consequence = true;
    f.severity = Severity::problem;
    f.sentence = human::plural(lost_tasks.count, "command", "commands") + " lost their connection";
    if (resets > 0)
        f.sentence += "; " + human::plural(resets, "connection was", "connections were") + " reset";
    if (lost.waits.count > 0)
        f.sentence += "; nothing got through for " + lost_words(f, lost);
    f.sentence += ".";
    add_evidence(f, lost_tasks.first_command, "the first command that lost its connection");
    if (first != nullptr) {
        f.stream = first->record.stream;
        add_evidence(f, first->record.last_frame, "last frame of the first connection that broke");
    }
    add_figure(f, "connections_reset", static_cast<double>(resets));
    add_figure(f, "commands_lost", static_cast<double>(lost_tasks.count));
    f.remedy =
        "Look at the end that sent the RST or FIN, and at its log for that moment: a target that restarts, a "
        "firewall that forgets idle connections, a protocol error before it.";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

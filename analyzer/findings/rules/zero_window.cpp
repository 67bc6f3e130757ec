// SPDX-License-Identifier: GPL-2.0-or-later
// Rule zero_window: a receiver whose program does not read closes its window (RFC 9293 section 3.8.6.1).
#include "analyzer/findings/rules/rule_tools.h"

namespace iscsiscope::rules {

Verdict zero_window(const RuleContext &c) {
    const Lost &lost = c.lost.to(FindingKind::zero_window);
    TcpWaits closed;
    bool by_target = false;
    OptionalFrame frame;
    for (const ConnectionFacts &k : c.facts.connections)
        for (const auto *d : {&k.to_target, &k.to_initiator})
            if (*d && (*d)->zero_window.count > 0) {
                closed.count += (*d)->zero_window.count;
                closed.total += (*d)->zero_window.total;
                if ((*d)->zero_window.longest > closed.longest) {
                    closed.longest = (*d)->zero_window.longest;
                    frame = (*d)->zero_window.longest_frame;
                    by_target = d == &k.to_target;
                }
            }
    if (closed.count == 0)
        return none("no receiver announced a window of zero");
    if (lost.waits.count == 0)
        return none("a window of zero was announced " + human::plural(closed.count, "time", "times") +
                    ", but no connection stalled because of it");
    Finding f = begin_finding(FindingKind::zero_window, c);
    const std::string who = by_target ? "target" : "initiator";
    f.title = "The " + who + " stops taking data (zero window)";
    f.sentence = capitalized(ends_of(c.facts, lost, by_target)) + " announced a receive window of zero " +
                 human::plural(closed.count, "time", "times") + ", for " + human::duration(closed.total) +
                 " in all, and the " + (by_target ? "initiator" : "target") + " could send nothing." +
                 lost_sentence(f, lost);
    add_figure(f, "zero_windows", static_cast<double>(closed.count));
    add_figure(f, "zero_window_time", closed.total);
    add_evidence(f, frame, "opened the window after the longest time at zero");
    f.remedy = "Find what keeps the " + who + "'s program from reading its data: processor load" +
               (by_target ? ", or the storage that it writes to" : " or a stopped program") +
               ". Do not only enlarge the receive buffer: that only delays the zero window.";
    also(f, FindingKind::slow_target, by_target && c.lost.to(FindingKind::slow_target).waits.count > 0);
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

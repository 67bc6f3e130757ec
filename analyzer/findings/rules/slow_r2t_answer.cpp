// SPDX-License-Identifier: GPL-2.0-or-later
// Rule slow_r2t_answer: an initiator answers R2Ts late because it prefers new commands or its sender is busy.
#include "analyzer/findings/rules/keys_in_force.h"
#include "analyzer/findings/rules/rule_tools.h"

namespace iscsiscope::rules {

Verdict slow_r2t_answer(const RuleContext &c) {
    const Lost &lost = c.lost.to(FindingKind::slow_r2t_answer);
    if (c.facts.of(TaskType::write).r2ts == 0)
        return none("no Write needed an R2T");
    if (lost.waits.count == 0)
        return none("every R2T was answered within the round trip or a millisecond");
    Finding f = begin_finding(FindingKind::slow_r2t_answer, c);
    // A scheduler's tick now and then is nobody's problem.
    if (lost.waits.count * 2 < c.facts.of(TaskType::write).r2ts && lost.waits.own_median() <= longest_tick)
        f.severity = Severity::notice;
    f.sentence =
        "The initiator let R2Ts or data under way wait: " + lost_words(f, lost) + half_words(lost) + ".";
    f.remedy =
        "Look at the initiator's processor and sending thread; let it send less data with its commands "
        "(lower FirstBurstLength, ImmediateData=No) if new commands go before the R2Ts' data." +
        keys_in_force(c, {"ImmediateData", "FirstBurstLength"});
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

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
        f.at_most = Severity::notice;
    const ConnectionFacts *k = connection_of(c.facts, lost.worst_stream());
    f.sentence = capitalized(ends_of(c.facts, lost, false)) +
                 " answered R2Ts or went on with Write data late, by " +
                 words(quantile(lost.waits.own, 0.5)) + " at the median beyond the network's time" +
                 (k != nullptr ? round_trip_words(k->rtt()) : "") + "." + lost_sentence(f, lost);
    f.remedy = "Look at the initiator's processor load and its iSCSI sending thread. If new commands are "
               "sent before the data that R2Ts ask for, let commands carry less data (lower "
               "FirstBurstLength, ImmediateData=No)." +
               keys_in_force(c, {"ImmediateData", "FirstBurstLength"});
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/conformance/rule_counts.h"

#include <utility>

namespace iscsiscope {

Violation violation_of(Rule rule, const Occasion &o, RuleFigures figures) {
    Violation v;
    v.rule = rule;
    v.by = o.pdu.direction;
    v.stream = o.stream;
    v.frame = o.pdu.frame;
    v.time = o.pdu.delivered;
    v.opcode = o.view.opcode();
    if (o.view.has_initiator_task_tag() && o.view.initiator_task_tag() != InitiatorTaskTag::reserved)
        v.itt = o.itt();
    v.figures = figures;
    return v;
}

void RuleCounts::broken(Rule rule, const Occasion &o, RuleFigures figures) {
    broken(violation_of(rule, o, figures));
}

void RuleCounts::broken(const Violation &v, std::optional<std::uint32_t> next_request) {
    kept(v.rule);
    broken_at(v.rule, known_frame(v.frame));
    violations_.add(v, next_request);
}

void RuleCounts::broken_at(Rule rule, OptionalFrame frame) {
    RuleRow &r = row(rule);
    ++r.broken;
    if (r.first_frames.size() < cases_kept)
        r.first_frames.push_back(frame);
}

std::array<RuleRow, rule_count> RuleCounts::take() {
    for (std::size_t i = 0; i < rule_count; ++i)
        rows_[i].rule = static_cast<Rule>(i);
    return std::exchange(rows_, {});
}

} // namespace iscsiscope

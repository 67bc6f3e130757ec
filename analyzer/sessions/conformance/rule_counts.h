// SPDX-License-Identifier: GPL-2.0-or-later
// RuleCounts: the row of each rule. The checks of the fields of duty (DataRules, NumberRules, ...) state here
// whether a PDU keeps a rule; what is broken also goes to Violations.
#pragma once

#include "analyzer/sessions/conformance/violations.h"
#include "analyzer/sessions/figures/conformance.h"

#include <array>

namespace iscsiscope {

// A PDU of a connection, as the checks receive it.
struct Occasion {
    StreamId stream;
    const Pdu &pdu;
    HeaderView view;

    Occasion(StreamId s, const Pdu &p) : stream(s), pdu(p), view(p.view()) {}
    std::uint32_t itt() const { return static_cast<std::uint32_t>(view.initiator_task_tag()); }
    std::uint32_t ttt() const { return static_cast<std::uint32_t>(view.target_transfer_tag()); }
};

class RuleCounts {
public:
    static constexpr std::size_t cases_kept = 5;

    explicit RuleCounts(Violations &violations) : violations_(violations) {}

    void kept(Rule rule, std::uint64_t times = 1) { row(rule).checked += times; }
    // The rule was tested, and this PDU breaks it.
    void broken(Rule, const Occasion &, RuleFigures = {});
    void test(Rule rule, bool is_broken, const Occasion &o, RuleFigures figures = {}) {
        if (is_broken)
            broken(rule, o, figures);
        else
            kept(rule);
    }
    // The breach of this PDU's task went on: so much was done by now.
    void more(Rule rule, const Occasion &o, std::uint64_t done) {
        violations_.more(rule, o.stream, o.itt(), done);
    }
    // Of a breach of which only the frame is known.
    void broken_at(Rule, OptionalFrame);
    // A breach that was found before; next_request: the tag of the first request after it, if one came.
    void broken(const Violation &, std::optional<std::uint32_t> next_request = {});

    std::array<RuleRow, rule_count> take();

private:
    RuleRow &row(Rule rule) { return rows_[static_cast<std::size_t>(rule)]; }

    Violations &violations_;
    std::array<RuleRow, rule_count> rows_{};
};

// What a check found in this PDU.
Violation violation_of(Rule, const Occasion &, RuleFigures);

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// A rule: one cause, what it looks like, what to do. Rules stand in one list (rules.cpp), each in a file
// of its own.
#pragma once

#include "analyzer/findings/attribution/attribution.h"

#include <span>

namespace iscsiscope {

struct RuleContext {
    const FindingsInput &in;
    const Facts &facts;
    const Attribution &lost;

    Duration active() const { return lost.active(); }
};

// A finding, or why it is none.
struct Verdict {
    std::optional<Finding> finding;
    std::string why_not;
};

struct NamedRule {
    FindingKind kind;
    Verdict (*judge)(const RuleContext &);
};
// In the order of FindingKind.
std::span<const NamedRule> finding_rules();

} // namespace iscsiscope

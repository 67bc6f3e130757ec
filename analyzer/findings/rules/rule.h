// SPDX-License-Identifier: GPL-2.0-or-later
// A rule decides whether one cause is present. Each kind of kinds.h has its rule in rules/<kind>.cpp.
#pragma once

#include "analyzer/findings/attribution/attribution.h"

namespace iscsiscope {

struct RuleContext {
    const FindingsInput &in;
    const Facts &facts;
    const Attribution &lost;

    Duration active() const { return lost.active(); }
    Duration busy() const { return lost.busy(); }
};

// A finding, or the reason why the cause is ruled out.
struct Verdict {
    std::optional<Finding> finding;
    std::string why_not;
};

namespace rules {
#define ISCSISCOPE_DECLARATION(kind, ...) Verdict kind(const RuleContext &);
ISCSISCOPE_FINDING_KINDS(ISCSISCOPE_DECLARATION)
#undef ISCSISCOPE_DECLARATION
} // namespace rules

struct NamedRule {
    FindingKind kind;
    Verdict (*judge)(const RuleContext &);
};
#define ISCSISCOPE_RULE(kind, ...) {FindingKind::kind, rules::kind},
inline constexpr NamedRule finding_rules[] = {ISCSISCOPE_FINDING_KINDS(ISCSISCOPE_RULE)};
#undef ISCSISCOPE_RULE

} // namespace iscsiscope

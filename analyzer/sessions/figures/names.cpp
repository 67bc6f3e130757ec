// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/figures/session_figures.h"

#include <algorithm>

namespace iscsiscope {
namespace {

struct RuleText {
    std::string_view section;
    Offender offender;
    std::string_view explanation;
};

#define ISCSISCOPE_RULE_TEXT(value, section, offender, explanation)                                          \
    {section, Offender::offender, explanation},
constexpr RuleText rules[] = {ISCSISCOPE_RULES(ISCSISCOPE_RULE_TEXT)};

} // namespace

std::string_view section(Rule r) {
    return rules[static_cast<std::size_t>(r)].section;
}
std::string_view explanation(Rule r) {
    return rules[static_cast<std::size_t>(r)].explanation;
}
Offender offender(Rule r) {
    return rules[static_cast<std::size_t>(r)].offender;
}

const SessionGroup *SessionFigures::group_of_stream(StreamId stream) const {
    for (const SessionGroup &g : groups)
        if (std::binary_search(g.streams.begin(), g.streams.end(), stream))
            return &g;
    return nullptr;
}

} // namespace iscsiscope

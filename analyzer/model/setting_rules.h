// SPDX-License-Identifier: GPL-2.0-or-later
// ISCSISCOPE_SETTINGS as a table.
#pragma once

#include "analyzer/model/model.h"

namespace iscsiscope {

struct SettingRule {
    std::string_view name, example; // of a value
    SettingKind kind{};
    double least = 0, most = 0;
    double min_tried = 0, max_tried = 0;
    bool writes_only = false;
};

#define ISCSISCOPE_SETTING_RULE(value, ...) {__VA_ARGS__},
inline constexpr SettingRule setting_rules[] = {ISCSISCOPE_SETTINGS(ISCSISCOPE_SETTING_RULE)};

inline constexpr const SettingRule &rule_of(SettingName s) {
    return setting_rules[static_cast<std::size_t>(s)];
}

} // namespace iscsiscope

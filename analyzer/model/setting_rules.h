// SPDX-License-Identifier: GPL-2.0-or-later
// What each setting of a prediction is called, which values it takes, and which of them key_verdicts() tries.
#pragma once

#include "analyzer/model/model.h"

#include <array>

namespace iscsiscope {

enum class SettingKind : std::uint8_t { yes_no, count, size, time, share };

// Values of login keys: all that RFC 7143 allows (sections 13.10, 13.11, 13.13, 13.14 and 13.17). Values
// tried of others: what initiators can be set to. Of the path's own settings (delay, loss), which are those
// of no end, none is tried.
struct SettingRule {
    std::string_view name, example; // of a value
    SettingKind kind{};
    double least = 0, most = 0;
    double min_tried = 0, max_tried = 0;
    bool writes_only = false;
};

inline constexpr double longest_burst = 16777215;
inline constexpr std::array<SettingRule, 13> setting_rules{{
    {"block", "256KiB", SettingKind::size, 512, 0x1p32, 0x1p12, 0x1p22},
    {"MaxBurstLength", "1MiB", SettingKind::size, 512, longest_burst, 512, longest_burst, true},
    {"FirstBurstLength", "256KiB", SettingKind::size, 512, longest_burst, 512, longest_burst, true},
    {"InitialR2T", "No", SettingKind::yes_no, 0, 1, 0, 1, true},
    {"ImmediateData", "Yes", SettingKind::yes_no, 0, 1, 0, 1, true},
    {"MaxOutstandingR2T", "4", SettingKind::count, 1, 65535, 1, 65535, true},
    {"depth", "32", SettingKind::count, 1, 65535, 1, 128}, // open-iscsi: the default of node.session.cmds_max
    {"connections", "4", SettingKind::count, 1, 65535, 1, 8},
    {"window", "1MiB", SettingKind::size, 1024, 0x1p30, 0x1p16, 0x1p24},
    {"delay", "5ms", SettingKind::time, 0, 60e9},
    {"loss", "0.1%", SettingKind::share, 0, 0.5},
    {"phase-collapse", "Yes", SettingKind::yes_no, 0, 1, 0, 1},
    {"TCP_NODELAY", "Yes", SettingKind::yes_no, 0, 1, 0, 1},
}};
static_assert(setting_rules.size() == static_cast<std::size_t>(SettingName::no_delay) + 1);

inline constexpr const SettingRule &rule_of(SettingName s) {
    return setting_rules[static_cast<std::size_t>(s)];
}

} // namespace iscsiscope

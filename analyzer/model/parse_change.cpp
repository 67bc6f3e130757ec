// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/model/parse_change.h"

#include "analyzer/base/text/nearest_name.h"
#include "analyzer/base/units.h"

#include <algorithm>
#include <vector>

namespace iscsiscope {
namespace {

// The type and the bounds of a setting's value (for keys: RFC 7143 section 13).
struct SettingRule {
    SettingName setting;
    Unit unit; // none: a count
    bool yes_no;
    double least, most;
    const char *example;
};
constexpr SettingRule setting_rules[] = {
    {SettingName::block_size, Unit::bytes, false, 512, 0x1p32, "block=256KiB"},
    {SettingName::max_burst_length, Unit::bytes, false, 512, 16777215, "MaxBurstLength=1MiB"},
    {SettingName::first_burst_length, Unit::bytes, false, 512, 16777215, "FirstBurstLength=256KiB"},
    {SettingName::initial_r2t, Unit::none, true, 0, 1, "InitialR2T=No"},
    {SettingName::immediate_data, Unit::none, true, 0, 1, "ImmediateData=Yes"},
    {SettingName::max_outstanding_r2t, Unit::none, false, 1, 65535, "MaxOutstandingR2T=4"},
    {SettingName::depth, Unit::none, false, 1, 65535, "depth=32"},
    {SettingName::connections, Unit::none, false, 1, 65535, "connections=4"},
    {SettingName::window, Unit::bytes, false, 1024, 0x1p30, "window=1MiB"},
    {SettingName::delay, Unit::time, false, 0, 60e9, "delay=5ms"},
    {SettingName::loss, Unit::share, false, 0, 0.5, "loss=0.1%"},
    {SettingName::phase_collapse, Unit::none, true, 0, 1, "phase-collapse=Yes"},
    {SettingName::no_delay, Unit::none, true, 0, 1, "TCP_NODELAY=Yes"},
};

std::string lower(std::string_view s) {
    std::string r(s);
    std::transform(r.begin(), r.end(), r.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    return r;
}

std::string unknown_key(std::string_view key) {
    std::vector<std::string> names;
    std::string all;
    for (const SettingRule &r : setting_rules) {
        names.push_back(lower(name(r.setting)));
        all += (all.empty() ? "" : ", ") + std::string(name(r.setting));
    }
    const std::string nearest = nearest_name(lower(key), names);
    for (const SettingRule &r : setting_rules) {
        if (!nearest.empty() && lower(name(r.setting)) == nearest) {
            return "unknown setting '" + std::string(key) + "'; did you mean " +
                   std::string(name(r.setting)) + "?";
        }
    }
    return "unknown setting '" + std::string(key) + "' (known: " + all + ")";
}

} // namespace

std::vector<std::string_view> change_examples() {
    std::vector<std::string_view> all;
    for (const SettingRule &r : setting_rules)
        all.emplace_back(r.example);
    return all;
}

Result<Change> parse_change(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos)
        return Failure{"'" + std::string(text) + "' is not KEY=VALUE, as in MaxBurstLength=1MiB"};
    const std::string_view key = text.substr(0, equals), value = text.substr(equals + 1);
    const auto *rule =
        std::find_if(std::begin(setting_rules), std::end(setting_rules),
                     [&](const SettingRule &r) { return lower(name(r.setting)) == lower(key); });
    if (rule == std::end(setting_rules))
        return Failure{unknown_key(key)};
    const std::string as_in = ", as in " + std::string(rule->example);
    if (rule->yes_no) {
        const std::string v = lower(value);
        if (v != "yes" && v != "no")
            return Failure{"'" + std::string(value) + "' is neither Yes nor No" + as_in};
        return Change{rule->setting, v == "yes" ? 1.0 : 0.0};
    }
    const auto read = read_quantity(value);
    if (!read.ok() || read.value().length != value.size()) {
        return Failure{"'" + std::string(value) + "' cannot be read" +
                       (read.ok() ? "" : ": " + read.failure().message) + as_in};
    }
    const Value &v = read.value().value;
    const double amount =
        v.type() == ValueType::natural ? static_cast<double>(v.as_natural()) : v.as_number();
    const Unit unit = read.value().unit;
    // A size without a unit is in bytes, as in login keys; a share may have no unit; 0 never needs one.
    const bool bare =
        unit == Unit::none && (rule->unit == Unit::bytes || rule->unit == Unit::share || amount == 0);
    if (unit != rule->unit && !bare) {
        return Failure{"'" + std::string(value) + "' has " +
                       (unit == Unit::none ? "no unit" : "another unit") + as_in};
    }
    if (amount < rule->least || amount > rule->most) {
        return Failure{"'" + std::string(value) + "' is out of range for " +
                       std::string(name(rule->setting)) + as_in};
    }
    if (rule->unit == Unit::none && amount != static_cast<double>(static_cast<std::uint32_t>(amount)))
        return Failure{"'" + std::string(value) + "' is not a whole number" + as_in};
    return Change{rule->setting, amount};
}

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/model/parse_change.h"

#include "analyzer/base/text/nearest_name.h"
#include "analyzer/base/units.h"
#include "analyzer/model/setting_rules.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace iscsiscope {
namespace {

Unit unit_of(SettingKind kind) {
    return kind == SettingKind::size    ? Unit::bytes
           : kind == SettingKind::time  ? Unit::time
           : kind == SettingKind::share ? Unit::share
                                        : Unit::none;
}

std::string example_of(const SettingRule &r) {
    return std::string(r.name) + "=" + std::string(r.example);
}

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
        names.push_back(lower(r.name));
        all += (all.empty() ? "" : ", ") + std::string(r.name);
    }
    const std::string nearest = nearest_name(lower(key), names);
    for (const SettingRule &r : setting_rules)
        if (!nearest.empty() && lower(r.name) == nearest)
            return "unknown setting '" + std::string(key) + "'; did you mean " + std::string(r.name) + "?";
    return "unknown setting '" + std::string(key) + "' (known: " + all + ")";
}

} // namespace

std::vector<std::string> change_examples() {
    std::vector<std::string> all;
    for (const SettingRule &r : setting_rules)
        all.push_back(example_of(r));
    return all;
}

Result<Change> parse_change(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos)
        return Failure{"'" + std::string(text) + "' is not KEY=VALUE, as in MaxBurstLength=1MiB"};
    const std::string_view key = text.substr(0, equals), value = text.substr(equals + 1);
    const auto *rule = std::ranges::find_if(
        setting_rules, [&](const SettingRule &r) { return lower(r.name) == lower(key); });
    if (rule == std::end(setting_rules))
        return Failure{unknown_key(key)};
    const std::string as_in = ", as in " + example_of(*rule);
    const auto setting = static_cast<SettingName>(rule - std::begin(setting_rules));
    if (rule->kind == SettingKind::yes_no) {
        const std::string v = lower(value);
        if (v != "yes" && v != "no")
            return Failure{"'" + std::string(value) + "' is neither Yes nor No" + as_in};
        return Change{setting, v == "yes" ? 1.0 : 0.0};
    }
    const auto read = read_quantity(value);
    if (!read.ok() || read.value().length != value.size()) {
        return Failure{"'" + std::string(value) + "' cannot be read" +
                       (read.ok() ? "" : ": " + read.failure().message) + as_in};
    }
    const Value &v = read.value().value;
    const double amount =
        v.type() == ValueType::natural ? static_cast<double>(v.as_natural()) : v.as_number();
    const Unit unit = read.value().unit, wanted = unit_of(rule->kind);
    // A size without a unit is in bytes, as in login keys; a share may have no unit; 0 never needs one.
    const bool bare = unit == Unit::none && (wanted == Unit::bytes || wanted == Unit::share || amount == 0);
    if (unit != wanted && !bare) {
        return Failure{"'" + std::string(value) + "' has " +
                       (unit == Unit::none ? "no unit" : "another unit") + as_in};
    }
    if (amount < rule->least || amount > rule->most)
        return Failure{"'" + std::string(value) + "' is out of range for " + std::string(rule->name) + as_in};
    if (wanted == Unit::none && amount != static_cast<double>(static_cast<std::uint32_t>(amount)))
        return Failure{"'" + std::string(value) + "' is not a whole number" + as_in};
    return Change{setting, amount};
}

} // namespace iscsiscope

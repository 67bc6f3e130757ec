// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/scenario/read_parts.h"

namespace iscsiscope::testbed::scenario {
namespace {

std::vector<std::string> split(const std::string &key) {
    std::vector<std::string> parts(1);
    bool quoted = false;
    for (const char c : key)
        if (c == '"')
            quoted = !quoted;
        else if (c == '.' && !quoted)
            parts.emplace_back();
        else
            parts.back() += c;
    return parts;
}

void set_value(toml::table &table, const std::string &key, const std::string &value) {
    const toml::parse_result parsed = toml::parse("value = " + value + "\n");
    if (parsed && parsed.table().size() == 1)
        parsed.table().get("value")->visit([&](const auto &node) { table.insert_or_assign(key, node); });
    else
        table.insert_or_assign(key, value);
}

// Tables that a member of an array may have, and that an override makes where they are not there.
bool is_part(const std::string &key) {
    return key == "forward" || key == "backward" || key == "burst_loss" || key == "reorder" ||
           key == "options" || key == "sysctl";
}

// why: set where it returns false, if more can be said than that there is no such part.
bool descend(toml::table &table, const std::vector<std::string> &parts, std::size_t at,
             const std::string &value, std::string &why);

bool descend_array(toml::array &array, const std::vector<std::string> &parts, std::size_t at,
                   const std::string &value, std::string &why) {
    // A member is picked by its "name", by its number, or all of them are chosen.
    toml::table *picked = nullptr;
    std::size_t number = 0;
    std::vector<std::string> names;
    bool key = false; // a member has a key of this name
    for (toml::node &item : array) {
        toml::table *member = item.as_table();
        if (member != nullptr) {
            const auto name = (*member)["name"].value<std::string>();
            if (name == parts[at] || std::to_string(number) == parts[at])
                picked = member;
            if (name)
                names.push_back(*name);
            key = key || member->contains(parts[at]);
        }
        ++number;
    }
    if (picked != nullptr)
        return at + 1 < parts.size() && descend(*picked, parts, at + 1, value, why);
    if (at + 1 < parts.size() && !key && !is_part(parts[at])) {
        why = no_such(parts[at - 1], parts[at], names);
        return false;
    }
    bool done = false;
    for (toml::node &item : array)
        if (toml::table *member = item.as_table())
            done = descend(*member, parts, at, value, why) || done;
    return done;
}

bool descend(toml::table &table, const std::vector<std::string> &parts, std::size_t at,
             const std::string &value, std::string &why) {
    if (at + 1 == parts.size()) {
        set_value(table, parts[at], value); // a wrong name is refused by the reader
        return true;
    }
    toml::node *next = table.get(parts[at]);
    if (next == nullptr) {
        table.insert_or_assign(parts[at], toml::table{});
        next = table.get(parts[at]);
    }
    if (toml::table *inner = next->as_table())
        return descend(*inner, parts, at + 1, value, why);
    if (toml::array *array = next->as_array())
        return descend_array(*array, parts, at + 1, value, why);
    return false;
}

} // namespace

bool apply_override(toml::table &top, const Override &change, std::vector<Mistake> &mistakes) {
    const std::vector<std::string> parts = split(change.key);
    std::string why = "the scenario has no such part";
    if (!descend(top, parts, 0, change.value, why)) {
        mistakes.push_back({0, change.key, "--set: " + why});
        return false;
    }
    return true;
}

} // namespace iscsiscope::testbed::scenario

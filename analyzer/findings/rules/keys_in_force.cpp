// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/rules/keys_in_force.h"

#include <set>

namespace iscsiscope {
namespace {

// The values that the accepted logins of normal sessions gave the key.
std::set<std::string> values_of(const Facts &facts, std::string_view key) {
    std::set<std::string> values;
    for (const ConnectionFacts &c : facts.connections) {
        if (!c.record.login || !c.record.login->accepted || c.record.login->session_type != "Normal")
            continue;
        const std::optional<NegotiatedKey> k = c.record.login->keys.find(key);
        if (!k || k->in_force.empty())
            continue;
        values.insert(k->in_force_target.empty()
                          ? k->in_force
                          : k->in_force + " (initiator) and " + k->in_force_target + " (target)");
    }
    return values;
}

} // namespace

std::string keys_in_force(const RuleContext &c, std::initializer_list<std::string_view> names) {
    std::string all;
    for (const std::string_view name : names) {
        std::string text;
        for (const std::string &value : values_of(c.facts, name))
            text += (text.empty() ? "" : " or ") + value;
        if (!text.empty())
            all += (all.empty() ? " In force: " : ", ") + std::string(name) + "=" + text;
    }
    return all.empty() ? all : all + ".";
}

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/text/negotiation.h"

#include <algorithm>
#include <utility>

namespace iscsiscope {
namespace {

constexpr std::size_t max_foreign_keys = 256;

bool list_has(std::string_view values, std::string_view word) {
    while (true) {
        const auto comma = values.find(',');
        if (values.substr(0, comma) == word)
            return true;
        if (comma == std::string_view::npos)
            return false;
        values.remove_prefix(comma + 1);
    }
}

// The first entry of `offered` that `known` has; empty if there is none.
std::string first_common(std::string_view offered, std::string_view known) {
    while (true) {
        const auto comma = offered.find(',');
        const auto word = offered.substr(0, comma);
        if (!word.empty() && list_has(known, word))
            return std::string(word);
        if (comma == std::string_view::npos)
            return {};
        offered.remove_prefix(comma + 1);
    }
}

std::string yes_or_no(bool yes) {
    return yes ? "Yes" : "No";
}
bool is_boolean(std::string_view v) {
    return v == "Yes" || v == "No";
}

bool number_of(const KeyRule &rule, std::string_view text, std::uint64_t &n) {
    return parse_number(text, n) && n >= rule.low && n <= 0xffffffff;
}

} // namespace

std::string combine(const KeyRule &rule, std::string_view offered, std::string_view answered) {
    std::uint64_t a = 0, b = 0;
    switch (rule.function) {
    case ResultFunction::minimum:
    case ResultFunction::maximum:
        if (!number_of(rule, offered, a) || !number_of(rule, answered, b))
            return {};
        return std::to_string(rule.function == ResultFunction::minimum ? std::min(a, b) : std::max(a, b));
    case ResultFunction::boolean_or:
    case ResultFunction::boolean_and: {
        if (!is_boolean(offered) || !is_boolean(answered))
            return {};
        const bool x = offered == "Yes", y = answered == "Yes";
        return yes_or_no(rule.function == ResultFunction::boolean_or ? x || y : x && y);
    }
    case ResultFunction::list:
        return first_common(offered, answered);
    case ResultFunction::declared:
        break;
    }
    return {};
}

bool answer_is_optional(std::string_view key, std::string_view offered) {
    const KeyRule *rule = find_rule(key);
    return rule != nullptr && ((rule->function == ResultFunction::boolean_and && offered == "No") ||
                               (rule->function == ResultFunction::boolean_or && offered == "Yes"));
}

std::optional<std::string> answer(std::string_view key, std::string_view offered, std::string_view own) {
    const KeyRule *rule = find_rule(key);
    if (rule == nullptr)
        return "NotUnderstood";
    if (!rule->negotiated())
        return std::nullopt;
    if (!valid_value(*rule, offered))
        return "Reject";
    std::string result = combine(*rule, offered, own);
    return result.empty() ? "Reject" : result;
}

void Negotiation::add(Party party, std::string_view key, std::string_view value) {
    auto it = std::ranges::find(stated_, key, &StatedKey::key);
    if (it == stated_.end()) {
        if (stated_.size() >= key_rules().size() + max_foreign_keys && find_rule(key) == nullptr)
            return;
        it = stated_.insert(stated_.end(), StatedKey{std::string(key), party, {}, {}});
    }
    (party == Party::initiator ? it->initiator : it->target) = std::string(value);
}

void Negotiation::add(Party party, std::span<const KeyValue> pairs) {
    for (const auto &pair : pairs)
        add(party, pair.key, pair.value);
}

namespace {

// True for keys of the connection, which every login negotiates, not only the first of its session.
bool of_connection(const KeyRule &rule) {
    return rule.key == "HeaderDigest" || rule.key == "DataDigest" || rule.key == "AuthMethod" ||
           rule.key == "IFMarker" || rule.key == "OFMarker";
}

// True if the offer of a list is missing and the target's answer is a single word: then it is the result.
bool choice_alone(const KeyRule &rule, const NegotiatedKey &key, TextSeen seen) {
    return rule.function == ResultFunction::list && !seen.initiator && !key.initiator && key.target &&
           !is_refusal(*key.target) && key.target->find(',') == std::string::npos;
}

// True if no missing text can change the result of a negotiated key.
bool settled(const KeyRule &rule, const NegotiatedKey &key, TextSeen seen) {
    if (key.initiator && key.target)
        return true;
    if (!key.offered_by)
        return seen.initiator && seen.target && (seen.leading || of_connection(rule));
    return seen.by(other(*key.offered_by)) || answer_is_optional(rule.key, *key.value_of(*key.offered_by)) ||
           choice_alone(rule, key, seen);
}

// Computes the result of a negotiated key from both values, or from the offer alone.
void settle(const KeyRule &rule, NegotiatedKey &key, TextSeen seen) {
    if (!key.offered_by)
        return;
    if (choice_alone(rule, key, seen)) {
        key.in_force = *key.target;
        key.origin = ValueOrigin::negotiated;
        return;
    }
    const auto &offer = key.value_of(*key.offered_by);
    const auto &reply = key.value_of(other(*key.offered_by));
    if (is_refusal(*offer) || (reply && is_refusal(*reply)))
        return;
    // Without an answer the result function is applied to the default, which for offers whose answer is
    // optional (No to AND, Yes to OR) gives the offer itself.
    std::string result = combine(rule, *offer, reply ? std::string_view(*reply) : rule.default_value);
    if (result.empty())
        return;
    key.in_force = std::move(result);
    key.origin = reply ? ValueOrigin::negotiated : ValueOrigin::derived;
}

void settle_foreign(NegotiatedKey &key) {
    const auto &offer = key.value_of(*key.offered_by);
    const auto &reply = key.value_of(other(*key.offered_by));
    key.in_force = reply ? (is_refusal(*reply) ? std::string() : *reply) : *offer;
    key.origin = reply ? ValueOrigin::negotiated : ValueOrigin::declared;
}

} // namespace

NegotiationResult Negotiation::result(TextSeen seen) const {
    NegotiationResult result;
    std::vector<NegotiatedKey> keys;
    result.parameters = start_;
    const auto take = [](NegotiatedKey &key, const StatedKey &entry) {
        key.key = entry.key;
        key.offered_by = entry.first;
        key.initiator = entry.initiator;
        key.target = entry.target;
    };
    for (const auto &rule : key_rules()) {
        const auto entry = std::ranges::find(stated_, rule.key, &StatedKey::key);
        if (entry == stated_.end() && rule.default_value.empty())
            continue;
        NegotiatedKey key;
        key.key = std::string(rule.key);
        if (entry != stated_.end())
            take(key, *entry);
        key.in_force = parameter_text(start_, Party::initiator, rule.key);
        if (key.in_force.empty())
            key.in_force = std::string(rule.default_value);
        const auto not_known = [&](Party party) {
            if (const auto p = parameter_of(party, rule.key))
                result.known.remove(*p);
        };
        if (rule.negotiated()) {
            if (settled(rule, key, seen)) {
                settle(rule, key, seen);
                set_parameter(result.parameters, Party::initiator, rule.key, key.in_force);
            } else {
                key.in_force.clear();
                key.origin = ValueOrigin::unknown;
                not_known(Party::initiator);
            }
        } else if (parameter_of(Party::initiator, rule.key)) { // declared by each end
            key.origin = key.offered_by ? ValueOrigin::declared : ValueOrigin::default_value;
            for (const Party party : {Party::initiator, Party::target}) {
                std::string &value = party == Party::initiator ? key.in_force : key.in_force_target;
                value.clear();
                if (const auto &stated = key.value_of(party))
                    set_parameter(result.parameters, party, rule.key, *stated);
                if (key.value_of(party) || seen.by(party))
                    value = parameter_text(result.parameters, party, rule.key);
                else
                    not_known(party);
            }
            if (key.in_force.empty() && key.in_force_target.empty())
                key.origin = ValueOrigin::unknown;
        } else if (key.offered_by) {
            key.in_force = key.initiator ? *key.initiator : *key.target;
            key.origin = ValueOrigin::declared;
        } else if (!seen.initiator) { // SessionType
            key.in_force.clear();
            key.origin = ValueOrigin::unknown;
        }
        keys.push_back(std::move(key));
    }
    for (const auto &entry : stated_) {
        if (find_rule(entry.key) != nullptr)
            continue;
        NegotiatedKey key;
        take(key, entry);
        settle_foreign(key);
        keys.push_back(std::move(key));
    }
    // RFC 7143 section 13.14: FirstBurstLength must not exceed MaxBurstLength. If both ends agreed otherwise,
    // the smaller value applies.
    auto &p = result.parameters;
    if (p.first_burst_length > p.max_burst_length &&
        result.known.has_all({Parameter::first_burst_length, Parameter::max_burst_length})) {
        p.first_burst_length = p.max_burst_length;
        for (auto &key : keys)
            if (key.key == "FirstBurstLength")
                key.in_force = std::to_string(p.first_burst_length);
    }
    result.keys = SharedKeys(std::move(keys));
    return result;
}

void NegotiationResult::inherit(const NegotiationResult &session) {
    for (const auto &rule : key_rules()) {
        const auto p = parameter_of(Party::initiator, rule.key);
        if (!rule.negotiated() || of_connection(rule) || !p || known.has(*p) || !session.known.has(*p))
            continue;
        set_parameter(parameters, Party::initiator, rule.key,
                      parameter_text(session.parameters, Party::initiator, rule.key));
        known.add(*p);
    }
}

std::optional<NegotiatedKey> NegotiationResult::find(std::string_view key) const {
    return keys.find(key);
}

} // namespace iscsiscope

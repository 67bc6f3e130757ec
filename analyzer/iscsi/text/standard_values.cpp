// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/text/standard_values.h"

#include "analyzer/iscsi/text/key_rules.h"
#include "analyzer/iscsi/text/text_keys.h"

#include <algorithm>
#include <array>
#include <span>

namespace iscsiscope {
namespace {

// RFC 7143 sections 13.1 (digests), 12.1 (AuthMethod; SPKM1 and SPKM2 are of RFC 3720), 13.21 (SessionType)
// and 13.23 (TaskReporting).
constexpr std::array<std::string_view, 2> digests = {"CRC32C", "None"};
constexpr std::array<std::string_view, 6> methods = {"KRB5", "SRP", "CHAP", "None", "SPKM1", "SPKM2"};
constexpr std::array<std::string_view, 2> session_types = {"Discovery", "Normal"};
constexpr std::array<std::string_view, 3> reports = {"RFC3720", "ResponseFence", "FastAbort"};

std::span<const std::string_view> words_of(std::string_view key) {
    if (key == "HeaderDigest" || key == "DataDigest")
        return digests;
    if (key == "AuthMethod")
        return methods;
    if (key == "SessionType")
        return session_types;
    if (key == "TaskReporting")
        return reports;
    return {};
}

// RFC 7143 section 6.1: no needless zeros, which could hide a number of another meaning.
bool plain_number(std::string_view value, std::uint64_t low, std::uint64_t high) {
    const std::string_view digits =
        value.starts_with("0x") || value.starts_with("0X") ? value.substr(2) : value;
    std::uint64_t n = 0;
    return (digits == "0" || !digits.starts_with('0')) && parse_number(value, n) && n >= low && n <= high;
}

} // namespace

std::string only_standard_value(std::string_view key, std::string_view value, std::string_view hidden) {
    if (value.empty() || is_refusal(value))
        return std::string(value);
    if (key == rdma_extensions)
        return std::string(value == "Yes" || value == "No" ? value : hidden);
    const KeyRule *rule = find_rule(key);
    if (rule == nullptr)
        return std::string(hidden);
    if (key == "TargetPortalGroupTag") // section 13.9: 16 bits
        return std::string(plain_number(value, 0, 65535) ? value : hidden);
    if (rule->numerical)
        return std::string(plain_number(value, rule->low, rule->high) ? value : hidden);
    if (rule->function == ResultFunction::boolean_or || rule->function == ResultFunction::boolean_and)
        return std::string(valid_value(*rule, value) ? value : hidden);
    const auto words = words_of(key);
    if (words.empty())
        return std::string(hidden);
    std::string kept;
    while (true) {
        const auto comma = value.find(',');
        const std::string_view word = value.substr(0, comma);
        kept += std::ranges::find(words, word) != words.end() ? word : hidden;
        if (comma == std::string_view::npos)
            return kept;
        kept += ',';
        value.remove_prefix(comma + 1);
    }
}

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/text/key_rules.h"

#include "analyzer/iscsi/text/text_keys.h"

#include <algorithm>
#include <array>

namespace iscsiscope {
namespace {

using enum ResultFunction;
constexpr std::uint32_t max_length = 16777215; // 2^24 - 1

constexpr KeyRule number(std::string_view key, ResultFunction f, std::string_view value, std::uint32_t low,
                         std::uint32_t high) {
    return {key, f, value, low, high, true};
}

// RFC 7143 sections 12.1, 13.1 to 13.26; iSCSIProtocolLevel is RFC 7144 section 7.1.1; the markers are of
// RFC 3720 appendix A and still offered by some.
constexpr std::array rules = {
    KeyRule{"InitiatorName", declared, ""},
    KeyRule{"InitiatorAlias", declared, ""},
    KeyRule{"TargetName", declared, ""},
    KeyRule{"TargetAlias", declared, ""},
    KeyRule{"TargetAddress", declared, ""},
    KeyRule{"TargetPortalGroupTag", declared, ""},
    KeyRule{"SessionType", declared, "Normal"},
    KeyRule{"SendTargets", declared, ""},
    KeyRule{"AuthMethod", list, "None"},
    KeyRule{"HeaderDigest", list, "None"},
    KeyRule{"DataDigest", list, "None"},
    number("MaxConnections", minimum, "1", 1, 65535),
    KeyRule{"InitialR2T", boolean_or, "Yes"},
    KeyRule{"ImmediateData", boolean_and, "Yes"},
    number("MaxRecvDataSegmentLength", declared, "8192", 512, max_length),
    number("MaxBurstLength", minimum, "262144", 512, max_length),
    number("FirstBurstLength", minimum, "65536", 512, max_length),
    number("DefaultTime2Wait", maximum, "2", 0, 3600),
    number("DefaultTime2Retain", minimum, "20", 0, 3600),
    number("MaxOutstandingR2T", minimum, "1", 1, 65535),
    KeyRule{"DataPDUInOrder", boolean_or, "Yes"},
    KeyRule{"DataSequenceInOrder", boolean_or, "Yes"},
    number("ErrorRecoveryLevel", minimum, "0", 0, 2),
    KeyRule{"TaskReporting", list, "RFC3720"},
    number("iSCSIProtocolLevel", minimum, "1", 0, 31),
    KeyRule{"IFMarker", boolean_and, "No"},
    KeyRule{"OFMarker", boolean_and, "No"},
};

bool valid_list(std::string_view value) {
    while (true) {
        const auto comma = value.find(',');
        if (value.substr(0, comma).empty())
            return false;
        if (comma == std::string_view::npos)
            return true;
        value.remove_prefix(comma + 1);
    }
}

} // namespace

std::span<const KeyRule> key_rules() {
    return rules;
}

const KeyRule *find_rule(std::string_view key) {
    const auto it = std::ranges::find(rules, key, &KeyRule::key);
    return it == rules.end() ? nullptr : &*it;
}

bool valid_value(const KeyRule &rule, std::string_view value) {
    if (rule.numerical) {
        std::uint64_t n = 0;
        return parse_number(value, n) && n >= rule.low && n <= rule.high;
    }
    switch (rule.function) {
    case boolean_or:
    case boolean_and:
        return value == "Yes" || value == "No";
    case list:
        return valid_list(value);
    default:
        return true;
    }
}

bool is_refusal(std::string_view value) {
    return value == "Reject" || value == "Irrelevant" || value == "NotUnderstood";
}

} // namespace iscsiscope

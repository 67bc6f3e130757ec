// SPDX-License-Identifier: GPL-2.0-or-later
// The keys of RFC 7143 section 13 with their result functions.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace iscsiscope {

enum class ResultFunction : std::uint8_t {
    minimum,     // numerical
    maximum,     // numerical
    boolean_or,  // Yes if either value is Yes
    boolean_and, // Yes if both values are Yes
    list,        // the answer chooses from the offer
    declared,    // each end declares its own value; no answer
};

// Negotiated, with Yes or No, by ends that go over to RDMA when the login is done (RFC 7145 section 6.3). It
// has no rule: with No, or without it, nothing changes.
inline constexpr std::string_view rdma_extensions = "RDMAExtensions";

struct KeyRule {
    std::string_view key;
    ResultFunction function;
    std::string_view default_value; // "": the RFC defines none
    std::uint32_t low = 0;          // numerical keys: the range allowed
    std::uint32_t high = 0;
    bool numerical = false;

    bool negotiated() const { return function != ResultFunction::declared; }
};

std::span<const KeyRule> key_rules();
// Null for a key without a rule here (X-..., Y#..., vendor or unknown).
const KeyRule *find_rule(std::string_view key);

// Whether the rule allows the value. Of a list each entry must be a word.
bool valid_value(const KeyRule &, std::string_view value);

// The values that stand for "no result" in an answer (RFC 7143 section 6.2).
bool is_refusal(std::string_view value); // Reject, Irrelevant, NotUnderstood

} // namespace iscsiscope

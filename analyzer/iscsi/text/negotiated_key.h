// SPDX-License-Identifier: GPL-2.0-or-later
// NegotiatedKey: one text key as offered, as answered and as in force.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace iscsiscope {

enum class Party : std::uint8_t { initiator, target };
constexpr Party other(Party p) {
    return p == Party::initiator ? Party::target : Party::initiator;
}

enum class ValueOrigin : std::uint8_t {
    default_value, // neither end named the key, or the offer was refused: the default or the value before
    negotiated,    // offered and answered
    derived,       // offered but not answered: the result function applied to offer and default
    declared,      // declared by an end for itself
    unknown,       // the text that determines it is missing in the capture; in_force is empty
};

// One key, as reports show it.
struct NegotiatedKey {
    std::string key;
    std::optional<Party> offered_by;      // the end that named it first
    std::optional<std::string> initiator; // the last value sent by the initiator; empty: none
    std::optional<std::string> target;
    // The value in force as text; empty: none (a key without default) or unknown. Of
    // MaxRecvDataSegmentLength, which each end declares, in_force is the initiator's (it limits Data-In),
    // in_force_target the target's.
    std::string in_force, in_force_target;
    ValueOrigin origin = ValueOrigin::default_value;

    const std::optional<std::string> &value_of(Party p) const {
        return p == Party::initiator ? initiator : target;
    }
    friend bool operator==(const NegotiatedKey &, const NegotiatedKey &) = default;
};

} // namespace iscsiscope

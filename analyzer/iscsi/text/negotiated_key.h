// SPDX-License-Identifier: GPL-2.0-or-later
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
    default_value, // neither end named the key, or the offer was refused: default or what was in force
    negotiated,    // offered and answered
    derived,       // offered, and the answer left out: the result function with the default applied
    declared,      // stated by an end for itself
    unknown,       // what would tell is missing in the capture; nothing is in force here then
};

// One key, as reports show it.
struct NegotiatedKey {
    std::string key;
    std::optional<Party> offered_by;      // who named it first
    std::optional<std::string> initiator; // what the initiator said last; absent: nothing
    std::optional<std::string> target;
    // As text; empty: nothing (a key without default), or not known. MaxRecvDataSegmentLength, which each end
    // declares for itself: in_force is the initiator's (it limits Data-In), in_force_target the target's.
    std::string in_force, in_force_target;
    ValueOrigin origin = ValueOrigin::default_value;

    const std::optional<std::string> &said_by(Party p) const {
        return p == Party::initiator ? initiator : target;
    }
    friend bool operator==(const NegotiatedKey &, const NegotiatedKey &) = default;
};

} // namespace iscsiscope

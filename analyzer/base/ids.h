// SPDX-License-Identifier: GPL-2.0-or-later
// The numbers of what the engine follows, each a type of its own, so that none is taken for another.
#pragma once

#include "analyzer/base/value.h"

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <fmt/core.h>
#include <functional>
#include <ostream>
#include <string>
#include <type_traits>

namespace iscsiscope {

// Numbers from 0 in the order in which the things of one kind were found. A computed number becomes an Id
// only where the code names the kind, one that is written in the source by itself; an Id becomes neither a
// number nor an Id of another kind.
template <class Kind>
struct Id {
    using id_kind = Kind;
    std::uint64_t number = 0;

    constexpr Id() = default;
    constexpr explicit Id(std::uint64_t n) : number(n) {}
    // NOLINTNEXTLINE(google-explicit-constructor)
    consteval Id(std::same_as<int> auto literal) : number(static_cast<std::uint64_t>(literal)) {}
    friend constexpr auto operator<=>(const Id &, const Id &) = default;
    friend std::ostream &operator<<(std::ostream &out, Id id) { return out << id.number; }
};

using StreamId = Id<struct StreamKind>; // of a TCP connection, iSCSI or not; Wireshark's tcp.stream
using SessionId =
    Id<struct SessionKind>;           // of a session as the engine knows it: by its login, or one connection
using GroupId = Id<struct GroupKind>; // of sessions that evidence joined: the lowest of their numbers
using CycleId = Id<struct CycleKind>; // of a task

constexpr GroupId group_led_by(SessionId lowest) {
    return GroupId{lowest.number};
}
constexpr SessionId first_session(GroupId group) {
    return SessionId{group.number};
}

template <class Kind>
std::string to_string(Id<Kind> id) {
    return std::to_string(id.number);
}

template <class T>
inline constexpr bool is_id = false;
template <class Kind>
inline constexpr bool is_id<Id<Kind>> = true;

template <class Kind>
Value to_value(Id<Kind> id) {
    return Value::natural(id.number);
}

} // namespace iscsiscope

namespace std {
template <class Kind>
struct hash<iscsiscope::Id<Kind>> {
    size_t operator()(iscsiscope::Id<Kind> id) const noexcept { return hash<uint64_t>{}(id.number); }
};
} // namespace std

namespace fmt {
template <class Kind>
struct formatter<iscsiscope::Id<Kind>> : formatter<std::uint64_t> {
    template <class Context>
    auto format(iscsiscope::Id<Kind> id, Context &context) const {
        return formatter<std::uint64_t>::format(id.number, context);
    }
};
} // namespace fmt

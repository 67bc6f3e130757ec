// SPDX-License-Identifier: GPL-2.0-or-later
// Serial: a 32-bit serial number (RFC 1982), such as a TCP sequence number, CmdSN, StatSN or DataSN. The Tag
// makes each kind a type of its own, so that two kinds cannot be compared.
#pragma once

#include <cstdint>

namespace iscsiscope {

template <class Tag>
struct Serial {
    std::uint32_t value = 0;

    constexpr Serial() = default;
    constexpr explicit Serial(std::uint32_t v) : value(v) {}

    // Returns the least number of steps between the two, negative if `to` is older. For numbers exactly 2^31
    // apart RFC 1982 defines no order; the result is then INT32_MIN in both directions.
    friend constexpr std::int32_t distance(Serial from, Serial to) {
        return static_cast<std::int32_t>(to.value - from.value);
    }

    friend constexpr bool operator==(Serial, Serial) = default;
    friend constexpr bool operator<(Serial a, Serial b) { return distance(b, a) < 0; }
    friend constexpr bool operator>(Serial a, Serial b) { return b < a; }
    friend constexpr bool operator<=(Serial a, Serial b) { return a == b || a < b; }
    friend constexpr bool operator>=(Serial a, Serial b) { return a == b || b < a; }

    friend constexpr Serial operator+(Serial a, std::uint32_t n) { return Serial(a.value + n); }
    friend constexpr Serial operator-(Serial a, std::uint32_t n) { return Serial(a.value - n); }
    constexpr Serial &operator+=(std::uint32_t n) {
        value += n;
        return *this;
    }
    constexpr Serial &operator++() { return *this += 1; }
};

// Returns the later of the two.
template <class Tag>
constexpr Serial<Tag> newer(Serial<Tag> a, Serial<Tag> b) {
    return a < b ? b : a;
}

} // namespace iscsiscope

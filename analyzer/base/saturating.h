// SPDX-License-Identifier: GPL-2.0-or-later
// Arithmetic of times that stops at the ends of its range. Time stamps of a capture are data: the reader
// limits them to ±2^62 ns, so that the difference of two fits, but sums and multiples of such differences may
// not. A sum at the end of the range is at least as long as it shows; it is never negative by overflow.
#pragma once

#include "analyzer/base/time.h"

#include <cstdint>
#include <limits>

namespace iscsiscope {

constexpr std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum)) [[likely]]
        return sum;
    return b > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

constexpr std::int64_t saturated_difference(std::int64_t a, std::int64_t b) {
    std::int64_t difference = 0;
    if (!__builtin_sub_overflow(a, b, &difference)) [[likely]]
        return difference;
    return b < 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

constexpr std::int64_t saturated_product(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    if (!__builtin_mul_overflow(a, b, &product)) [[likely]]
        return product;
    return (a < 0) == (b < 0) ? std::numeric_limits<std::int64_t>::max()
                              : std::numeric_limits<std::int64_t>::min();
}

// Returns a finite or infinite number without its fraction; 0 if it is not a number.
constexpr std::int64_t saturated_integer(double v) {
    constexpr double end = 9223372036854775808.0; // 2^63
    if (v >= end)
        return std::numeric_limits<std::int64_t>::max();
    if (v <= -end)
        return std::numeric_limits<std::int64_t>::min();
    return v == v ? static_cast<std::int64_t>(v) : 0;
}

constexpr Duration saturated_sum(Duration a, Duration b) {
    return Duration{saturated_sum(a.count(), b.count())};
}
constexpr Duration saturated_difference(Duration a, Duration b) {
    return Duration{saturated_difference(a.count(), b.count())};
}
constexpr Duration saturated_product(Duration a, std::int64_t n) {
    return Duration{saturated_product(a.count(), n)};
}
// The length of [from, to]; negative if `to` is earlier.
constexpr Duration saturated_length(Time from, Time to) {
    return Duration{saturated_difference(to_ns(to), to_ns(from))};
}
// The time so long after another one.
constexpr Time saturated_later(Time t, Duration d) {
    return time_from_ns(saturated_sum(to_ns(t), d.count()));
}

// Adds to a sum of times.
constexpr void add_saturated(Duration &sum, Duration d) {
    sum = saturated_sum(sum, d);
}

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// Quotients of counts, amounts and times; a Duration is taken in nanoseconds.
#pragma once

#include "analyzer/base/time.h"

#include <optional>
#include <type_traits>

namespace iscsiscope {

template <class T>
constexpr double amount(T v) {
    if constexpr (std::is_same_v<T, Duration>)
        return static_cast<double>(to_ns(v));
    else
        return static_cast<double>(v);
}

// Returns a / b; empty if b is not positive.
template <class A, class B>
constexpr std::optional<double> quotient(A a, B b) {
    const double below = amount(b);
    return below > 0 ? std::optional(amount(a) / below) : std::nullopt;
}

// Returns a / b; 0 if b is not positive.
template <class A, class B>
constexpr double ratio(A a, B b) {
    return quotient(a, b).value_or(0);
}

// Returns the amount over a time in seconds; empty if the time is not known or not positive.
template <class A>
constexpr std::optional<double> per_second(A a, std::optional<Duration> time) {
    return quotient(a, amount(time.value_or(Duration{})) / 1e9);
}

} // namespace iscsiscope

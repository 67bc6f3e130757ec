// SPDX-License-Identifier: GPL-2.0-or-later
// CompactOptional: a time, a duration, an offset or a frame that may be absent, in eight bytes instead of the
// sixteen of std::optional, for records and for state of each connection. A value that no capture has stands
// for "none": the lowest time or duration, the highest number.
#pragma once

#include <limits>
#include <optional>
#include <type_traits>

namespace iscsiscope {

template <class T> // a std::chrono::time_point or duration, or an unsigned integer
class CompactOptional {
public:
    constexpr CompactOptional() = default;
    // NOLINTBEGIN(google-explicit-constructor): it stands where std::optional does
    constexpr CompactOptional(std::nullopt_t) {}
    constexpr CompactOptional(T value) : value_(value) {}
    constexpr CompactOptional(const std::optional<T> &value) : value_(value.value_or(none())) {}
    // NOLINTEND(google-explicit-constructor)

    constexpr explicit operator bool() const { return value_ != none(); }
    constexpr bool has_value() const { return value_ != none(); }
    // Only with a value.
    constexpr const T &operator*() const { return value_; }
    constexpr const T *operator->() const { return &value_; }
    constexpr T value_or(T other) const { return has_value() ? value_ : other; }
    friend constexpr bool operator==(const CompactOptional &, const CompactOptional &) = default;
    template <class U>
    requires std::is_convertible_v<U, T>
    friend constexpr bool operator==(const CompactOptional &a, const U &b) {
        return a.has_value() && *a == T(b);
    }
    constexpr void reset() { value_ = none(); }
    // NOLINTNEXTLINE(google-explicit-constructor): likewise
    constexpr operator std::optional<T>() const {
        return has_value() ? std::optional<T>(value_) : std::nullopt;
    }

private:
    static constexpr T none() {
        if constexpr (std::is_unsigned_v<T>)
            return std::numeric_limits<T>::max();
        else
            return T::min();
    }

    T value_ = none();
};

} // namespace iscsiscope

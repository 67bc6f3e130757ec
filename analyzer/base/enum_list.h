// SPDX-License-Identifier: GPL-2.0-or-later
// ISCSISCOPE_ENUM: makes an enum class and the names of its values from one list. The list is a macro that
// applies its parameter to each value: `#define LIST(X) X(first) X(second)`. Where other tables are made from
// the list as well, X may have more arguments than the value; they are not used here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#define ISCSISCOPE_ENUMERATOR(value, ...) value,
#define ISCSISCOPE_NAME(value, ...) #value,

// Defines `Enum`, the array `names` in the order of the list, `count` (its length), and name(Enum).
#define ISCSISCOPE_ENUM(Enum, names, count, LIST)                                                            \
    enum class Enum : std::uint8_t { LIST(ISCSISCOPE_ENUMERATOR) };                                          \
    inline constexpr std::string_view names[] = {LIST(ISCSISCOPE_NAME)};                                     \
    inline constexpr std::size_t count = std::size(names);                                                   \
    constexpr std::string_view name(Enum value) {                                                            \
        return (names)[static_cast<std::size_t>(value)];                                                     \
    }

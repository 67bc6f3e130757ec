// SPDX-License-Identifier: GPL-2.0-or-later
// How far the sequence numbers of one connection lie apart (RFC 7143 section 4.2.2, modulo 2^32). In: a
// number and the one that is expected next. Out: whether the first can belong to the same connection.
#pragma once

#include <cstdint>
#include <optional>

namespace iscsiscope {

// Numbers of a connection lie no further apart.
inline constexpr std::uint32_t max_number_distance = 4096;

// Whether a number lies around the expected one.
inline bool is_around(std::uint32_t number, std::optional<std::uint32_t> expected,
                      std::uint32_t limit = max_number_distance) {
    return expected && number - *expected + limit <= 2 * limit;
}

// The same where the number is all that speaks for a header: zero never lies around another one, since blocks
// of zeros are frequent in data.
inline bool is_near(std::uint32_t number, std::optional<std::uint32_t> expected,
                    std::uint32_t limit = max_number_distance) {
    return number != 0 && is_around(number, expected, limit);
}

// Whether a number is above the expected one. Numbers further apart say nothing: libiscsi, for one, sends the
// ExpStatSN of its login for ever.
inline bool is_above(std::uint32_t number, std::optional<std::uint32_t> expected) {
    return expected && number - *expected - 1 < max_number_distance;
}

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// Arithmetic modulo the CRC32C polynomial in its reflected form: bit i stands for x^(31-i).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace iscsiscope::crc32c_detail {

inline constexpr std::uint32_t polynomial = 0x82f63b78;

constexpr std::uint32_t times_x(std::uint32_t a) {
    return (a >> 1) ^ ((a & 1) != 0 ? polynomial : 0);
}

// x^n
constexpr std::uint32_t power_of_x(std::size_t n) {
    std::uint32_t a = 0x80000000; // x^0
    for (std::size_t i = 0; i < n; ++i)
        a = times_x(a);
    return a;
}

// tables[k][b]: what byte b contributes when k more bytes follow it in the same step of eight.
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
    Tables t{};
    for (std::uint32_t b = 0; b < 256; ++b) {
        std::uint32_t a = b;
        for (int bit = 0; bit < 8; ++bit)
            a = times_x(a);
        t[0][b] = a;
    }
    for (std::size_t k = 1; k < 8; ++k)
        for (std::size_t b = 0; b < 256; ++b)
            t[k][b] = (t[k - 1][b] >> 8) ^ t[0][t[k - 1][b] & 0xff];
    return t;
}

} // namespace iscsiscope::crc32c_detail

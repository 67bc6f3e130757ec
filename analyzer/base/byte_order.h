// SPDX-License-Identifier: GPL-2.0-or-later
// Unaligned loads in either byte order. The caller must have checked that the bytes exist.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace iscsiscope {

constexpr std::uint16_t swap_bytes(std::uint16_t v) {
    return __builtin_bswap16(v);
}
constexpr std::uint32_t swap_bytes(std::uint32_t v) {
    return __builtin_bswap32(v);
}
constexpr std::uint64_t swap_bytes(std::uint64_t v) {
    return __builtin_bswap64(v);
}

template <typename Int>
Int load_native(const void *from) {
    Int v;
    std::memcpy(&v, from, sizeof v);
    return v;
}

// Network byte order.
template <typename Int>
Int load_big(const void *from) {
    const auto v = load_native<Int>(from);
    return std::endian::native == std::endian::big ? v : swap_bytes(v);
}

// Loads in the byte order of a file. swapped: it differs from this host's, as the file's magic number shows.
template <typename Int>
Int load_file(const void *from, bool swapped) {
    using Unsigned = std::make_unsigned_t<Int>;
    const auto v = load_native<Unsigned>(from);
    return static_cast<Int>(swapped ? swap_bytes(v) : v);
}

} // namespace iscsiscope

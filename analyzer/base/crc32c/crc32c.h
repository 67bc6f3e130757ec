// SPDX-License-Identifier: GPL-2.0-or-later
// CRC32C, the digest of RFC 7143 section 13.1, computed by the processor's instruction if it has one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace iscsiscope {

inline constexpr std::size_t digest_size = 4; // RFC 7143 section 11.2.1

// Continues the CRC `state` of preceding bytes (0: none) over `bytes`:
// crc32c(crc32c(0, a), b) == crc32c(0, a followed by b).
std::uint32_t crc32c(std::uint32_t state, std::span<const std::byte> bytes);

// The four bytes of a digest on the wire (RFC 7143 section 13.1: least significant byte first).
constexpr std::array<std::byte, digest_size> digest_bytes(std::uint32_t crc) {
    return {std::byte(crc & 0xff), std::byte((crc >> 8) & 0xff), std::byte((crc >> 16) & 0xff),
            std::byte(crc >> 24)};
}
constexpr std::uint32_t load_digest(std::span<const std::byte, digest_size> b) {
    return std::to_integer<std::uint32_t>(b[0]) | std::to_integer<std::uint32_t>(b[1]) << 8 |
           std::to_integer<std::uint32_t>(b[2]) << 16 | std::to_integer<std::uint32_t>(b[3]) << 24;
}

// For tests and reports: the portable implementation; the one that crc32c uses ("sse4.2", "armv8", "table").
std::uint32_t crc32c_table(std::uint32_t state, std::span<const std::byte> bytes);
std::string_view crc32c_implementation();

} // namespace iscsiscope

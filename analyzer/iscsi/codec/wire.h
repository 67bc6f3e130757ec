// SPDX-License-Identifier: GPL-2.0-or-later
// Big-endian loads and stores. The caller must have checked the length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace iscsiscope::wire {

constexpr std::uint8_t load8(const std::byte *p) {
    return std::to_integer<std::uint8_t>(*p);
}

constexpr std::uint16_t load16(const std::byte *p) {
    return static_cast<std::uint16_t>((load8(p) << 8) | load8(p + 1));
}

constexpr std::uint32_t load24(const std::byte *p) {
    return (std::uint32_t{load8(p)} << 16) | load16(p + 1);
}

constexpr std::uint32_t load32(const std::byte *p) {
    return (std::uint32_t{load8(p)} << 24) | load24(p + 1);
}

constexpr std::uint64_t load64(const std::byte *p) {
    return (std::uint64_t{load32(p)} << 32) | load32(p + 4);
}

constexpr void store8(std::byte *p, std::uint8_t v) {
    *p = std::byte{v};
}

constexpr void store16(std::byte *p, std::uint16_t v) {
    store8(p, static_cast<std::uint8_t>(v >> 8));
    store8(p + 1, static_cast<std::uint8_t>(v));
}

constexpr void store24(std::byte *p, std::uint32_t v) {
    store8(p, static_cast<std::uint8_t>(v >> 16));
    store16(p + 1, static_cast<std::uint16_t>(v));
}

constexpr void store32(std::byte *p, std::uint32_t v) {
    store8(p, static_cast<std::uint8_t>(v >> 24));
    store24(p + 1, v & 0xffffff);
}

constexpr void store64(std::byte *p, std::uint64_t v) {
    store32(p, static_cast<std::uint32_t>(v >> 32));
    store32(p + 4, static_cast<std::uint32_t>(v));
}

} // namespace iscsiscope::wire

// SPDX-License-Identifier: GPL-2.0-or-later
// PacketView: the part of a frame behind the headers decoded so far, with its captured and its wire length.
#pragma once

#include "analyzer/base/byte_order.h"

#include <cstddef>

namespace iscsiscope {

struct PacketView {
    const std::byte *data = nullptr;
    std::uint32_t captured = 0; // bytes at data
    std::uint32_t wire = 0;     // bytes on the wire, at least `captured`

    bool has(std::uint32_t count) const { return captured >= count; }
    // True if the snap length cut bytes off.
    bool is_cut() const { return wire > captured; }

    // Returns the view behind a header of `count` bytes (count ≤ wire), captured or not.
    PacketView behind(std::uint32_t count) const {
        const std::uint32_t skipped = count < captured ? count : captured;
        return {data + skipped, captured - skipped, wire - count};
    }
    // Returns the view of a datagram that has `count` bytes by its own header: bytes beyond are padding,
    // and bytes that the file lacks were cut off.
    PacketView limited_to(std::uint32_t count) const {
        return {data, captured < count ? captured : count, count};
    }

    // Big-endian integers at this offset; the caller has checked has().
    std::uint8_t u8(std::uint32_t at) const { return static_cast<std::uint8_t>(data[at]); }
    std::uint16_t u16(std::uint32_t at) const { return load_big<std::uint16_t>(data + at); }
    std::uint32_t u32(std::uint32_t at) const { return load_big<std::uint32_t>(data + at); }
};

} // namespace iscsiscope

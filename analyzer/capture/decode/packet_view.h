// SPDX-License-Identifier: GPL-2.0-or-later
// What is left of a frame behind the headers read so far.
#pragma once

#include "analyzer/base/byte_order.h"

#include <cstddef>

namespace iscsiscope {

struct PacketView {
    const std::byte *data = nullptr;
    std::uint32_t captured = 0; // bytes at data
    std::uint32_t wire = 0;     // bytes that passed, at least `captured`

    bool has(std::uint32_t count) const { return captured >= count; }
    // True if missing bytes passed but were not captured, rather than never having been there.
    bool is_cut() const { return wire > captured; }

    // Behind a header of `count` bytes that passed (count ≤ wire), captured or not.
    PacketView behind(std::uint32_t count) const {
        const std::uint32_t skipped = count < captured ? count : captured;
        return {data + skipped, captured - skipped, wire - count};
    }
    // A datagram of `count` bytes by its own header: what lies beyond is padding, and what the file
    // lacks of it was cut off.
    PacketView limited_to(std::uint32_t count) const {
        return {data, captured < count ? captured : count, count};
    }

    std::uint8_t u8(std::uint32_t at) const { return static_cast<std::uint8_t>(data[at]); }
    std::uint16_t u16(std::uint32_t at) const { return load_big<std::uint16_t>(data + at); }
    std::uint32_t u32(std::uint32_t at) const { return load_big<std::uint32_t>(data + at); }
};

} // namespace iscsiscope

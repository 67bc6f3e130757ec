// SPDX-License-Identifier: GPL-2.0-or-later
// Block types and option codes of pcapng (draft-ietf-opsawg-pcapng section 4); iteration over options.
#pragma once

#include "analyzer/base/byte_order.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace iscsiscope::pcapng {

inline constexpr std::uint32_t section_header = 0x0a0d0d0a; // the same in either byte order
inline constexpr std::uint32_t interface_description = 1;
inline constexpr std::uint32_t obsolete_packet = 2;
inline constexpr std::uint32_t simple_packet = 3;
inline constexpr std::uint32_t name_resolution = 4;
inline constexpr std::uint32_t interface_statistics = 5;
inline constexpr std::uint32_t enhanced_packet = 6;

inline constexpr std::uint32_t byte_order_magic = 0x1a2b3c4d;

inline constexpr std::uint16_t option_end = 0;
inline constexpr std::uint16_t option_comment = 1;
inline constexpr std::uint16_t option_interface_name = 2;
inline constexpr std::uint16_t option_time_resolution = 9;
inline constexpr std::uint16_t option_time_offset = 14;
inline constexpr std::uint16_t option_packet_drops = 4;    // epb_dropcount
inline constexpr std::uint16_t option_interface_drops = 5; // isb_ifdrop
inline constexpr std::uint16_t option_os_drops = 7;        // isb_osdrop

// Calls visit(code, value) for each complete option up to opt_endofopt.
template <typename Visit>
void for_each_option(std::span<const std::byte> options, bool swapped, Visit visit) {
    while (options.size() >= 4) {
        const auto code = load_file<std::uint16_t>(options.data(), swapped);
        const std::size_t length = load_file<std::uint16_t>(options.data() + 2, swapped);
        options = options.subspan(4);
        if (code == option_end || length > options.size())
            return;
        visit(code, options.first(length));
        options = options.subspan(std::min(options.size(), (length + 3) & ~std::size_t{3}));
    }
}

} // namespace iscsiscope::pcapng

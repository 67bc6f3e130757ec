// SPDX-License-Identifier: GPL-2.0-or-later
// The hardware address in a link header.
#pragma once

#include "analyzer/capture/segment.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace iscsiscope {

// Where the source's address begins in an Ethernet header (IEEE 802.3).
inline constexpr std::uint32_t source_mac_at = 6;

// Six bytes must be there.
inline MacAddress mac_at(const std::byte *at) {
    MacAddress mac;
    std::memcpy(mac.data(), at, mac.size());
    return mac;
}

} // namespace iscsiscope

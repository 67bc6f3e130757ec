// SPDX-License-Identifier: GPL-2.0-or-later
// What the headers of IPv4 (RFC 791) and IPv6 (RFC 8200) hold: protocol numbers (IANA) and addresses.
#pragma once

#include "analyzer/capture/segment.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace iscsiscope {

enum InternetProtocol : std::uint8_t {
    protocol_hop_by_hop = 0,
    protocol_icmp = 1,
    protocol_ipv4 = 4, // RFC 2003
    protocol_tcp = 6,
    protocol_udp = 17,
    protocol_ipv6 = 41, // RFC 2473, RFC 4213
    protocol_routing = 43,
    protocol_fragment = 44,
    protocol_gre = 47,
    protocol_encryption = 50, // ESP
    protocol_authentication = 51,
    protocol_icmpv6 = 58,
    protocol_destination_options = 60,
    protocol_mobility = 135,
    protocol_mpls = 137, // RFC 4023
    protocol_host_identity = 139,
    protocol_shim6 = 140,
};

// The address in the 4 or 16 bytes there.
inline IpAddress address_v4(const std::byte *bytes) {
    IpAddress address;
    address.bytes[10] = address.bytes[11] = 0xff;
    std::memcpy(address.bytes.data() + 12, bytes, 4);
    return address;
}

inline IpAddress address_v6(const std::byte *bytes) {
    IpAddress address;
    std::memcpy(address.bytes.data(), bytes, 16);
    return address;
}

} // namespace iscsiscope

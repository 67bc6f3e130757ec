// SPDX-License-Identifier: GPL-2.0-or-later
// Packets for the decoder's tests, written header by header.
#pragma once

#include "bytes.h"

namespace capture_test {

struct Tcp {
    std::uint16_t source = 40000, destination = 3260;
    std::uint32_t sequence = 0x01020304, acknowledgment = 0x05060708;
    std::uint8_t flags = 0x18;
    std::uint16_t window = 501;
    Bytes options{}; // padded by tcp()
    Bytes payload = pattern(100);
};
Bytes tcp(const Tcp & = {});
Bytes udp(std::uint16_t destination, const Bytes &payload);

struct Ipv4 {
    std::uint8_t protocol = 6;
    std::uint8_t tos = 0;
    std::uint8_t ttl = 64;
    std::uint16_t id = 77;
    std::uint16_t fragment = 0x4000; // flags and offset as on the wire
    Bytes options{};                 // a multiple of 4
    int total_length = -1;           // -1: right
};
// From 192.0.2.1 to 198.51.100.2.
Bytes ipv4(const Bytes &payload, const Ipv4 & = {});

struct Ipv6 {
    std::uint8_t next_header = 6;
    std::uint8_t traffic_class = 0;
    std::uint8_t hop_limit = 63;
    int payload_length = -1; // -1: right
};
// From 2001:db8::1 to 2001:db8::2.
Bytes ipv6(const Bytes &payload, const Ipv6 & = {});
// An extension header of 8 * (1 + more_units) bytes before `payload`.
Bytes extension(std::uint8_t next_header, const Bytes &payload, unsigned more_units = 0);
Bytes authentication(std::uint8_t next_header, const Bytes &payload);
Bytes ipv6_fragment(std::uint8_t next_header, std::uint32_t id, std::uint16_t offset, bool more,
                    const Bytes &payload);

Bytes ethernet(std::uint16_t type, const Bytes &payload);
Bytes llc(std::uint16_t type, const Bytes &payload);                           // with a SNAP header
Bytes vlan(std::uint16_t tag, std::uint16_t inner_type, const Bytes &payload); // behind a VLAN EtherType
Bytes vxlan(const Bytes &inner_frame);                                         // UDP payload

// GRE with its flags, and with 4 bytes for each of checksum, key and sequence number that they announce.
Bytes gre(std::uint16_t flags, std::uint16_t type, const Bytes &payload);
Bytes erspan_2(const Bytes &frame);
Bytes erspan_3(const Bytes &inner, bool ip = false, bool subheader = false);
Bytes geneve(std::uint16_t type, const Bytes &inner, unsigned option_words = 0); // UDP payload
Bytes vn_tag(std::uint16_t inner_type, const Bytes &payload); // behind its EtherType, to interface 5
Bytes e_tag(std::uint16_t inner_type, const Bytes &payload);  // likewise, channel 6
Bytes vxlan_gpe(unsigned next, const Bytes &inner);           // UDP payload; next: the next protocol, or 0
Bytes nsh(unsigned next, const Bytes &inner, unsigned context_words = 4);
Bytes mpls(unsigned labels, const Bytes &payload);
Bytes pppoe(std::uint16_t protocol, const Bytes &payload, bool compressed = false); // protocol in one byte

Bytes slice(const Bytes &, std::size_t begin, std::size_t end);

} // namespace capture_test

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sample-captures/testbed/common/time.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace iscsiscope::testbed::shim {

using Ipv4 = std::uint32_t; // host byte order
std::string to_string(Ipv4 address);
std::optional<Ipv4> parse_ipv4(const std::string &text);

// Bytes of a TCP header without options (RFC 9293 section 3.1).
inline constexpr std::size_t tcp_header_min = 20;

// What the shim needs to know of an IPv4 packet. TCP fields are 0 where the packet is not TCP or its
// TCP header is not whole.
struct PacketInfo {
    Ipv4 source = 0;
    Ipv4 destination = 0;
    std::uint32_t ip_bytes = 0;
    std::uint16_t ip_id = 0;
    std::uint8_t protocol = 0;
    std::uint8_t tcp_flags = 0;
    std::uint16_t source_port = 0;
    std::uint16_t destination_port = 0;
    std::uint32_t tcp_seq = 0;
    std::uint32_t tcp_ack = 0;
    std::uint32_t tcp_payload = 0;
    std::uint32_t tcp_offset = 0; // of the TCP header in the packet; 0: none

    bool is_tcp() const { return tcp_offset != 0; }
    bool has_payload() const { return tcp_payload > 0; }
    bool pure_ack() const; // RFC 9293: ACK set, no payload, neither SYN, FIN nor RST
};

// Empty for what is not a whole IPv4 packet (IPv6, ARP, rubbish).
std::optional<PacketInfo> parse_packet(std::span<const std::uint8_t> bytes);

// A packet under way. Shared by queue, taps and duplicates; never changed once it is shared.
struct Packet {
    std::vector<std::uint8_t> bytes; // from the IP header
    PacketInfo info;
    std::uint32_t from_host = 0;
    std::uint64_t frame = 0; // its number in the source host's capture, from 1; 0: not captured
    Instant sent;            // when the shim had it from the host
};
using PacketRef = std::shared_ptr<const Packet>;

} // namespace iscsiscope::testbed::shim

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/tcp_checksum.h"

#include "analyzer/base/byte_order.h"

namespace iscsiscope {

namespace {

constexpr std::size_t checksum_at = 16; // in the TCP header
constexpr std::size_t min_header = 20;
constexpr std::uint8_t protocol_tcp = 6;

// The ones' complement sum of 16-bit words does not depend on their byte order (RFC 1071 section 2), so words
// are added as they lie in memory, 32 bits at a time into 64.
std::uint64_t sum(std::span<const std::byte> bytes) {
    std::uint64_t total = 0;
    std::size_t at = 0;
    for (; at + 4 <= bytes.size(); at += 4)
        total += load_native<std::uint32_t>(bytes.data() + at);
    if (at + 2 <= bytes.size()) {
        total += load_native<std::uint16_t>(bytes.data() + at);
        at += 2;
    }
    if (at < bytes.size()) {
        const std::byte last[2] = {bytes[at], std::byte{0}};
        total += load_native<std::uint16_t>(last);
    }
    return total;
}

std::uint16_t folded(std::uint64_t total) {
    while (total >> 16 != 0)
        total = (total & 0xffff) + (total >> 16);
    return static_cast<std::uint16_t>(total);
}

std::uint64_t address_sum(const IpAddress &a) {
    const auto bytes = std::as_bytes(std::span(a.bytes));
    return sum(a.is_v4() ? bytes.last(4) : bytes);
}

// RFC 9293 section 3.1: addresses, protocol, and the length of header and payload.
std::uint64_t pseudo_header_sum(const Segment &s, std::size_t length) {
    const auto byte = [](std::size_t value) { return static_cast<std::byte>(value & 0xff); };
    const std::byte rest[8] = {byte(length >> 24), byte(length >> 16),     byte(length >> 8),
                               byte(length),       std::byte{0},           std::byte{0},
                               std::byte{0},       std::byte{protocol_tcp}};
    return address_sum(s.source.address) + address_sum(s.destination.address) + sum(rest);
}

} // namespace

TcpChecksum tcp_checksum(const Segment &s) {
    if (s.header.size() < min_header || s.payload.size() != s.payload_length)
        return TcpChecksum::unknown;
    const std::uint64_t pseudo = pseudo_header_sum(s, s.header.size() + s.payload.size());
    if (folded(pseudo + sum(s.header) + sum(s.payload)) == 0xffff)
        return TcpChecksum::right;
    // Linux writes the length of the segment, some cards want it zero.
    const auto field = load_native<std::uint16_t>(s.header.data() + checksum_at);
    return field == folded(pseudo) || field == folded(pseudo_header_sum(s, 0)) ? TcpChecksum::unfilled
                                                                               : TcpChecksum::wrong;
}

} // namespace iscsiscope

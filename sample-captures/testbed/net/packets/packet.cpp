// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/net/packets/packet.h"

#include <arpa/inet.h>

namespace iscsiscope::testbed::shim {
namespace {

constexpr std::uint8_t flag_fin = 0x01;
constexpr std::uint8_t flag_syn = 0x02;
constexpr std::uint8_t flag_rst = 0x04;
constexpr std::uint8_t flag_ack = 0x10;
constexpr std::size_t ip_header_min = 20;

std::uint16_t be16(std::span<const std::uint8_t> bytes, std::size_t at) {
    return static_cast<std::uint16_t>((bytes[at] << 8U) | bytes[at + 1]);
}
std::uint32_t be32(std::span<const std::uint8_t> bytes, std::size_t at) {
    return (std::uint32_t{be16(bytes, at)} << 16U) | be16(bytes, at + 2);
}

} // namespace

std::string to_string(Ipv4 address) {
    const in_addr raw{htonl(address)};
    char text[INET_ADDRSTRLEN] = {};
    inet_ntop(AF_INET, &raw, text, sizeof text);
    return text;
}

std::optional<Ipv4> parse_ipv4(const std::string &text) {
    in_addr raw{};
    if (inet_pton(AF_INET, text.c_str(), &raw) != 1)
        return std::nullopt;
    return ntohl(raw.s_addr);
}

bool PacketInfo::pure_ack() const {
    return is_tcp() && tcp_payload == 0 && (tcp_flags & flag_ack) != 0 &&
           (tcp_flags & (flag_fin | flag_syn | flag_rst)) == 0;
}

std::optional<PacketInfo> parse_packet(std::span<const std::uint8_t> bytes) {
    if (bytes.size() < ip_header_min || (bytes[0] >> 4U) != 4)
        return std::nullopt;
    const std::size_t header = std::size_t{bytes[0] & 0x0fU} * 4;
    PacketInfo info;
    info.ip_bytes = be16(bytes, 2);
    if (header < ip_header_min || info.ip_bytes < header || info.ip_bytes > bytes.size())
        return std::nullopt;
    info.ip_id = be16(bytes, 4);
    info.protocol = bytes[9];
    info.source = be32(bytes, 12);
    info.destination = be32(bytes, 16);
    const bool first_fragment = (be16(bytes, 6) & 0x1fffU) == 0;
    if (info.protocol != IPPROTO_TCP || !first_fragment || info.ip_bytes < header + tcp_header_min)
        return info;
    const std::size_t tcp_header = static_cast<std::size_t>(bytes[header + 12] >> 4U) * 4;
    if (tcp_header < tcp_header_min || header + tcp_header > info.ip_bytes)
        return info;
    info.source_port = be16(bytes, header);
    info.destination_port = be16(bytes, header + 2);
    info.tcp_seq = be32(bytes, header + 4);
    info.tcp_ack = be32(bytes, header + 8);
    info.tcp_flags = bytes[header + 13];
    info.tcp_payload = static_cast<std::uint32_t>(info.ip_bytes - header - tcp_header);
    info.tcp_offset = static_cast<std::uint32_t>(header);
    return info;
}

} // namespace iscsiscope::testbed::shim

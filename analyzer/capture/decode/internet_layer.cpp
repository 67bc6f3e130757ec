// SPDX-License-Identifier: GPL-2.0-or-later
// Decodes IPv4 (RFC 791), IPv6 (RFC 8200) and the protocols inside: TCP, and those of tunnels
// (tunnels.cpp).
#include "analyzer/capture/decode/internet_header.h"
#include "analyzer/capture/decode/packet_decoder.h"
#include "analyzer/capture/decode/tcp_header.h"
#include "analyzer/capture/decode/tunnel_decoder.h"

namespace iscsiscope {

bool FrameDecoder::State::tcp(PacketView view, Segment &segment) {
    switch (read_tcp_header(view, segment)) {
    case TcpHeaderResult::good:
        ++counts.tcp;
        return true;
    case TcpHeaderResult::too_short:
        return faults.incomplete(view, counts.tcp);
    default:
        return faults.malformed(counts.tcp);
    }
}

bool FrameDecoder::State::ipv4(PacketView view, Segment &segment) {
    if (!view.has(20)) [[unlikely]]
        return faults.incomplete(view, counts.other_ip);
    const std::uint32_t header_size = (view.u8(0) & 0x0fU) * 4U;
    if (view.u8(0) >> 4 != 4 || header_size < 20) [[unlikely]]
        return faults.malformed(counts.other_ip);
    // 0: a super-segment of 64 KiB or more, captured before the network card split it (TSO).
    std::uint32_t total_length = view.u16(2);
    if (total_length == 0) [[unlikely]]
        total_length = view.wire;
    if (total_length < header_size) [[unlikely]]
        return faults.malformed(counts.other_ip);
    if (total_length > view.wire) [[unlikely]] {
        // The record's original length is less than the IP length: a mirror port or a tool cut the frame
        // before its length was taken. The IP length is the true one.
        faults.short_packet();
    }
    view = view.limited_to(total_length);
    if (!view.has(header_size)) [[unlikely]]
        return faults.incomplete(view, counts.other_ip);
    segment.ip_ecn = view.u8(1) & 3U;
    segment.ip_ttl = view.u8(8);
    segment.has_ip_id = true;
    segment.ip_id = view.u16(4);
    segment.source.address = address_v4(view.data + 12);
    segment.destination.address = address_v4(view.data + 16);
    const std::uint16_t fragment_field = view.u16(6);
    const std::uint8_t protocol = view.u8(9);
    if ((fragment_field & 0x3fffU) != 0) [[unlikely]] {
        return fragment(
            {.key = {segment.source.address, segment.destination.address, segment.ip_id, protocol},
             .offset = (fragment_field & 0x1fffU) * 8U,
             .more = (fragment_field & 0x2000U) != 0,
             .protocol = protocol,
             .bytes = view.behind(header_size),
             .frame = segment.frame,
             .time = segment.time},
            segment);
    }
    return transport(protocol, view.behind(header_size), segment);
}

bool FrameDecoder::State::ipv6(PacketView view, Segment &segment) {
    constexpr std::uint32_t header_size = 40;
    if (!view.has(header_size)) [[unlikely]]
        return faults.incomplete(view, counts.other_ip);
    if (view.u8(0) >> 4 != 6) [[unlikely]]
        return faults.malformed(counts.other_ip);
    // 0: a jumbogram (RFC 2675) or a super-segment as with IPv4.
    const std::uint32_t payload_length = view.u16(4);
    const std::uint32_t total_length = payload_length == 0 ? view.wire : header_size + payload_length;
    if (total_length > view.wire) [[unlikely]]
        faults.short_packet(); // as with IPv4
    view = view.limited_to(total_length);
    segment.ip_ecn = (view.u8(1) >> 4) & 3U;
    segment.ip_ttl = view.u8(7);
    segment.has_ip_id = false;
    segment.ip_id = 0;
    segment.source.address = address_v6(view.data + 8);
    segment.destination.address = address_v6(view.data + 24);
    return ipv6_headers(view.u8(6), view.behind(header_size), segment);
}

bool FrameDecoder::State::ipv6_headers(std::uint8_t next_header, PacketView view, Segment &segment) {
    for (;;) {
        std::uint32_t unit = 8;
        std::uint32_t first_units = 1;
        switch (next_header) {
        case protocol_hop_by_hop:
        case protocol_routing:
        case protocol_destination_options:
        case protocol_mobility:
        case protocol_host_identity:
        case protocol_shim6:
            break;
        case protocol_authentication: // RFC 4302 section 2.2
            unit = 4;
            first_units = 2;
            break;
        case protocol_fragment: {
            if (!view.has(8))
                return faults.incomplete(view, counts.other_ip);
            const std::uint8_t carried = view.u8(0);
            const std::uint16_t field = view.u16(2);
            const std::uint32_t id = view.u32(4);
            view = view.behind(8);
            if ((field & 0xfff9U) != 0) {
                return fragment({.key = {segment.source.address, segment.destination.address, id, 0},
                                 .offset = field & 0xfff8U,
                                 .more = (field & 1U) != 0,
                                 .protocol = carried,
                                 .bytes = view,
                                 .frame = segment.frame,
                                 .time = segment.time},
                                segment);
            }
            next_header = carried; // an atomic fragment (RFC 6946): a complete datagram
            continue;
        }
        default:
            return transport(next_header, view, segment);
        }
        if (!view.has(2))
            return faults.incomplete(view, counts.other_ip);
        const std::uint32_t size = (view.u8(1) + first_units) * unit;
        if (size > view.wire)
            return faults.malformed(counts.other_ip);
        next_header = view.u8(0);
        view = view.behind(size);
    }
}

bool FrameDecoder::State::fragment(Fragment piece, Segment &segment) {
    const bool is_v4 = segment.has_ip_id;
    std::uint64_t *counter = &counts.other_ip;
    switch (piece.protocol) {
    case protocol_tcp:
        counter = &counts.tcp;
        break;
    case protocol_udp: // may be a tunnel
        counter = &counts.udp;
        break;
    case protocol_ipv4:
    case protocol_ipv6:
    case protocol_gre:
    case protocol_mpls:
        break;
    case protocol_authentication: // TCP may follow
        break;
    case protocol_icmp: // those that are about TCP are shorter than a fragment
    case protocol_icmpv6:
        ++counts.icmp;
        return false;
    case protocol_routing:
    case protocol_destination_options:
        if (!is_v4) // TCP may follow
            break;
        [[fallthrough]];
    default:
        return transport(piece.protocol, piece.bytes, segment); // counts it
    }
    const auto datagram = reassembly.add(piece);
    if (!datagram) {
        ++*counter;
        return false;
    }
    return is_v4 ? transport(datagram->protocol, datagram->bytes, segment)
                 : ipv6_headers(datagram->protocol, datagram->bytes, segment);
}

bool FrameDecoder::State::transport(std::uint8_t protocol, PacketView view, Segment &segment) {
    while (protocol == protocol_authentication) { // of IPv4; what it authenticates is readable
        if (!view.has(2))
            return faults.incomplete(view, counts.other_ip);
        const std::uint32_t size = (view.u8(1) + 2U) * 4; // RFC 4302 section 2.2
        if (size > view.wire)
            return faults.malformed(counts.other_ip);
        protocol = view.u8(0);
        view = view.behind(size);
    }
    switch (protocol) {
    case protocol_tcp:
        return tcp(view, segment);
    case protocol_udp:
        return TunnelDecoder(*this).udp(view, segment);
    case protocol_gre:
        return TunnelDecoder(*this).gre(view, segment);
    case protocol_ipv4:
    case protocol_ipv6: {
        const bool inner_v4 = protocol == protocol_ipv4, outer_v4 = segment.has_ip_id;
        if (!tunnels.enter(inner_v4 == outer_v4 ? EncapsulationKind::ip_in_ip
                           : outer_v4           ? EncapsulationKind::six_in_four
                                                : EncapsulationKind::four_in_six)) {
            ++counts.other_ip;
            return false;
        }
        segment.source_mac = {}; // of the tunnel
        return inner_v4 ? ipv4(view, segment) : ipv6(view, segment);
    }
    case protocol_mpls:
        return TunnelDecoder(*this).mpls(view, segment);
    case protocol_encryption:
        ++unread.ipsec;
        ++counts.other_ip;
        return false;
    case protocol_icmp:
    case protocol_icmpv6:
        ++counts.icmp;
        icmp_errors.add(view, protocol == protocol_icmpv6, segment.source.address, segment.frame);
        return false;
    default:
        ++counts.other_ip;
        return false;
    }
}

} // namespace iscsiscope

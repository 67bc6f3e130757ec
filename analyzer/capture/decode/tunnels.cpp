// SPDX-License-Identifier: GPL-2.0-or-later
// Decodes what carries packets inside packets, down to the packet inside: GRE (RFC 2784, RFC 2890), ERSPAN
// (draft-foschiano-erspan-03), IP in IP (RFC 2003, RFC 2473, RFC 4213), VXLAN (RFC 7348), VXLAN-GPE
// (draft-ietf-nvo3-vxlan-gpe), Geneve (RFC 8926), NSH (RFC 8300), MPLS (RFC 3032, RFC 4023, RFC 4385) and
// PPPoE (RFC 2516).
#include "analyzer/capture/decode/ether_type.h"
#include "analyzer/capture/decode/packet_decoder.h"
#include "analyzer/capture/decode/tunnel_decoder.h"

namespace iscsiscope {

namespace {

constexpr std::uint16_t roce_port = 4791;
constexpr std::uint16_t ipsec_port = 4500; // through address translation
constexpr std::uint16_t geneve_port = 6081;
constexpr std::uint16_t vxlan_port = 4789;
constexpr std::uint16_t vxlan_linux_port = 8472; // Linux's default, chosen before the assignment
constexpr std::uint16_t vxlan_gpe_port = 4790;

constexpr std::uint32_t ethernet_size = 14;

// True if the length field of this IP packet says what there is of it; a short one may be padded.
bool has_ip_length(PacketView view) {
    constexpr std::uint32_t padded = 64;
    if (!view.has(6))
        return false;
    const std::uint32_t length = view.u8(0) >> 4 == 4 ? view.u16(2) : view.u16(4) + 40U;
    return length == view.wire || (length < view.wire && view.wire <= padded);
}

// True if an Ethernet frame with an IP packet, or with a header that may precede one, begins here.
bool looks_like_ethernet(PacketView view) {
    if (!view.has(ethernet_size + 1))
        return false;
    const unsigned first = view.u8(ethernet_size);
    switch (view.u16(12)) {
    case ether_ipv4:
        return first >> 4 == 4 && (first & 0xfU) >= 5;
    case ether_ipv6:
        return first >> 4 == 6;
    case ether_arp:
        return first == 0; // hardware type 1: Ethernet
    case ether_vlan:
    case ether_provider_vlan:
    case ether_old_qinq:
    case ether_mpls:
    case ether_pppoe_session:
        return true;
    default:
        return false;
    }
}

} // namespace

// VXLAN, VXLAN-GPE and Geneve; other UDP is only counted.
bool TunnelDecoder::udp(PacketView view, Segment &segment) {
    constexpr std::uint32_t header_size = 8;
    if (view.has(header_size + 4)) {
        if (view.u16(2) == roce_port)
            ++frame_.unread.roce_v2;
        // RFC 3948: key exchange begins with four zeros; to keep the translation alive, one byte is sent.
        else if ((view.u16(0) == ipsec_port || view.u16(2) == ipsec_port) && view.u32(header_size) != 0)
            ++frame_.unread.ipsec;
    }
    if (view.has(header_size + 8)) {
        const std::uint16_t port = view.u16(2);
        constexpr unsigned flag_vni_valid = 0x08;
        if ((port == vxlan_port || port == vxlan_linux_port) && (view.u8(8) & flag_vni_valid) != 0 &&
            frame_.tunnels.enter(EncapsulationKind::vxlan, view.u32(12) >> 8))
            return frame_.ethernet(view.behind(header_size + 8), segment);
        if (port == vxlan_gpe_port)
            return vxlan_gpe(view.behind(header_size), segment);
        if (port == geneve_port && view.u8(8) >> 6 == 0) { // version 0
            const std::uint32_t size = header_size + 8 + (view.u8(8) & 0x3fU) * 4;
            const std::uint16_t type = view.u16(10);
            if (size <= view.wire && is_packet(type) &&
                frame_.tunnels.enter(EncapsulationKind::geneve, view.u32(12) >> 8))
                return carried(type, view.behind(size), segment);
        }
    }
    ++frame_.counts.udp;
    return false;
}

bool TunnelDecoder::vxlan_gpe(PacketView view, Segment &segment) {
    constexpr unsigned version = 0x30, vni_valid = 0x08, next_valid = 0x04;
    const unsigned flags = view.u8(0);
    if ((flags & version) != 0 || (flags & vni_valid) == 0 ||
        !frame_.tunnels.enter(EncapsulationKind::vxlan_gpe, view.u32(4) >> 8)) {
        ++frame_.counts.udp;
        return false;
    }
    const PacketView inside = view.behind(8);
    segment.source_mac = {};
    // Without a next protocol it is as VXLAN.
    return (flags & next_valid) != 0 ? next_protocol(view.u8(3), inside, segment)
                                     : frame_.ethernet(inside, segment);
}

bool TunnelDecoder::nsh(PacketView view, Segment &segment) {
    if (!view.has(8))
        return frame_.faults.incomplete(view, frame_.counts.other);
    const std::uint32_t size = (view.u16(0) & 0x3fU) * 4; // its context headers are in it
    if (view.u8(0) >> 6 != 0 || size < 8 || size > view.wire)
        return frame_.faults.malformed(frame_.counts.other);
    if (!view.has(size))
        return frame_.faults.incomplete(view, frame_.counts.other);
    if (!frame_.tunnels.enter(EncapsulationKind::nsh, view.u32(4) >> 8)) {
        ++frame_.counts.other;
        return false;
    }
    segment.source_mac = {};
    return next_protocol(view.u8(3), view.behind(size), segment);
}

// The numbers of VXLAN-GPE and of NSH are the same (IANA, "NSH Next Protocol").
bool TunnelDecoder::next_protocol(unsigned number, PacketView view, Segment &segment) {
    constexpr unsigned next_ipv4 = 1, next_ipv6 = 2, next_ethernet = 3, next_nsh = 4, next_mpls = 5;
    switch (number) {
    case next_ipv4:
        return frame_.ipv4(view, segment);
    case next_ipv6:
        return frame_.ipv6(view, segment);
    case next_ethernet:
        return frame_.ethernet(view, segment);
    case next_nsh:
        return nsh(view, segment);
    case next_mpls:
        return mpls(view, segment);
    default:
        ++frame_.counts.other;
        return false;
    }
}

bool TunnelDecoder::gre(PacketView view, Segment &segment) {
    if (!view.has(4))
        return frame_.faults.incomplete(view, frame_.counts.other_ip);
    constexpr unsigned checksum = 0x8000, routing = 0x4000, key = 0x2000, sequence = 0x1000, version = 7;
    const unsigned flags = view.u16(0);
    const std::uint16_t type = view.u16(2);
    // Version 1 is that of PPTP; routing is of RFC 1701 and obsolete.
    if ((flags & (routing | version)) != 0) {
        ++frame_.counts.other_ip;
        return false;
    }
    std::uint32_t size = 4;
    for (const unsigned optional : {checksum, key, sequence})
        size += (flags & optional) != 0 ? 4 : 0;
    if (size > view.wire)
        return frame_.faults.malformed(frame_.counts.other_ip);
    if (!view.has(size))
        return frame_.faults.incomplete(view, frame_.counts.other_ip);
    const PacketView inside = view.behind(size);
    const bool numbered = (flags & sequence) != 0;
    if (is_packet(type) && frame_.tunnels.enter(EncapsulationKind::gre))
        return carried(type, inside, segment);
    // Without numbers it is type I, which has no header of its own.
    if (type == ether_erspan && !numbered && frame_.tunnels.enter(EncapsulationKind::erspan_1))
        return frame_.ethernet(inside, segment);
    if (type == ether_erspan_3 || (type == ether_erspan && numbered))
        return erspan(numbered ? std::optional(view.u32(size - 4)) : std::nullopt, inside, segment);
    ++frame_.counts.other_ip;
    return false;
}

bool TunnelDecoder::carried(std::uint16_t type, PacketView view, Segment &segment) {
    segment.source_mac = {}; // that around the tunnel is of no end of what it carries
    return type == ether_bridged ? frame_.ethernet(view, segment) : frame_.ether_type(type, view, segment);
}

// ERSPAN II and III, by the version in their own header: senders are known that give both one EtherType.
bool TunnelDecoder::erspan(std::optional<std::uint32_t> sequence, PacketView view, Segment &segment) {
    if (!view.has(4))
        return frame_.faults.incomplete(view, frame_.counts.other_ip);
    constexpr unsigned type_2 = 1, type_3 = 2, truncated = 0x0400;
    const unsigned version = view.u8(0) >> 4;
    const auto session = static_cast<std::uint16_t>(view.u16(2) & 0x3ffU);
    if ((version != type_2 && version != type_3) ||
        !frame_.tunnels.enter(version == type_2 ? EncapsulationKind::erspan_2 : EncapsulationKind::erspan_3,
                              session)) {
        ++frame_.counts.other_ip;
        return false;
    }
    if (sequence) // the addresses are still those of the mirror and of who takes its copies
        frame_.mirrors.add(segment.source.address, segment.destination.address, session, *sequence);
    std::uint32_t size = version == type_2 ? 8 : 12;
    if (!view.has(size))
        return frame_.faults.incomplete(view, frame_.counts.other_ip);
    if ((view.u16(2) & truncated) != 0)
        frame_.faults.mirror_cut();
    if (version == type_2)
        return frame_.ethernet(view.behind(size), segment);
    const unsigned last = view.u16(10);
    size += (last & 1U) != 0 ? 8 : 0; // O: platform-specific subheader
    if (size > view.wire)
        return frame_.faults.malformed(frame_.counts.other_ip);
    constexpr unsigned frame_is_ip = 2;
    const PacketView inside = view.behind(size);
    return (last >> 10 & 0x1fU) == frame_is_ip ? frame_.raw_ip(inside, segment)
                                               : frame_.ethernet(inside, segment);
}

bool TunnelDecoder::mpls(PacketView view, Segment &segment) {
    constexpr int max_labels = 16;
    for (int label = 0; label < max_labels; ++label) {
        if (!view.has(4))
            return frame_.faults.incomplete(view, frame_.counts.other);
        const bool bottom = (view.u8(2) & 1U) != 0;
        view = view.behind(4);
        if (!bottom)
            continue;
        if (!view.has(1))
            return frame_.faults.incomplete(view, frame_.counts.other);
        // Labels have no type: what follows is known from its first four bits (RFC 4928 section 2). They may
        // also be those of a MAC address, at the begin of an Ethernet frame without a control word.
        const unsigned first = view.u8(0) >> 4;
        if ((first != 4 && first != 6) || (!has_ip_length(view) && looks_like_ethernet(view)))
            return pseudowire(view, segment);
        if (!frame_.tunnels.enter(EncapsulationKind::mpls))
            break;
        return first == 4 ? frame_.ipv4(view, segment) : frame_.ipv6(view, segment);
    }
    ++frame_.counts.other;
    return false;
}

// An Ethernet frame behind MPLS labels, with a control word (RFC 4385) or without.
bool TunnelDecoder::pseudowire(PacketView view, Segment &segment) {
    constexpr std::uint32_t control_word = 4;
    if (!view.has(control_word + ethernet_size + 1) && view.is_cut())
        return frame_.faults.incomplete(view, frame_.counts.other);
    const bool controlled =
        view.u8(0) >> 4 == 0 && view.has(control_word) && looks_like_ethernet(view.behind(control_word));
    if ((controlled || looks_like_ethernet(view)) && frame_.tunnels.enter(EncapsulationKind::pseudowire))
        return frame_.ethernet(view.behind(controlled ? control_word : 0), segment);
    ++frame_.counts.other;
    return false;
}

bool TunnelDecoder::pppoe(PacketView view, Segment &segment) {
    constexpr std::uint32_t header_size = 6;
    if (!view.has(header_size))
        return frame_.faults.incomplete(view, frame_.counts.other);
    const std::uint32_t length = view.u16(4);
    if (view.u16(0) != 0x1100 || length < 1) { // version 1, type 1, code 0: session data
        ++frame_.counts.other;
        return false;
    }
    if (length > view.wire - header_size)
        frame_.faults.short_packet(); // a tool cut the frame before its length was taken
    view = view.behind(header_size).limited_to(length);
    constexpr std::uint16_t ppp_ipv4 = 0x0021, ppp_ipv6 = 0x0057;
    if (!view.has(1))
        return frame_.faults.incomplete(view, frame_.counts.other);
    // RFC 1661 section 6.5: the protocol may be compressed to its last byte, which is odd.
    const std::uint32_t size = (view.u8(0) & 1U) != 0 ? 1 : 2;
    if (!view.has(size))
        return frame_.faults.incomplete(view, frame_.counts.other);
    const std::uint16_t protocol = size == 1 ? view.u8(0) : view.u16(0);
    view = view.behind(size);
    if ((protocol == ppp_ipv4 || protocol == ppp_ipv6) && frame_.tunnels.enter(EncapsulationKind::pppoe))
        return protocol == ppp_ipv4 ? frame_.ipv4(view, segment) : frame_.ipv6(view, segment);
    ++frame_.counts.other;
    return false;
}

} // namespace iscsiscope

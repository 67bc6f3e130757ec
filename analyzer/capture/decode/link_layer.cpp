// SPDX-License-Identifier: GPL-2.0-or-later
// Decodes link headers by LINKTYPE_ value (tcpdump.org/linktypes.html) down to an EtherType.
#include "analyzer/capture/decode/ether_type.h"
#include "analyzer/capture/decode/hardware_address.h"
#include "analyzer/capture/decode/link_type.h"
#include "analyzer/capture/decode/packet_decoder.h"
#include "analyzer/capture/decode/tunnel_decoder.h"

namespace iscsiscope {

namespace {

// True for an IEEE 802.3 frame with LLC whose SNAP header (RFC 1042) has an EtherType.
bool is_snap(PacketView view) {
    constexpr std::uint32_t snap = 0xaaaa0300;
    return view.has(8) && view.u32(0) == snap && view.u16(4) == 0 && view.u16(6) >= ether_first;
}

} // namespace

bool FrameDecoder::State::link(std::uint32_t link_type, PacketView view, Segment &segment) {
    if (link_type == link_ethernet) [[likely]]
        return ethernet(view, segment);
    switch (link_type) {
    case link_linux_sll:
        return linux_cooked(view, 16, 14, segment);
    case link_linux_sll2:
        return linux_cooked(view, 20, 0, segment);
    case link_null:
    case link_loop:
        return loopback(view, segment);
    case link_raw_bsd:
    case link_raw_openbsd:
    case link_raw:
    case link_ipv4:
    case link_ipv6:
        return raw_ip(view, segment);
    default:
        return faults.unknown_link(link_type, counts.other);
    }
}

bool FrameDecoder::State::ethernet(PacketView view, Segment &segment) {
    if (!view.has(14)) [[unlikely]]
        return faults.incomplete(view, counts.other);
    segment.source_mac = mac_at(view.data + source_mac_at);
    return ether_type(view.u16(12), view.behind(14), segment);
}

// LINKTYPE_LINUX_SLL and SLL2: captures on Linux's "any" device.
bool FrameDecoder::State::linux_cooked(PacketView view, std::uint32_t header_size, std::uint32_t protocol_at,
                                       Segment &segment) {
    if (!view.has(header_size))
        return faults.incomplete(view, counts.other);
    // Both versions have the address, with room for eight bytes, and its length before it (of SLL two bytes).
    const std::uint32_t address_at = protocol_at == 0 ? 12 : 6;
    if (view.u8(address_at - 1) == segment.source_mac.size())
        segment.source_mac = mac_at(view.data + address_at);
    return ether_type(view.u16(protocol_at), view.behind(header_size), segment);
}

// LINKTYPE_NULL and LINKTYPE_LOOP: four bytes of address family in the byte order of the capturing host.
// IPv6's number differs by system: Linux 10, Windows 23, NetBSD 24, FreeBSD 28, macOS 30.
bool FrameDecoder::State::loopback(PacketView view, Segment &segment) {
    if (!view.has(4))
        return faults.incomplete(view, counts.other);
    std::uint32_t family = view.u32(0);
    if (family > 0xffff)
        family = swap_bytes(family);
    switch (family) {
    case 2:
        return ipv4(view.behind(4), segment);
    case 10:
    case 23:
    case 24:
    case 28:
    case 30:
        return ipv6(view.behind(4), segment);
    default:
        ++counts.other;
        return false;
    }
}

bool FrameDecoder::State::raw_ip(PacketView view, Segment &segment) {
    segment.source_mac = {};
    if (!view.has(1))
        return faults.incomplete(view, counts.other);
    switch (view.u8(0) >> 4) {
    case 4:
        return ipv4(view, segment);
    case 6:
        return ipv6(view, segment);
    default:
        return faults.malformed(counts.other);
    }
}

bool FrameDecoder::State::pass(const Tag &tag, std::uint16_t &type, PacketView &view) {
    if (!view.has(tag.size))
        return faults.incomplete(view, counts.other);
    tunnels.add_tag(tag.kind, view.u16(tag.id_at) & std::uint32_t{tag.id_mask});
    type = view.u16(tag.size - 2);
    view = view.behind(tag.size);
    return true;
}

// A loop: a frame can hold thousands of tags and SNAP headers.
bool FrameDecoder::State::ether_type(std::uint16_t type, PacketView view, Segment &segment) {
    for (;;) {
        switch (type) {
        case ether_ipv4:
            return ipv4(view, segment);
        case ether_ipv6:
            return ipv6(view, segment);
        case ether_vlan:
        case ether_provider_vlan:
        case ether_old_qinq:
            if (!pass({EncapsulationKind::vlan, 4, 0, 0x0fff}, type, view))
                return false;
            break;
        case ether_vn_tag: // direction, pointer, destination (14 bits); flags and source
            if (!pass({EncapsulationKind::vn_tag, 6, 0, 0x3fff}, type, view))
                return false;
            break;
        case ether_e_tag: // priority and ingress E-CID; group and E-CID (12 bits); extensions of both
            if (!pass({EncapsulationKind::e_tag, 8, 2, 0x0fff}, type, view))
                return false;
            break;
        case ether_mpls:
        case ether_mpls_multicast:
            return TunnelDecoder(*this).mpls(view, segment);
        case ether_nsh:
            return TunnelDecoder(*this).nsh(view, segment);
        case ether_pppoe_session:
            return TunnelDecoder(*this).pppoe(view, segment);
        case ether_arp:
        case ether_rarp:
            ++counts.arp;
            return false;
        case ether_macsec:
            ++unread.macsec;
            ++counts.other;
            return false;
        case ether_roce:
            ++unread.roce_v1;
            ++counts.other;
            return false;
        default:
            if (type < ether_first) {
                if (!view.has(8) && view.is_cut())
                    return faults.incomplete(view, counts.other);
                if (is_snap(view)) {
                    type = view.u16(6);
                    view = view.behind(8);
                    break;
                }
            }
            ++counts.other;
            return false;
        }
    }
}

} // namespace iscsiscope

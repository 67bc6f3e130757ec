// SPDX-License-Identifier: GPL-2.0-or-later
// EtherType: values of IEEE 802.3's type field, as Ethernet, GRE and Geneve use them.
#pragma once

#include <cstdint>

namespace iscsiscope {

enum EtherType : std::uint16_t {
    ether_first = 0x0600, // lower values are the length of an IEEE 802.3 frame
    ether_ipv4 = 0x0800,
    ether_arp = 0x0806,
    ether_erspan_3 = 0x22eb,
    ether_bridged = 0x6558, // an Ethernet frame inside a tunnel
    ether_rarp = 0x8035,
    ether_vlan = 0x8100,
    ether_ipv6 = 0x86dd,
    ether_mpls = 0x8847,
    ether_mpls_multicast = 0x8848,
    ether_pppoe_session = 0x8864,
    ether_provider_vlan = 0x88a8,
    ether_erspan = 0x88be, // types I and II
    ether_macsec = 0x88e5,
    ether_roce = 0x8915, // version 1
    ether_vn_tag = 0x8926,
    ether_e_tag = 0x893f,
    ether_nsh = 0x894f,
    ether_old_qinq = 0x9100,
};

// True if packets of this type are decoded inside a tunnel.
constexpr bool is_packet(std::uint16_t type) {
    return type == ether_ipv4 || type == ether_ipv6 || type == ether_bridged || type == ether_mpls ||
           type == ether_mpls_multicast || type == ether_nsh;
}

} // namespace iscsiscope

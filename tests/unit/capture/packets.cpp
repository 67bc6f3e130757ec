// SPDX-License-Identifier: GPL-2.0-or-later
#include "packets.h"

namespace capture_test {

Bytes slice(const Bytes &bytes, std::size_t begin, std::size_t end) {
    return {bytes.begin() + static_cast<std::ptrdiff_t>(begin),
            bytes.begin() + static_cast<std::ptrdiff_t>(end)};
}

Bytes tcp(const Tcp &t) {
    const Bytes options = Writer().bytes(t.options).pad_to_4().done();
    return Writer()
        .u16(t.source)
        .u16(t.destination)
        .u32(t.sequence)
        .u32(t.acknowledgment)
        .u8((20 + options.size()) / 4 << 4)
        .u8(t.flags)
        .u16(t.window)
        .u32(0) // checksum, urgent pointer
        .bytes(options)
        .bytes(t.payload)
        .done();
}

Bytes udp(std::uint16_t destination, const Bytes &payload) {
    return Writer().u16(50000).u16(destination).u16(8 + payload.size()).u16(0).bytes(payload).done();
}

Bytes ipv4(const Bytes &payload, const Ipv4 &h) {
    const std::size_t header = 20 + h.options.size();
    const auto total =
        h.total_length < 0 ? header + payload.size() : static_cast<std::size_t>(h.total_length);
    return Writer()
        .u8(0x40 | header / 4)
        .u8(h.tos)
        .u16(total)
        .u16(h.id)
        .u16(h.fragment)
        .u8(h.ttl)
        .u8(h.protocol)
        .u16(0)
        .u32(0xc0000201)
        .u32(0xc6336402)
        .bytes(h.options)
        .bytes(payload)
        .done();
}

Bytes ipv6(const Bytes &payload, const Ipv6 &h) {
    const auto length = h.payload_length < 0 ? payload.size() : static_cast<std::size_t>(h.payload_length);
    return Writer()
        .u32(0x60000000U | static_cast<std::uint32_t>(h.traffic_class) << 20U)
        .u16(length)
        .u8(h.next_header)
        .u8(h.hop_limit)
        .u64(0x20010db800000000)
        .u64(1)
        .u64(0x20010db800000000)
        .u64(2)
        .bytes(payload)
        .done();
}

Bytes extension(std::uint8_t next_header, const Bytes &payload, unsigned more_units) {
    return Writer()
        .u8(next_header)
        .u8(more_units)
        .zeros(6 + 8 * std::size_t{more_units})
        .bytes(payload)
        .done();
}

Bytes authentication(std::uint8_t next_header, const Bytes &payload) {
    return Writer().u8(next_header).u8(4).zeros(22).bytes(payload).done(); // (4 + 2) * 4 bytes
}

Bytes ipv6_fragment(std::uint8_t next_header, std::uint32_t id, std::uint16_t offset, bool more,
                    const Bytes &payload) {
    return Writer().u8(next_header).u8(0).u16(offset | (more ? 1 : 0)).u32(id).bytes(payload).done();
}

Bytes ethernet(std::uint16_t type, const Bytes &payload) {
    return Writer().zeros(12).u16(type).bytes(payload).done();
}

Bytes llc(std::uint16_t type, const Bytes &payload) {
    return Writer().u32(0xaaaa0300).u16(0).u16(type).bytes(payload).done();
}

Bytes vlan(std::uint16_t tag, std::uint16_t inner_type, const Bytes &payload) {
    return Writer().u16(tag).u16(inner_type).bytes(payload).done();
}

Bytes vxlan(const Bytes &inner_frame) {
    return Writer().u32(0x08000000).u32(42 << 8).bytes(inner_frame).done();
}

Bytes gre(std::uint16_t flags, std::uint16_t type, const Bytes &payload) {
    const auto set = [flags](unsigned bit) { return (flags & bit) != 0 ? 4U : 0U; };
    return Writer().u16(flags).u16(type).zeros(set(0x8000) + set(0x2000) + set(0x1000)).bytes(payload).done();
}

Bytes erspan_2(const Bytes &frame) {
    return Writer().u16(0x1001).u16(7).u32(3).bytes(frame).done();
}

Bytes erspan_3(const Bytes &inner, bool ip, bool subheader) {
    return Writer()
        .u16(0x2001)
        .u16(7)
        .u32(12345)
        .u16(0)
        .u16((ip ? 2U << 10 : 0U) | (subheader ? 1U : 0U))
        .zeros(subheader ? 8 : 0)
        .bytes(inner)
        .done();
}

Bytes geneve(std::uint16_t type, const Bytes &inner, unsigned option_words) {
    return Writer()
        .u8(option_words)
        .u8(0)
        .u16(type)
        .u32(42 << 8)
        .zeros(4 * std::size_t{option_words})
        .bytes(inner)
        .done();
}

Bytes vn_tag(std::uint16_t inner_type, const Bytes &payload) {
    return Writer().u16(0xc005).u16(0x0007).u16(inner_type).bytes(payload).done();
}

Bytes e_tag(std::uint16_t inner_type, const Bytes &payload) {
    return Writer().u16(0xe009).u16(0x1006).u16(0).u16(inner_type).bytes(payload).done();
}

Bytes vxlan_gpe(unsigned next, const Bytes &inner) {
    return Writer().u8(next != 0 ? 0x0c : 0x08).u8(0).u8(0).u8(next).u32(42 << 8).bytes(inner).done();
}

Bytes nsh(unsigned next, const Bytes &inner, unsigned context_words) {
    return Writer()
        .u16(static_cast<std::uint16_t>(63U << 6 | (2U + context_words)))
        .u8(context_words == 4 ? 1 : 2) // MD type
        .u8(next)
        .u32(9 << 8 | 255)
        .zeros(4 * std::size_t{context_words})
        .bytes(inner)
        .done();
}

Bytes mpls(unsigned labels, const Bytes &payload) {
    Writer w;
    for (unsigned i = 1; i <= labels; ++i)
        w.u32((16U + i) << 12 | (i == labels ? 0x100U : 0U) | 64U);
    return w.bytes(payload).done();
}

Bytes pppoe(std::uint16_t protocol, const Bytes &payload, bool compressed) {
    const std::size_t size = compressed ? 1 : 2;
    Writer w;
    w.u16(0x1100).u16(9).u16(static_cast<std::uint16_t>(payload.size() + size));
    if (size == 1)
        w.u8(protocol);
    else
        w.u16(protocol);
    return w.bytes(payload).done();
}

} // namespace capture_test

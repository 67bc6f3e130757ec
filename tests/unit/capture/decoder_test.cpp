// SPDX-License-Identifier: GPL-2.0-or-later
#include "catch.h"
#include "decoding.h"

#include <rapidcheck.h>

#include <tuple>

using namespace capture_test;
using iscsiscope::AnomalyKind;

namespace {

Bytes sll(std::uint16_t protocol, const Bytes &payload) {
    return Writer().u16(4).u16(1).u16(6).u64(0).u16(protocol).bytes(payload).done();
}
Bytes sll2(std::uint16_t protocol, const Bytes &payload) {
    return Writer().u16(protocol).u16(0).u32(3).u16(1).u8(0).u8(6).u64(0).bytes(payload).done();
}
Bytes family(Order order, std::uint32_t value, const Bytes &payload) {
    return Writer(order).u32(value).bytes(payload).done();
}
Bytes snap(std::uint16_t type, const Bytes &payload) {
    return ethernet(static_cast<std::uint16_t>(8 + payload.size()), llc(type, payload));
}
// The frame with another first byte of its destination address.
Bytes from_mac(unsigned first, Bytes frame) {
    frame[0] = std::byte(first);
    return frame;
}

const Bytes timestamps = Writer().u32(0x0101080a).u32(1111).u32(2222).done();

} // namespace

TEST_CASE("a segment in every wrapping that is known") {
    const Bytes segment = tcp();
    const Bytes v4 = ipv4(segment);
    const Bytes v6 = ipv6(segment);
    struct Row {
        const char *name;
        std::uint32_t link_type;
        Bytes bytes;
        bool v6;
    };
    const Bytes inner = ethernet(0x0800, v4);
    const auto in_udp = [](std::uint16_t port, const Bytes &frame) {
        return ethernet(0x0800, ipv4(udp(port, vxlan(frame)), {.protocol = 17}));
    };
    const auto row = GENERATE_COPY(values<Row>({
        {"Ethernet, IPv4", 1, ethernet(0x0800, v4), false},
        {"Ethernet, IPv6", 1, ethernet(0x86dd, v6), true},
        {"padding", 1, ethernet(0x0800, v4 + Bytes(20)), false},
        {"IPv6 padding", 1, ethernet(0x86dd, v6 + Bytes(20)), true},
        {"802.1Q", 1, ethernet(0x8100, vlan(100, 0x0800, v4)), false},
        {"QinQ", 1, ethernet(0x88a8, vlan(7, 0x8100, vlan(100, 0x86dd, v6))), true},
        {"old QinQ", 1, ethernet(0x9100, vlan(7, 0x8100, vlan(100, 0x0800, v4))), false},
        {"802.1Q three deep", 1, ethernet(0x8100, vlan(1, 0x8100, vlan(2, 0x8100, vlan(3, 0x0800, v4)))),
         false},
        {"802.3 with SNAP", 1, snap(0x0800, v4), false},
        {"LINUX_SLL", 113, sll(0x0800, v4), false},
        {"LINUX_SLL, 802.1Q, IPv6", 113, sll(0x8100, vlan(5, 0x86dd, v6)), true},
        {"LINUX_SLL2", 276, sll2(0x0800, v4), false},
        {"LINUX_SLL2, IPv6", 276, sll2(0x86dd, v6), true},
        {"raw", 101, v4, false},
        {"raw, IPv6", 101, v6, true},
        {"raw 12", 12, v4, false},
        {"raw 14", 14, v6, true},
        {"IPv4", 228, v4, false},
        {"IPv6", 229, v6, true},
        {"NULL little", 0, family(Order::little, 2, v4), false},
        {"NULL big", 0, family(Order::big, 2, v4), false},
        {"NULL FreeBSD", 0, family(Order::little, 28, v6), true},
        {"NULL macOS", 0, family(Order::little, 30, v6), true},
        {"NULL NetBSD", 0, family(Order::big, 24, v6), true},
        {"LOOP", 108, family(Order::big, 2, v4), false},
        {"VXLAN", 1, in_udp(4789, inner), false},
        {"VXLAN, Linux's port", 1, in_udp(8472, ethernet(0x8100, vlan(9, 0x86dd, v6))), true},
        {"VXLAN in VXLAN", 1, in_udp(4789, in_udp(4789, inner)), false},
        {"VXLAN over IPv6", 1, ethernet(0x86dd, ipv6(udp(4789, vxlan(inner)), {.next_header = 17})), false},
        {"GRE", 1, ethernet(0x0800, ipv4(gre(0, 0x0800, v4), {.protocol = 47})), false},
        {"GRE, all fields, IPv6 inside", 1, ethernet(0x0800, ipv4(gre(0xb000, 0x86dd, v6), {.protocol = 47})),
         true},
        {"GRE, Ethernet inside, over IPv6", 1,
         ethernet(0x86dd, ipv6(gre(0x2000, 0x6558, inner), {.next_header = 47})), false},
        {"ERSPAN I", 1, ethernet(0x0800, ipv4(gre(0, 0x88be, inner), {.protocol = 47})), false},
        {"ERSPAN II", 1, ethernet(0x0800, ipv4(gre(0x1000, 0x88be, erspan_2(inner)), {.protocol = 47})),
         false},
        {"ERSPAN III", 1, ethernet(0x0800, ipv4(gre(0x1000, 0x22eb, erspan_3(inner)), {.protocol = 47})),
         false},
        {"ERSPAN III, IP, subheader", 1,
         ethernet(0x0800, ipv4(gre(0x1000, 0x22eb, erspan_3(v6, true, true)), {.protocol = 47})), true},
        {"IP in IP", 1, ethernet(0x0800, ipv4(v4, {.protocol = 4})), false},
        {"6in4", 1, ethernet(0x0800, ipv4(v6, {.protocol = 41})), true},
        {"IPv4 in IPv6", 1, ethernet(0x86dd, ipv6(v4, {.next_header = 4})), false},
        {"Geneve", 1, ethernet(0x0800, ipv4(udp(6081, geneve(0x6558, inner)), {.protocol = 17})), false},
        {"Geneve with options, IPv6 inside", 1,
         ethernet(0x0800, ipv4(udp(6081, geneve(0x86dd, v6, 5)), {.protocol = 17})), true},
        {"VN-Tag", 1, ethernet(0x8926, vn_tag(0x0800, v4)), false},
        {"VN-Tag around a VLAN", 1, ethernet(0x8926, vn_tag(0x8100, vlan(5, 0x86dd, v6))), true},
        {"E-tag", 1, ethernet(0x893f, e_tag(0x86dd, v6)), true},
        {"E-tag around a VLAN", 1, ethernet(0x893f, e_tag(0x8100, vlan(5, 0x0800, v4))), false},
        {"VXLAN-GPE, Ethernet", 1, ethernet(0x0800, ipv4(udp(4790, vxlan_gpe(3, inner)), {.protocol = 17})),
         false},
        {"VXLAN-GPE, IPv4", 1, ethernet(0x0800, ipv4(udp(4790, vxlan_gpe(1, v4)), {.protocol = 17})), false},
        {"VXLAN-GPE, IPv6", 1, ethernet(0x0800, ipv4(udp(4790, vxlan_gpe(2, v6)), {.protocol = 17})), true},
        {"VXLAN-GPE as VXLAN", 1, ethernet(0x0800, ipv4(udp(4790, vxlan_gpe(0, inner)), {.protocol = 17})),
         false},
        {"NSH in VXLAN-GPE", 1,
         ethernet(0x0800, ipv4(udp(4790, vxlan_gpe(4, nsh(3, inner))), {.protocol = 17})), false},
        {"NSH in Ethernet, IPv6", 1, ethernet(0x894f, nsh(2, v6, 0)), true},
        {"NSH in GRE, IPv4", 1, ethernet(0x0800, ipv4(gre(0, 0x894f, nsh(1, v4, 7)), {.protocol = 47})),
         false},
        {"NSH, MPLS", 1, ethernet(0x894f, nsh(5, mpls(1, v4))), false},
        {"MPLS", 1, ethernet(0x8847, mpls(1, v4)), false},
        {"MPLS, three labels, IPv6", 1, ethernet(0x8847, mpls(3, v6)), true},
        {"MPLS pseudowire", 1, ethernet(0x8847, mpls(2, Bytes(4) + inner)), false},
        {"MPLS pseudowire without control word", 1, ethernet(0x8847, mpls(2, inner)), false},
        {"MPLS pseudowire, address like IPv4", 1, ethernet(0x8847, mpls(1, from_mac(0x4c, inner))), false},
        {"MPLS pseudowire, address like IPv6", 1, ethernet(0x8847, mpls(1, from_mac(0x60, inner))), false},
        {"MPLS in GRE", 1, ethernet(0x0800, ipv4(gre(0, 0x8847, mpls(1, v4)), {.protocol = 47})), false},
        {"MPLS in IP", 1, ethernet(0x0800, ipv4(mpls(1, v4), {.protocol = 137})), false},
        {"ERSPAN III, by its version", 1,
         ethernet(0x0800, ipv4(gre(0x1000, 0x88be, erspan_3(inner)), {.protocol = 47})), false},
        {"802.1ad in GRE", 1,
         ethernet(0x0800, ipv4(gre(0, 0x6558, ethernet(0x88a8, vlan(5, 0x8100, vlan(6, 0x0800, v4)))),
                               {.protocol = 47})),
         false},
        {"SNAP in a VLAN", 1, ethernet(0x8100, vlan(5, 0x0080, llc(0x8100, vlan(6, 0x86dd, v6)))), true},
        {"IPv4 authentication", 1,
         ethernet(0x0800, ipv4(authentication(51, authentication(6, segment)), {.protocol = 51})), false},
        {"PPPoE", 1, ethernet(0x8864, pppoe(0x0021, v4)), false},
        {"PPPoE, compressed protocol", 1, ethernet(0x8864, pppoe(0x0021, v4, true)), false},
        {"PPPoE in a VLAN, IPv6", 1, ethernet(0x8100, vlan(7, 0x8864, pppoe(0x0057, v6))), true},
        {"six tunnels deep", 1,
         ethernet(0x0800,
                  ipv4(ipv4(ipv4(ipv4(ipv4(ipv4(v4, {.protocol = 4}), {.protocol = 4}), {.protocol = 4}),
                                 {.protocol = 4}),
                            {.protocol = 4}),
                       {.protocol = 4})),
         false},
        {"IPv4 options", 1, ethernet(0x0800, ipv4(segment, {.options = Bytes(40, std::byte{1})})), false},
        {"IPv4 super-segment", 1, ethernet(0x0800, ipv4(segment, {.total_length = 0})), false},
        {"IPv6 super-segment", 1, ethernet(0x86dd, ipv6(segment, {.payload_length = 0})), true},
        {"hop-by-hop", 101, ipv6(extension(6, segment), {.next_header = 0}), true},
        {"jumbogram", 101, ipv6(extension(6, segment), {.next_header = 0, .payload_length = 0}), true},
        {"routing", 101, ipv6(extension(6, segment, 4), {.next_header = 43}), true},
        {"destination options", 101, ipv6(extension(6, segment, 255), {.next_header = 60}), true},
        {"authentication", 101, ipv6(authentication(6, segment), {.next_header = 51}), true},
        {"atomic fragment", 101, ipv6(ipv6_fragment(6, 1, 0, false, segment), {.next_header = 44}), true},
        {"five extension headers", 101,
         ipv6(extension(
                  60, extension(43, extension(44, ipv6_fragment(51, 1, 0, false, authentication(6, segment))),
                                2)),
              {.next_header = 0}),
         true},
    }));
    INFO(row.name);
    Decoding decode;
    check_standard_segment(decode(row.link_type, row.bytes), row.v6);
    CHECK(decode.anomalies.all.empty());
    CHECK(decode.decoder.protocols().tcp == 1);
    CHECK(decode.counted() == 1);

    // Cut anywhere: with 20 bytes of TCP header the segment is there, without them it is header_cut.
    const std::size_t tail =
        row.bytes.size() - 100 - (std::string_view(row.name).ends_with("padding") ? 20 : 0);
    for (std::size_t captured = 0; captured <= row.bytes.size(); ++captured) {
        Decoding cut;
        const auto found = cut(row.link_type, row.bytes, captured);
        INFO("cut at " << captured);
        REQUIRE(found.has_value() == (captured >= tail));
        REQUIRE(cut.counted() == 1);
        if (found) {
            const std::size_t there = std::min<std::size_t>(captured - tail, 100);
            REQUIRE(cut.anomalies.all.empty());
            REQUIRE(found->payload_length == 100);
            REQUIRE(found->data == slice(pattern(100), 0, there));
        } else if (cut.decoder.protocols().udp == 0) { // a cut VXLAN header is plain UDP
            REQUIRE(cut.anomalies.count(AnomalyKind::header_cut) == 1);
        }
        // The same bytes, were they all that passed, would be a malformed frame instead, or one
        // whose IP header claims more.
        Decoding short_frame;
        (void)short_frame(row.link_type, slice(row.bytes, 0, captured));
        REQUIRE(short_frame.counted() == 1);
    }
}

TEST_CASE("what is not TCP is counted by kind") {
    Decoding decode;
    const auto &counts = decode.decoder.protocols();
    CHECK_FALSE(decode(1, ethernet(0x0806, Bytes(46))));
    CHECK_FALSE(decode(1, ethernet(0x8035, Bytes(46))));
    CHECK(counts.arp == 2);
    CHECK_FALSE(decode(1, ethernet(0x0800, ipv4(udp(53, pattern(30)), {.protocol = 17}))));
    CHECK_FALSE(decode(1, ethernet(0x0800, ipv4(udp(4789, Bytes(60)), {.protocol = 17})))); // no VNI flag
    CHECK(counts.udp == 2);
    CHECK_FALSE(decode(1, ethernet(0x0800, ipv4(Bytes(30), {.protocol = 1}))));
    CHECK_FALSE(decode(1, ethernet(0x86dd, ipv6(Bytes(30), {.next_header = 58}))));
    CHECK(counts.icmp == 2);
    CHECK_FALSE(decode(1, ethernet(0x0800, ipv4(Bytes(30), {.protocol = 47}))));
    CHECK_FALSE(decode(1, ethernet(0x86dd, ipv6({}, {.next_header = 59}))));
    CHECK(counts.other_ip == 2);
    CHECK_FALSE(decode(1, ethernet(0x88cc, Bytes(46))));
    CHECK_FALSE(decode(1, ethernet(0x0026, Bytes(46))));         // spanning tree
    CHECK_FALSE(decode(0, family(Order::little, 7, Bytes(46)))); // neither IPv4 nor IPv6
    CHECK(counts.other == 3);
    CHECK(counts.tcp == 0);
    CHECK(decode.anomalies.all.empty());
    CHECK(decode.counted() == decode.frames);
}

TEST_CASE("a link type that is not known is reported once") {
    Decoding decode;
    for (const std::uint32_t link_type : {147U, 147U, 105U, 147U, 0x3ffffffU, 0x3ffffffU})
        CHECK_FALSE(decode(link_type, Bytes(60)));
    REQUIRE(decode.anomalies.all.size() == 3);
    CHECK(decode.anomalies.count(AnomalyKind::unknown_link_type) == 3);
    CHECK(decode.anomalies.all[1].detail == 105);
    CHECK(decode.anomalies.all[1].frame == 3);
    CHECK(decode.decoder.protocols().other == 6);
}

TEST_CASE("headers that contradict themselves are malformed") {
    const auto row = GENERATE(values<std::pair<const char *, Bytes>>({
        {"version 5",
         [] {
             Bytes b = ipv4(tcp());
             b[0] = std::byte{0x55};
             return b;
         }()},
        {"header length 4",
         [] {
             Bytes b = ipv4(tcp());
             b[0] = std::byte{0x44};
             return b;
         }()},
        {"total length below the header", ipv4(tcp(), {.total_length = 19})},
        {"header longer than the datagram",
         [] {
             Bytes b = ipv4({});
             b[0] = std::byte{0x4f};
             return b;
         }()},
        {"no whole TCP header", ipv4(pattern(19))},
        {"data offset 4", ipv4([] {
             Bytes b = tcp();
             b[12] = std::byte{0x40};
             return b;
         }())},
        {"data offset beyond the datagram", ipv4([] {
             Bytes b = tcp({.payload = {}});
             b[12] = std::byte{0x60};
             return b;
         }())},
        {"extension header beyond the datagram",
         ipv6(slice(extension(6, Bytes(40), 10), 0, 60), {.next_header = 0})},
        {"empty fragment", ipv4({}, {.fragment = 0x2000})},
        {"fragment of 9 bytes with more to come", ipv4(Bytes(9), {.fragment = 0x2000})},
        {"fragment beyond 64 KiB", ipv4(Bytes(80), {.fragment = 0x1fff})},
    }));
    INFO(row.first);
    Decoding decode;
    CHECK_FALSE(decode(link_raw, row.second));
    CHECK(decode.anomalies.count(AnomalyKind::malformed_frame) == 1);
    CHECK(decode.anomalies.all.size() == 1);
    CHECK(decode.counted() == 1);
}

TEST_CASE("a mirror port that cuts frames: what IP says is what passed") {
    Decoding decode;
    // 64 of 154 bytes reached the tap, and the file's original length is 64.
    const auto segment = decode(link_ethernet, slice(ethernet(0x0800, ipv4(tcp())), 0, 64));
    REQUIRE(segment.has_value());
    CHECK(segment->payload_length == 100);
    CHECK(segment->data == slice(pattern(100), 0, 10));
    CHECK(decode.anomalies.count(AnomalyKind::malformed_frame) == 1);
}

TEST_CASE("TCP options") {
    const Bytes syn = Writer()
                          .u32(0x020405b4) // MSS 1460
                          .u16(0x0402)     // SACK permitted
                          .u16(0x080a)
                          .u32(0xdeadbeef)
                          .u32(0)
                          .u8(1)
                          .u8(3)
                          .u8(3)
                          .u8(7) // window scale 7
                          .done();
    Decoding decode;
    auto segment = decode(link_raw, ipv4(tcp({.flags = 0xc2, .options = syn, .payload = {}}), {.tos = 0x03}));
    REQUIRE(segment.has_value());
    CHECK(segment->flags == (iscsiscope::tcp_syn | iscsiscope::tcp_ece | iscsiscope::tcp_cwr));
    CHECK(segment->ip_ecn == 3);
    CHECK(segment->options.has_mss);
    CHECK(segment->options.mss == 1460);
    CHECK(segment->options.sack_permitted);
    CHECK(segment->options.has_window_scale);
    CHECK(segment->options.window_scale == 7);
    CHECK(segment->options.has_timestamps);
    CHECK(segment->options.timestamp_value == 0xdeadbeef);
    CHECK(segment->options.timestamp_echo == 0);
    CHECK(segment->payload_length == 0);

    segment = decode(link_raw, ipv4(tcp({.options = timestamps})));
    CHECK(segment->options.has_timestamps);
    CHECK(segment->options.timestamp_value == 1111);
    CHECK(segment->options.timestamp_echo == 2222);
    CHECK_FALSE(segment->options.has_mss);
    CHECK(segment->data == pattern(100));

    // Options that were cut off are absent; what is there of them is read.
    for (std::size_t captured = 40; captured < 52; ++captured) {
        const auto cut = decode(link_raw, ipv4(tcp({.options = timestamps})), captured);
        REQUIRE(cut.has_value());
        CHECK_FALSE(cut->options.has_timestamps);
        CHECK(cut->payload_length == 100);
        CHECK(cut->data.empty());
    }
    const auto cut = decode(link_raw, ipv4(tcp({.options = syn})), 40 + 6);
    CHECK(cut->options.mss == 1460);
    CHECK(cut->options.sack_permitted);
    CHECK_FALSE(cut->options.has_timestamps);

    // SACK: three blocks behind timestamps, and more blocks than fit.
    const Bytes three =
        timestamps + Writer().u32(0x0101051a).u32(1).u32(2).u32(3).u32(4).u32(5).u32(6).done();
    segment = decode(link_raw, ipv4(tcp({.options = three})));
    REQUIRE(segment->options.sack_count == 3);
    CHECK(segment->options.sack[2].left == 5);
    CHECK(segment->options.sack[2].right == 6);
    CHECK(segment->options.timestamp_value == 1111);

    // A fresh segment holds nothing of the one before.
    iscsiscope::Segment reused;
    const Bytes plain = ipv4(tcp());
    const Bytes full = ipv4(tcp({.options = three}));
    iscsiscope::Frame frame{.number = 1, .link_type = link_raw, .original_length = 200, .bytes = full};
    CHECK(decode.decoder.decode(frame, reused));
    frame.bytes = plain;
    CHECK(decode.decoder.decode(frame, reused));
    CHECK(reused.options.sack_count == 0);
    CHECK_FALSE(reused.options.has_timestamps);
    CHECK(reused.options.timestamp_value == 0);
}

TEST_CASE("TCP options that are wrong end the list, not the segment") {
    for (const Bytes &options :
         {Writer().u32(0x08000000).done(), Writer().u32(0x08010000).done(), Writer().u32(0x080a0000).done(),
          Writer().u32(0x01010108).done(), Writer().u32(0x00080a00).u64(1).done(),
          Writer().u32(0x03040a0a).done(), Writer().u32(0x02030505).done(),
          Writer().u16(0x050a).u64(1).u16(0x0505).done()}) {
        Decoding decode;
        const auto segment = decode(link_raw, ipv4(tcp({.options = options})));
        REQUIRE(segment.has_value());
        CHECK_FALSE(segment->options.has_timestamps);
        CHECK_FALSE(segment->options.has_window_scale);
        CHECK_FALSE(segment->options.has_mss);
        CHECK(segment->data == pattern(100));
    }
}

TEST_CASE("addresses as text") {
    const auto text = [](std::initializer_list<int> bytes) {
        iscsiscope::IpAddress address;
        std::size_t at = 0;
        for (const int byte : bytes)
            address.bytes[at++] = static_cast<std::uint8_t>(byte);
        return to_text(address);
    };
    CHECK(text({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 0, 255, 1}) == "10.0.255.1");
    CHECK(text({0}) == "::");
    CHECK(text({0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xab, 0xcd, 0, 1}) == "fe80::abcd:1");
}

TEST_CASE("any bytes are decoded without harm, and counted once") {
    CHECK(rc::check(
        "random frames",
        [] {
            static constexpr std::uint32_t links[] = {0, 1, 12, 101, 108, 113, 228, 229, 276, 999};
            Decoding decode;
            for (int i = 0; i < 20; ++i) {
                Bytes frame = *rc::gen::container<Bytes>(rc::gen::map(
                    rc::gen::arbitrary<std::uint8_t>(),
                    [](std::uint8_t v) { return static_cast<std::byte>(v); }));
                if (*rc::gen::arbitrary<bool>()) { // a good frame with a few bytes changed goes deeper
                    frame = ethernet(0x0800, ipv4(tcp({.options = timestamps})));
                    for (int changes = *rc::gen::inRange(0, 4); changes > 0; --changes)
                        frame[*rc::gen::inRange<std::size_t>(12, 66)] =
                            static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>());
                }
                const auto segment =
                    decode(links[*rc::gen::inRange(0, 10)], frame, *rc::gen::inRange<std::size_t>(0, 200));
                RC_ASSERT((!segment || segment->data.size() <= segment->payload_length));
            }
            RC_ASSERT(decode.counted() == decode.frames);
        }));
}

TEST_CASE("a frame is read as if it were the first, whatever came before it") {
    const auto parts = [](const Decoded &d) {
        const iscsiscope::TcpOptions &o = d.options;
        return std::tuple(d.source, d.destination, d.sequence, d.acknowledgment, d.window, d.flags, d.ip_ttl,
                          d.ip_ecn, d.has_ip_id, d.ip_id, d.payload_length, d.data,
                          std::tuple(o.has_timestamps, o.timestamp_value, o.timestamp_echo, o.has_mss, o.mss,
                                     o.has_window_scale, o.window_scale, o.sack_permitted, o.sack_count));
    };
    std::size_t compared = 0;
    CHECK(rc::check("frames that are alike", [&] {
        Decoding decode;
        for (int i = 0; i < 30; ++i) {
            Bytes frame = ethernet(0x0800, ipv4(tcp({.options = timestamps})));
            for (int changes = *rc::gen::inRange(0, 3); changes > 0; --changes)
                frame[*rc::gen::inRange<std::size_t>(12, 60)] =
                    static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>());
            const std::size_t captured =
                *rc::gen::inRange(0, 3) == 0 ? *rc::gen::inRange<std::size_t>(0, 80) : 200;
            const std::uint32_t link = *rc::gen::inRange(0, 8) == 0 ? link_raw : link_ethernet;
            Decoding fresh;
            const std::size_t anomalies = decode.anomalies.all.size();
            const auto segment = decode(link, frame, captured), first = fresh(link, frame, captured);
            if ((std::to_integer<unsigned>(frame[20]) & 0x3f) != 0 || frame[21] != std::byte{0})
                continue; // a fragment waits for others
            RC_ASSERT(segment.has_value() == first.has_value());
            RC_ASSERT(decode.anomalies.all.size() - anomalies == fresh.anomalies.all.size());
            if (segment) {
                RC_ASSERT(parts(*segment) == parts(*first));
                ++compared;
            }
        }
    }));
    CHECK(compared > 0);
}

TEST_CASE("the hardware address that a frame came from") {
    using iscsiscope::MacAddress;
    const MacAddress unknown{}, end{2, 0, 0, 0, 0, 0x14}, other{2, 0, 0, 0, 0, 0x99};
    const Bytes v4 = ipv4(tcp()), plain = ethernet(0x0800, v4);
    // The frame with another source address, from this offset on.
    const auto from = [](const MacAddress &mac, Bytes frame, std::size_t at = 6) {
        std::transform(mac.begin(), mac.end(), frame.begin() + static_cast<long>(at),
                       [](std::uint8_t b) { return std::byte{b}; });
        return frame;
    };
    Decoding decode;
    const auto mac = [&](std::uint32_t link_type, const Bytes &frame) {
        const auto segment = decode(link_type, frame);
        REQUIRE(segment.has_value());
        return segment->source_mac;
    };
    for (int repeated = 0; repeated < 3; ++repeated) // the short way from the second on
        CHECK(mac(1, from(end, plain)) == end);
    CHECK(mac(1, from(other, plain)) == other); // only the address differs
    CHECK(mac(1, from(end, ethernet(0x8100, vlan(100, 0x0800, v4)))) == end);
    CHECK(mac(1, from(end, ethernet(0x86dd, ipv6(tcp())))) == end);
    CHECK(mac(113, from(end, sll(0x0800, v4))) == end);
    CHECK(mac(276, from(end, sll2(0x0800, v4), 12)) == end);
    CHECK(mac(101, v4) == unknown);
    // In a tunnel that of the inner frame, if there is one.
    const auto outer = [&](const Bytes &inside, std::uint8_t protocol) {
        return from(other, ethernet(0x0800, ipv4(inside, {.protocol = protocol})));
    };
    CHECK(mac(1, outer(udp(4789, vxlan(from(end, plain))), 17)) == end);
    CHECK(mac(1, outer(v4, 4)) == unknown);
    CHECK(mac(1, outer(gre(0, 0x0800, v4), 47)) == unknown);
    CHECK(iscsiscope::to_text(end) == "02:00:00:00:00:14");
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Tunnels that are cut, too deep, or of no packet. Those that are whole: decoder_test.cpp.
#include "catch.h"
#include "decoding.h"

using namespace capture_test;
using iscsiscope::AnomalyKind;

TEST_CASE("tunnels: what is nested too deep or no packet is counted, not decoded") {
    const Bytes v4 = ipv4(tcp());
    const auto wrapped = [&](int depth) {
        Bytes packet = v4;
        for (int i = 0; i < depth; ++i)
            packet = ipv4(packet, {.protocol = 4});
        return ethernet(0x0800, packet);
    };
    CHECK(Decoding()(1, wrapped(6)).has_value());
    struct Row {
        const char *name;
        Bytes bytes;
    };
    const Bytes inner = ethernet(0x0800, v4);
    for (const Row &row :
         {Row{"seven tunnels", wrapped(7)}, Row{"sixty tunnels", wrapped(60)},
          Row{"PPTP's GRE", ethernet(0x0800, ipv4(gre(0x3001, 0x880b, v4), {.protocol = 47}))},
          Row{"source routing", ethernet(0x0800, ipv4(gre(0x4000, 0x0800, Bytes(4) + v4), {.protocol = 47}))},
          Row{"GRE of something else", ethernet(0x0800, ipv4(gre(0, 0x0806, v4), {.protocol = 47}))},
          Row{"an EtherType of tunnels alone", ethernet(0x6558, inner)},
          Row{"an EtherType of tunnels, in a frame in one",
              ethernet(0x0800, ipv4(gre(0, 0x6558, ethernet(0x6558, inner)), {.protocol = 47}))},
          Row{"ERSPAN of a version to come",
              ethernet(0x0800,
                       ipv4(gre(0x1000, 0x22eb, Bytes(8, std::byte{0x30}) + inner), {.protocol = 47}))},
          Row{"Geneve, another version",
              ethernet(0x0800,
                       ipv4(udp(6081, Bytes(1, std::byte{0x40}) + slice(geneve(0x6558, inner), 1, 100)),
                            {.protocol = 17}))},
          Row{"VXLAN-GPE, another version",
              ethernet(0x0800, ipv4(udp(4790, Bytes(1, std::byte{0x1c}) + slice(vxlan_gpe(3, inner), 1, 100)),
                                    {.protocol = 17}))},
          Row{"VXLAN-GPE of no packet",
              ethernet(0x0800, ipv4(udp(4790, vxlan_gpe(7, inner)), {.protocol = 17}))},
          Row{"labels without a bottom", ethernet(0x8847, Bytes(200))},
          Row{"MPLS of no packet", ethernet(0x8847, mpls(1, Bytes(60, std::byte{0xff})))},
          Row{"PPPoE discovery", ethernet(0x8864, Bytes(60))},
          Row{"PPP's control", ethernet(0x8864, pppoe(0xc021, v4))}}) {
        INFO(row.name);
        Decoding decode;
        CHECK_FALSE(decode(1, row.bytes));
        CHECK(decode.counted() == 1);
    }
}

TEST_CASE("a frame full of tags, SNAP headers or frames in frames needs no more stack than another") {
    const auto repeated = [](const Bytes &piece) {
        Bytes all;
        while (all.size() < 262'144)
            all.insert(all.end(), piece.begin(), piece.end());
        return all;
    };
    for (const Bytes &bytes :
         {ethernet(0x8100, repeated(vlan(1, 0x8100, {}))),
          ethernet(0x0080, repeated(llc(0x8100, vlan(1, 0x0080, {})))),
          ethernet(0x0800,
                   ipv4(gre(0, 0x6558, repeated(ethernet(0x6558, {}))), {.protocol = 47, .total_length = 0})),
          ethernet(0x8847, repeated(mpls(1, Bytes(4) + ethernet(0x8847, {})))),
          ethernet(0x0800, ipv4(repeated(authentication(51, {})), {.protocol = 51, .total_length = 0}))}) {
        Decoding decode;
        CHECK_FALSE(decode(1, bytes));
        CHECK(decode.counted() == 1);
    }
}

TEST_CASE("a frame that the mirror cut, as its ERSPAN header says, is a cut one, not a damaged one") {
    const Bytes inner = ethernet(0x0800, ipv4(tcp()));
    for (const bool told : {false, true}) {
        for (const bool third : {false, true}) {
            const Bytes part = slice(inner, 0, inner.size() - 60);
            Bytes header = third ? erspan_3(part) : erspan_2(part);
            header[2] = std::byte(told ? 0x04 : 0x00);
            Decoding decode;
            const auto found = decode(
                1, ethernet(0x0800, ipv4(gre(0x1000, third ? 0x22eb : 0x88be, header), {.protocol = 47})));
            REQUIRE(found);
            CHECK(found->payload_length == 100);
            CHECK(found->data == pattern(40));
            CHECK(decode.anomalies.count(AnomalyKind::malformed_frame) == (told ? 0 : 1));
            CHECK(
                decode(1, ethernet(0x0800, slice(ipv4(tcp()), 0, 80)))); // the next frame is judged by itself
            CHECK(decode.anomalies.count(AnomalyKind::malformed_frame) == (told ? 1 : 2));
        }
    }
}

TEST_CASE("fragments of a tunnel's packets are reassembled") {
    const Bytes outer = gre(0x1000, 0x88be, erspan_2(ethernet(0x0800, ipv4(tcp()))));
    Decoding decode;
    CHECK_FALSE(decode(1, ethernet(0x0800, ipv4(slice(outer, 0, 64), {.protocol = 47, .fragment = 0x2000}))));
    const auto whole = decode(
        1, ethernet(0x0800, ipv4(slice(outer, 64, outer.size()), {.protocol = 47, .fragment = 64 / 8})));
    check_standard_segment(whole, false);
    const Bytes signed_part = authentication(6, tcp());
    CHECK_FALSE(
        decode(1, ethernet(0x0800, ipv4(slice(signed_part, 0, 64), {.protocol = 51, .fragment = 0x2000}))));
    check_standard_segment(decode(1, ethernet(0x0800, ipv4(slice(signed_part, 64, signed_part.size()),
                                                           {.protocol = 51, .fragment = 64 / 8}))),
                           false);
}

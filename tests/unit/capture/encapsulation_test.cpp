// SPDX-License-Identifier: GPL-2.0-or-later
#include "catch.h"
#include "decoding.h"

#include <fmt/format.h>

using namespace capture_test;
using iscsiscope::IpAddress;
using iscsiscope::MirrorSession;
using iscsiscope::MirrorSessions;

namespace {

std::string paths(const Decoding &decode) {
    std::string all;
    for (const auto &c : decode.decoder.encapsulations())
        all +=
            fmt::format("{}{}: {}", all.empty() ? "" : ", ", c.path.empty() ? "others" : c.path, c.packets);
    return all;
}

// The sum over what these numbers, of one session, give.
MirrorSession followed(const std::vector<std::uint32_t> &numbers) {
    MirrorSessions sessions;
    for (const std::uint32_t n : numbers)
        sessions.add(IpAddress{}, IpAddress{}, 5, n);
    const auto all = sessions.sessions();
    REQUIRE(all.size() == 1);
    REQUIRE(all[0].session == 5);
    return all[0];
}

// `count` numbers from `first` on.
std::vector<std::uint32_t> row(std::uint32_t first, std::uint32_t count) {
    std::vector<std::uint32_t> all(count);
    for (std::uint32_t &n : all)
        n = first++;
    return all;
}

std::vector<std::uint32_t> operator+(std::vector<std::uint32_t> a, const std::vector<std::uint32_t> &b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

} // namespace

TEST_CASE("frames are counted by the tags and tunnels around them") {
    const Bytes v4 = ipv4(tcp()), v6 = ipv6(tcp()), inner = ethernet(0x0800, v4);
    const auto gre_ip = [](const Bytes &payload) {
        return ethernet(0x0800, ipv4(payload, {.protocol = 47}));
    };
    Decoding decode;
    CHECK(paths(decode).empty());
    CHECK(decode(1, inner));
    CHECK(paths(decode).empty());
    for (int i = 0; i < 3; ++i)
        CHECK(decode(1, ethernet(0x88a8, vlan(0xe005, 0x8100, vlan(100, 0x0800, v4))))); // with a priority
    CHECK(decode(1, ethernet(0x8100, vlan(100, 0x0800, ipv4(udp(4789, vxlan(inner)), {.protocol = 17})))));
    CHECK(decode(1, ethernet(0x0800, ipv4(udp(6081, geneve(0x6558, inner)), {.protocol = 17}))));
    CHECK(decode(1, gre_ip(gre(0, 0x0800, v4))));
    CHECK(decode(1, gre_ip(gre(0, 0x88be, inner))));
    CHECK(decode(1, gre_ip(gre(0x1000, 0x88be, erspan_2(ethernet(0x8100, vlan(9, 0x0800, v4)))))));
    CHECK(decode(1, gre_ip(gre(0x1000, 0x22eb, erspan_3(inner)))));
    CHECK(decode(1, ethernet(0x0800, ipv4(v4, {.protocol = 4}))));
    CHECK(decode(1, ethernet(0x0800, ipv4(v6, {.protocol = 41}))));
    CHECK(decode(1, ethernet(0x86dd, ipv6(v4, {.next_header = 4}))));
    CHECK(decode(1, ethernet(0x8926, vn_tag(0x0800, v4))));
    CHECK(decode(1, ethernet(0x893f, e_tag(0x0800, v4))));
    CHECK(decode(1, ethernet(0x0800, ipv4(udp(4790, vxlan_gpe(4, nsh(3, inner))), {.protocol = 17}))));
    CHECK(decode(1, ethernet(0x8847, mpls(2, v4))));
    CHECK(decode(1, ethernet(0x8847, mpls(2, inner))));
    CHECK(decode(1, ethernet(0x8864, pppoe(0x0021, v4))));
    CHECK_FALSE(decode(1, ethernet(0x8100, vlan(7, 0x0806, Bytes(46))))); // whatever is inside
    CHECK(decode(1, inner));
    CHECK(paths(decode) ==
          "VLAN 5 > VLAN 100: 3, VLAN 7: 1, VLAN 100 > VXLAN 42: 1, VN-Tag 5: 1, E-tag 6: 1, "
          "GRE: 1, ERSPAN I: 1, ERSPAN II session 7 > VLAN 9: 1, "
          "ERSPAN III session 7: 1, IP in IP: 1, 6in4: 1, 4in6: 1, VXLAN-GPE 42 > NSH 9: 1, Geneve 42: 1, "
          "MPLS: 1, MPLS pseudowire: 1, PPPoE: 1");
}

TEST_CASE("encapsulations are counted in bounded memory") {
    Decoding decode;
    for (int round = 0; round < 2; ++round)
        for (std::uint16_t id = 0; id < 400; ++id)
            CHECK(decode(1, ethernet(0x8100, vlan(id, 0x0800, ipv4(tcp())))));
    const auto counts = decode.decoder.encapsulations();
    REQUIRE(counts.size() == iscsiscope::EncapsulationTally::max_paths + 1);
    CHECK(counts.front().packets == 2);
    CHECK(counts.back().path.empty());
    CHECK(counts.back().packets == 2 * (400 - iscsiscope::EncapsulationTally::max_paths));
    Decoding deep;
    Bytes tags = vlan(1, 0x0800, ipv4(tcp()));
    for (int i = 0; i < 20; ++i)
        tags = vlan(1, 0x8100, tags);
    CHECK(deep(1, ethernet(0x8100, tags)));
    CHECK(paths(deep) == "VLAN 1 > VLAN 1 > VLAN 1 > VLAN 1 > VLAN 1 > VLAN 1 > VLAN 1 > VLAN 1: 1");
}

TEST_CASE("numbers that a mirror's session passes over are dropped packets") {
    struct Row {
        const char *name;
        std::vector<std::uint32_t> numbers;
        std::uint64_t dropped;
    };
    constexpr std::uint32_t window = MirrorSessions::window;
    for (const Row &r :
         {Row{"all there", row(1, 5000), 0}, Row{"one left out", row(1, 100) + row(102, 100), 1},
          Row{"many left out", row(1, 100) + row(102, 100) + row(302, 3000), 101},
          Row{"more than the window left out", row(1, 10) + row(5001, 10), 4990},
          Row{"more than the window, with a hole before", row(1, 10) + row(12, 10) + row(5001, 10), 4980},
          Row{"the end of the numbers", row(0xffffff00, 0x200), 0},
          Row{"one left out there", row(0xffffff00, 0xff) + row(0, 300), 1},
          Row{"swapped", row(1, 100) + std::vector<std::uint32_t>{102, 101} + row(103, 3000), 0},
          Row{"swapped at the beginning", std::vector<std::uint32_t>{2, 1} + row(3, 3000), 0},
          Row{"late", row(1, 100) + row(102, 900) + row(101, 1) + row(1002, 3000), 0},
          Row{"later than the window", row(1, 100) + row(102, 3000) + row(101, 1) + row(3102, 10), 0},
          Row{"twice", row(1, 100) + row(50, 51) + row(102, 10), 1},
          Row{"the mirror began anew", row(3'000'000'000, 100) + row(0, 100), 0},
          Row{"began anew, with a hole on each side",
              row(3'000'000'000, 5) + row(3'000'000'006, 5) + row(0, 5) + row(6, 5), 2},
          Row{"just no restart", row(0, 2) + row(MirrorSessions::restart + 1, 2),
              MirrorSessions::restart - 1},
          Row{"at the end of the window", row(1, 1) + row(1 + window, 1), window - 1}}) {
        INFO(r.name);
        const MirrorSession s = followed(r.numbers);
        CHECK(s.packets == r.numbers.size());
        CHECK(s.dropped == r.dropped);
    }
}

TEST_CASE("a mirror whose numbers never change has none") {
    MirrorSessions sessions;
    for (int i = 0; i < 10; ++i)
        sessions.add(IpAddress{}, IpAddress{}, 1, 0);
    CHECK(sessions.sessions().empty());
}

TEST_CASE("sessions of mirrors are distinguished by session and addresses") {
    const Bytes inner = ethernet(0x0800, ipv4(tcp()));
    const auto numbered = [&](std::uint32_t number, std::uint8_t session) {
        Bytes header = erspan_2(inner);
        header[3] = std::byte{session};
        return Writer().u16(0x1000).u16(0x88be).u32(number).bytes(header).done();
    };
    Decoding decode;
    for (std::uint32_t n = 0; n < 20; ++n) {
        if (n != 7)
            CHECK(decode(1, ethernet(0x0800, ipv4(numbered(n, 1), {.protocol = 47}))));
        CHECK(decode(1, ethernet(0x0800, ipv4(numbered(1000 + 2 * n, 2), {.protocol = 47}))));
        CHECK(decode(1, ethernet(0x86dd, ipv6(numbered(n, 1), {.next_header = 47}))));
    }
    const auto all = decode.decoder.mirror_sessions();
    REQUIRE(all.size() == 3);
    CHECK(to_text(all[0].source) == "192.0.2.1"); // ::ffff:192.0.2.1 sorts first
    CHECK(all[0].session == 1);
    CHECK(all[0].packets == 19);
    CHECK(all[0].dropped == 1);
    CHECK(all[1].session == 2);
    CHECK(all[1].dropped == 19);
    CHECK(to_text(all[2].source) == "2001:db8::1");
    CHECK(all[2].dropped == 0);
}

TEST_CASE("RDMA over Ethernet and UDP, and encrypted packets, are counted") {
    Decoding decode;
    CHECK_FALSE(decode(1, ethernet(0x8915, pattern(100))));
    CHECK_FALSE(decode(1, ethernet(0x0800, ipv4(udp(4791, pattern(100)), {.protocol = 17}))));
    CHECK_FALSE(decode(1, ethernet(0x86dd, ipv6(udp(4791, pattern(100)), {.next_header = 17}))));
    CHECK_FALSE(decode(1, ethernet(0x0800, ipv4(pattern(100), {.protocol = 50}))));
    CHECK_FALSE(decode(1, ethernet(0x86dd, ipv6(pattern(100), {.next_header = 50}))));
    CHECK_FALSE(decode(
        1, ethernet(0x0800, ipv4(udp(4500, Writer().u32(77).bytes(pattern(60)).done()), {.protocol = 17}))));
    CHECK_FALSE(decode(1, ethernet(0x0800, ipv4(udp(4500, Writer().u32(0).bytes(pattern(60)).done()),
                                                {.protocol = 17})))); // key exchange
    CHECK_FALSE(decode(1, ethernet(0x0800, ipv4(udp(4500, Bytes(1, std::byte{0xff})), {.protocol = 17}))));
    CHECK_FALSE(decode(1, ethernet(0x0800, ipv4(udp(53, pattern(60)), {.protocol = 17}))));
    CHECK_FALSE(decode(1, ethernet(0x88e5, pattern(100))));
    const auto &unread = decode.decoder.unread();
    CHECK(unread.macsec == 1);
    CHECK(unread.roce_v1 == 1);
    CHECK(unread.roce_v2 == 2);
    CHECK(unread.ipsec == 3);
    CHECK(decode.anomalies.all.empty());
    CHECK(decode.counted() == decode.frames);
}

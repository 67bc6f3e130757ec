// SPDX-License-Identifier: GPL-2.0-or-later
// What ICMP and ICMPv6 messages say of the TCP packets that they quote.
#include "catch.h"
#include "decoding.h"

using namespace capture_test;
using iscsiscope::IcmpError;
using iscsiscope::IcmpErrors;
using iscsiscope::IcmpReason;

namespace {

// The message quotes the packet of tcp(), from port 40000 to 3260, or part of it.
Bytes message(std::uint8_t type, std::uint8_t code, std::uint32_t word, const Bytes &quoted) {
    Bytes m = {std::byte{type}, std::byte{code}, std::byte{0}, std::byte{0}};
    for (const unsigned shift : {24U, 16U, 8U, 0U})
        m.push_back(static_cast<std::byte>(word >> shift));
    m.insert(m.end(), quoted.begin(), quoted.end());
    return m;
}

Bytes v4(std::uint8_t type, std::uint8_t code, std::uint32_t word = 0, const Bytes &quoted = ipv4(tcp())) {
    return ethernet(0x0800, ipv4(message(type, code, word, quoted), {.protocol = 1}));
}

Bytes v6(std::uint8_t type, std::uint8_t code, std::uint32_t word = 0, const Bytes &quoted = ipv6(tcp())) {
    return ethernet(0x86dd, ipv6(message(type, code, word, quoted), {.next_header = 58}));
}

} // namespace

TEST_CASE("ICMP says of TCP packets why they did not arrive") {
    struct Row {
        bool six;
        std::uint8_t type, code;
        std::uint32_t word;
        IcmpReason reason;
        std::optional<std::uint32_t> mtu;
    };
    const auto row = GENERATE(values<Row>({
        {false, 3, 0, 0, IcmpReason::network_unreachable, {}},
        {false, 3, 1, 0, IcmpReason::host_unreachable, {}},
        {false, 3, 2, 0, IcmpReason::protocol_unreachable, {}},
        {false, 3, 3, 0, IcmpReason::port_unreachable, {}},
        {false, 3, 4, 1400, IcmpReason::too_big, 1400},
        {false, 3, 4, 0, IcmpReason::too_big, {}}, // before RFC 1191
        {false, 3, 13, 0, IcmpReason::prohibited, {}},
        {false, 4, 0, 0, IcmpReason::slow_down, {}},
        {false, 11, 0, 0, IcmpReason::hops_exceeded, {}},
        {false, 11, 1, 0, IcmpReason::reassembly_exceeded, {}},
        {false, 12, 0, 0, IcmpReason::header_refused, {}},
        {true, 1, 0, 0, IcmpReason::network_unreachable, {}},
        {true, 1, 1, 0, IcmpReason::prohibited, {}},
        {true, 1, 3, 0, IcmpReason::host_unreachable, {}},
        {true, 1, 4, 0, IcmpReason::port_unreachable, {}},
        {true, 2, 0, 100'000, IcmpReason::too_big, 100'000},
        {true, 3, 0, 0, IcmpReason::hops_exceeded, {}},
        {true, 4, 1, 0, IcmpReason::protocol_unreachable, {}},
    }));
    CAPTURE(row.six, int{row.type}, int{row.code});
    Decoding decode;
    CHECK_FALSE(
        decode(link_ethernet, row.six ? v6(row.type, row.code, row.word) : v4(row.type, row.code, row.word)));
    CHECK(decode.decoder.protocols().icmp == 1);
    REQUIRE(decode.decoder.icmp_errors().size() == 1);
    const IcmpError &e = decode.decoder.icmp_errors()[0];
    CHECK(e.reason == row.reason);
    CHECK(e.type == row.type);
    CHECK(e.code == row.code);
    CHECK(e.mtu == row.mtu);
    CHECK(to_text(e.sender) == (row.six ? "2001:db8::1" : "192.0.2.1"));
    CHECK(to_text(e.source) == (row.six ? "[2001:db8::1]:40000" : "192.0.2.1:40000"));
    CHECK(to_text(e.destination) == (row.six ? "[2001:db8::2]:3260" : "198.51.100.2:3260"));
    CHECK(e.largest_packet == (row.six ? ipv6(tcp()) : ipv4(tcp())).size());
    CHECK(e.messages == 1);
    CHECK(e.first_frame == 1);
}

TEST_CASE("messages that say the same are one row, and others another") {
    Decoding decode;
    const Bytes longer = ipv4(tcp({.payload = pattern(500)}));
    for (const Bytes &frame :
         {v4(3, 4, 1400), v4(3, 4, 1300), v4(3, 4, 1400, longer), v4(3, 4, 1400), v4(3, 1)})
        CHECK_FALSE(decode(link_ethernet, frame));
    const auto &all = decode.decoder.icmp_errors();
    REQUIRE(all.size() == 3);
    CHECK(all[0].messages == 3);
    CHECK(all[0].first_frame == 1);
    CHECK(all[0].last_frame == 4);
    CHECK(all[0].largest_packet == longer.size());
    CHECK(all[1].mtu == 1300U);
    CHECK(all[2].reason == IcmpReason::host_unreachable);
}

TEST_CASE("what is no error about TCP, or ends before its ports, gives no row") {
    const Bytes packet = ipv4(tcp());
    Decoding decode;
    for (const Bytes &frame :
         {v4(8, 0), v4(0, 0), v4(5, 1), v6(128, 0), v6(135, 0), // echo, redirect, neighbours
          v4(3, 1, 0, ipv4(udp(53, pattern(30)), {.protocol = 17})),
          v4(3, 1, 0, ipv4(tcp(), {.fragment = 0x0010})), // a later fragment
          v4(3, 1, 0, slice(packet, 0, 23)), v4(3, 1, 0, slice(packet, 0, 10)), v4(3, 1, 0, {}),
          v4(3, 1, 0, Bytes(60, std::byte{0x44})), v6(1, 0, 0, slice(ipv6(tcp()), 0, 43)),
          ethernet(0x0800, ipv4(message(3, 1, 0, packet), {.protocol = 1, .fragment = 0x0010}))})
        CHECK_FALSE(decode(link_ethernet, frame));
    CHECK(decode.decoder.icmp_errors().empty());
    CHECK(decode.decoder.protocols().icmp == decode.frames);
    CHECK(decode.anomalies.all.empty());
    // Eight bytes of TCP are what RFC 792 asks for.
    CHECK_FALSE(decode(link_ethernet, v4(3, 1, 0, slice(packet, 0, 28))));
    CHECK(decode.decoder.icmp_errors().size() == 1);
}

TEST_CASE("the rows of ICMP errors are bounded") {
    Decoding decode;
    for (std::size_t i = 0; i < IcmpErrors::most + 10; ++i)
        CHECK_FALSE(decode(link_ethernet, v4(3, 1, 0, ipv4(tcp({.source = static_cast<std::uint16_t>(i)})))));
    CHECK(decode.decoder.icmp_errors().size() == IcmpErrors::most);
    CHECK_FALSE(decode(link_ethernet, v4(3, 1, 0, ipv4(tcp({.source = 1})))));
    CHECK(decode.decoder.icmp_errors()[1].messages == 2);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "catch.h"

#include "sample-captures/testbed/net/packets/packet_edit.h"

#include <rapidcheck.h>

using namespace iscsiscope::testbed::shim;

namespace {

// A SYN with MSS, SACK permitted, time stamps, NOP and window scale 7, as Linux sends it.
std::vector<std::uint8_t> syn() {
    std::vector<std::uint8_t> bytes = {0x45, 0,    0,    60,   0x12, 0x34, 0x40, 0,  64, 6,
                                       0,    0,    10,   77,   0,    1,    10,   77, 0,  2, // IP
                                       0xdf, 0x3e, 0x0c, 0xbc, 1,    2,    3,    4,  0,  0,
                                       0,    0,    0xa0, 0x02, 0xfa, 0xf0, 0,    0,  0,  0, // TCP
                                       2,    4,    5,    0xb4, 4,    2,    8,    10, 1,  2,
                                       3,    4,    0,    0,    0,    0,    1,    3,  3,  7};
    const auto info = parse_packet(bytes);
    const std::uint16_t sum = tcp_checksum_residue(bytes, *info);
    bytes[36] = static_cast<std::uint8_t>(sum >> 8U);
    bytes[37] = static_cast<std::uint8_t>(sum & 0xffU);
    return bytes;
}

} // namespace

TEST_CASE("A TCP packet's fields are read") {
    const auto info = parse_packet(syn());
    REQUIRE(info);
    CHECK(to_string(info->source) == "10.77.0.1");
    CHECK(info->destination == *parse_ipv4("10.77.0.2"));
    CHECK(info->ip_bytes == 60);
    CHECK(info->ip_id == 0x1234);
    CHECK(info->source_port == 57150);
    CHECK(info->destination_port == 3260);
    CHECK(info->tcp_seq == 0x01020304);
    CHECK(info->tcp_payload == 0);
    CHECK_FALSE(info->pure_ack());
}

TEST_CASE("A pure ACK is told by its flags, whatever number it acknowledges") {
    for (const auto number : {std::uint8_t{0x00}, std::uint8_t{0x10}, std::uint8_t{0xff}}) {
        std::vector<std::uint8_t> bytes = syn();
        bytes[28 + 3] = number; // of the acknowledgement
        const auto pure = [&bytes](std::uint8_t flags) {
            bytes[33] = flags;
            return parse_packet(bytes)->pure_ack();
        };
        CHECK(pure(0x10));
        CHECK(pure(0x18)); // PSH
        CHECK_FALSE(pure(0x12));
        CHECK_FALSE(pure(0x11));
        CHECK_FALSE(pure(0x14));
        CHECK_FALSE(pure(0x00));
    }
    std::vector<std::uint8_t> bytes = syn();
    bytes[33] = 0x10;
    bytes[3] = 61; // one byte of payload
    bytes.push_back('x');
    CHECK_FALSE(parse_packet(bytes)->pure_ack());
    CHECK(parse_packet(bytes)->has_payload());
}

TEST_CASE("Window scale becomes NOPs and the checksum stays right") {
    std::vector<std::uint8_t> bytes = syn();
    const auto info = parse_packet(bytes);
    CHECK(tcp_checksum_residue(bytes, *info) == 0);
    REQUIRE(strip_window_scale(bytes, *info));
    CHECK(tcp_checksum_residue(bytes, *info) == 0);
    CHECK(std::vector<std::uint8_t>(bytes.end() - 4, bytes.end()) == std::vector<std::uint8_t>{1, 1, 1, 1});
    CHECK_FALSE(strip_window_scale(bytes, *info)); // nothing left to strip
}

TEST_CASE("Any bytes are parsed and edited without harm") {
    CHECK(rc::check([] {
        std::vector<std::uint8_t> bytes = *rc::gen::arbitrary<std::vector<std::uint8_t>>();
        if (*rc::gen::arbitrary<bool>()) { // mostly right
            const std::vector<std::uint8_t> good = syn();
            bytes.insert(bytes.begin(), good.begin(), good.end());
            const auto at = *rc::gen::inRange<std::size_t>(0, good.size());
            bytes[at] = *rc::gen::arbitrary<std::uint8_t>();
        }
        if (const auto info = parse_packet(bytes)) {
            RC_ASSERT(info->ip_bytes <= bytes.size());
            RC_ASSERT(info->tcp_offset + info->tcp_payload <= bytes.size());
            strip_window_scale(bytes, *info);
        }
    }));
}

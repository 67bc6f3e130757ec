// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/tcp_checksum.h"
#include "catch.h"

#include <algorithm>
#include <string_view>

using namespace iscsiscope;

namespace {

// A segment "iSCSI" from port 50000 to 3260, sequence 01020304h, acknowledgment 0a0b0c0dh, PSH and ACK,
// window 1024.
struct Example {
    std::array<std::byte, 20> header{};
    std::array<std::byte, 5> payload{};
    Segment segment;

    Example(bool v6, unsigned checksum) {
        const unsigned words[10] = {50000, 3260, 0x0102, 0x0304, 0x0a0b, 0x0c0d, 0x5018, 1024, checksum, 0};
        for (std::size_t i = 0; i < 10; ++i) {
            header[2 * i] = static_cast<std::byte>(words[i] >> 8);
            header[2 * i + 1] = static_cast<std::byte>(words[i] & 0xff);
        }
        const std::string_view text = "iSCSI";
        std::transform(text.begin(), text.end(), payload.begin(),
                       [](char c) { return static_cast<std::byte>(c); });
        segment.source.address.bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 1};
        segment.destination.address.bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 198, 51, 100, 7};
        if (v6) { // 2001:db8::1, 2001:db8::2
            segment.source.address.bytes = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
            segment.destination.address.bytes = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2};
        }
        segment.header = header;
        segment.payload = payload;
        segment.payload_length = 5;
    }
};

TcpChecksum of(bool v6, unsigned checksum) {
    return tcp_checksum(Example(v6, checksum).segment);
}

} // namespace

// The sums were computed by hand from RFC 9293 section 3.1.
TEST_CASE("TCP checksums: right, left to the card, wrong", "[capture]") {
    CHECK(of(false, 0xdfb9) == TcpChecksum::right);
    CHECK(of(true, 0x7081) == TcpChecksum::right);
    CHECK(of(false, 0xdfb8) == TcpChecksum::wrong);
    CHECK(of(true, 0xdfb9) == TcpChecksum::wrong);
    CHECK(of(false, 0) == TcpChecksum::wrong);
    CHECK(of(false, 0xec5b) == TcpChecksum::unfilled); // of the pseudo header
    CHECK(of(false, 0xec42) == TcpChecksum::unfilled); // of a pseudo header whose length is zero
    CHECK(of(true, 0x5b94) == TcpChecksum::unfilled);
    CHECK(of(true, 0x5b7b) == TcpChecksum::unfilled);
}

TEST_CASE("TCP checksums: every bit counts, and nothing is said of a cut segment", "[capture]") {
    for (std::size_t bit = 0; bit < 8 * 25; ++bit) {
        Example e(false, 0xdfb9);
        const std::byte mask{static_cast<unsigned char>(1U << (bit % 8))};
        (bit / 8 < 20 ? e.header[bit / 8] : e.payload[bit / 8 - 20]) ^= mask;
        CAPTURE(bit);
        CHECK(tcp_checksum(e.segment) == TcpChecksum::wrong);
    }
    Example cut(false, 0xdfb9);
    cut.segment.payload = std::span<const std::byte>(cut.payload).first(4);
    CHECK(tcp_checksum(cut.segment) == TcpChecksum::unknown);
    Example bare(false, 0xdfb9);
    bare.segment.header = {};
    CHECK(tcp_checksum(bare.segment) == TcpChecksum::unknown);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// What leaves the capture room: one TCP segment, decoded from one frame (or from the fragment
// that completed a datagram). The plugin fills the same struct from Wireshark's dissection.
#pragma once

#include "analyzer/base/time.h"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace iscsiscope {

// IPv6, or IPv4 in its mapped form ::ffff:a.b.c.d; network byte order.
struct IpAddress {
    std::array<std::uint8_t, 16> bytes{};

    bool is_v4() const {
        for (std::size_t i = 0; i < 10; ++i) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return bytes[10] == 0xff && bytes[11] == 0xff;
    }
    friend auto operator<=>(const IpAddress &, const IpAddress &) = default;
    // Asked for every segment: two words instead of a call to memcmp.
    friend bool operator==(const IpAddress &a, const IpAddress &b) {
        std::uint64_t x[2], y[2];
        std::memcpy(x, a.bytes.data(), sizeof x);
        std::memcpy(y, b.bytes.data(), sizeof y);
        return ((x[0] ^ y[0]) | (x[1] ^ y[1])) == 0;
    }
};

// "192.0.2.1", or RFC 5952 form "2001:db8::1".
std::string to_text(const IpAddress &);

struct Endpoint {
    IpAddress address;
    std::uint16_t port = 0;

    friend auto operator<=>(const Endpoint &, const Endpoint &) = default;
};

enum TcpFlag : std::uint8_t {
    tcp_fin = 0x01,
    tcp_syn = 0x02,
    tcp_rst = 0x04,
    tcp_psh = 0x08,
    tcp_ack = 0x10,
    tcp_urg = 0x20,
    tcp_ece = 0x40,
    tcp_cwr = 0x80,
};

// RFC 9293 section 3.2, RFC 7323, RFC 2018. Values are in host byte order.
struct TcpOptions {
    struct SackBlock {
        std::uint32_t left, right;
    };
    bool has_timestamps = false;
    bool has_mss = false;
    bool has_window_scale = false;
    bool sack_permitted = false;
    std::uint8_t window_scale = 0;
    std::uint8_t sack_count = 0; // valid entries of sack
    std::uint16_t mss = 0;
    std::uint32_t timestamp_value = 0;
    std::uint32_t timestamp_echo = 0;
    std::array<SackBlock, 4> sack{};
};

struct Segment {
    FrameNumber frame = 0;
    Time time{};
    Endpoint source;
    Endpoint destination;
    std::uint32_t sequence = 0;
    std::uint32_t acknowledgment = 0; // meaningful with tcp_ack only
    std::uint16_t window = 0;         // as on the wire, not scaled
    std::uint8_t flags = 0;           // TcpFlag
    std::uint8_t ip_ttl = 0;          // hop limit for IPv6
    std::uint8_t ip_ecn = 0;          // two bits of RFC 3168
    bool has_ip_id = false;           // IPv4 only
    std::uint16_t ip_id = 0;
    TcpOptions options;
    std::uint32_t payload_length = 0;     // bytes that passed, by the IP length
    std::span<const std::byte> payload{}; // of those the bytes in the file; valid during the call only
};

} // namespace iscsiscope

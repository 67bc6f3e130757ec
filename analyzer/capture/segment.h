// SPDX-License-Identifier: GPL-2.0-or-later
// Segment: one TCP segment, decoded from one frame (or from the fragment that completed an IP
// datagram). FrameDecoder fills it; the Wireshark plugin fills it from Wireshark's dissection.
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

// An IPv6 address, or an IPv4 address in its mapped form ::ffff:a.b.c.d, in network byte order.
struct IpAddress {
    std::array<std::uint8_t, 16> bytes{};

    bool is_v4() const {
        for (std::size_t i = 0; i < 10; ++i)
            if (bytes[i] != 0)
                return false;
        return bytes[10] == 0xff && bytes[11] == 0xff;
    }
    friend auto operator<=>(const IpAddress &, const IpAddress &) = default;
    // Runs for every segment, therefore compares two words instead of calling memcmp.
    friend bool operator==(const IpAddress &a, const IpAddress &b) {
        std::uint64_t x[2], y[2];
        std::memcpy(x, a.bytes.data(), sizeof x);
        std::memcpy(y, b.bytes.data(), sizeof y);
        return ((x[0] ^ y[0]) | (x[1] ^ y[1])) == 0;
    }
};

// The hardware address that a frame was sent from (IEEE 802); all zero: it is not known.
using MacAddress = std::array<std::uint8_t, 6>;

// Returns "02:00:00:00:00:0a".
std::string to_text(const MacAddress &);

// Returns "192.0.2.1" for IPv4, the RFC 5952 form "2001:db8::1" for IPv6.
std::string to_text(const IpAddress &);

struct Endpoint {
    IpAddress address;
    std::uint16_t port = 0;

    friend auto operator<=>(const Endpoint &, const Endpoint &) = default;
};

// "192.0.2.1:3260", "[2001:db8::1]:3260".
std::string to_text(const Endpoint &);

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

// The options of one TCP header (RFC 9293 section 3.2, RFC 7323, RFC 2018), in host byte order. A value
// is meaningful only if the flag or count of its option is set.
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
    std::uint16_t window = 0;         // window field as on the wire, not scaled
    std::uint8_t flags = 0;           // TcpFlag values
    std::uint8_t ip_ttl = 0;          // IPv4 time to live or IPv6 hop limit
    MacAddress source_mac{};          // of the innermost Ethernet header, or of Linux's "any" device
    std::uint8_t ip_ecn = 0;          // ECN field, two bits (RFC 3168)
    bool has_ip_id = false;           // IPv4 only
    std::uint8_t clock = 0;           // which setting of the capture's clock: no time between two is known
    bool copy = false;                // the capture holds it before (CopyFinder)
    std::uint16_t ip_id = 0;
    TcpOptions options;
    std::uint32_t payload_length = 0;     // payload bytes on the wire, by the IP length
    std::span<const std::byte> payload{}; // the captured prefix of it; valid during the call only
    std::span<const std::byte> header{};  // the TCP header, directly before the payload; empty: not available
};

} // namespace iscsiscope

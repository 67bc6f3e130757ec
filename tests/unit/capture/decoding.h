// SPDX-License-Identifier: GPL-2.0-or-later
// One frame through a decoder, with a copy of what comes out.
#pragma once

#include "catch.h"

#include "analyzer/capture/decode/frame_decoder.h"
#include "files.h"
#include "packets.h"

#include <optional>

namespace capture_test {

struct Decoded : iscsiscope::Segment {
    Bytes data; // the payload's bytes, copied
};

class Decoding {
public:
    // A frame of which the first `captured` bytes are in the file.
    std::optional<Decoded> operator()(std::uint32_t link_type, const Bytes &wire,
                                      std::size_t captured = SIZE_MAX, std::int64_t time_ns = 0) {
        // A copy of exact size, so that AddressSanitizer sees a byte too far.
        const Bytes part(wire.begin(), wire.begin() + static_cast<long>(std::min(captured, wire.size())));
        const iscsiscope::Frame frame{.number = ++frames,
                                      .time = iscsiscope::time_from_ns(time_ns),
                                      .link_type = link_type,
                                      .original_length = static_cast<std::uint32_t>(wire.size()),
                                      .bytes = part};
        Decoded decoded;
        if (!decoder.decode(frame, decoded))
            return std::nullopt;
        decoded.data.assign(decoded.payload.begin(), decoded.payload.end());
        decoded.payload = {};
        return decoded;
    }
    // Every frame is in one count.
    std::uint64_t counted() const {
        const auto &c = decoder.protocols();
        return c.tcp + c.udp + c.icmp + c.arp + c.other_ip + c.other;
    }

    Anomalies anomalies;
    iscsiscope::FrameDecoder decoder{anomalies};
    std::uint64_t frames = 0;
};

inline constexpr std::uint32_t link_ethernet = 1;
inline constexpr std::uint32_t link_raw = 101;

// Requires the segment of tcp(), in ipv4() or in ipv6().
inline void check_standard_segment(const std::optional<Decoded> &segment, bool v6) {
    REQUIRE(segment.has_value());
    CHECK(to_text(segment->source.address) == (v6 ? "2001:db8::1" : "192.0.2.1"));
    CHECK(to_text(segment->destination.address) == (v6 ? "2001:db8::2" : "198.51.100.2"));
    CHECK(segment->source.address.is_v4() != v6);
    CHECK(segment->source.port == 40000);
    CHECK(segment->destination.port == 3260);
    CHECK(segment->sequence == 0x01020304);
    CHECK(segment->acknowledgment == 0x05060708);
    CHECK(segment->flags == (iscsiscope::tcp_psh | iscsiscope::tcp_ack));
    CHECK(segment->window == 501);
    CHECK(segment->ip_ttl == (v6 ? 63 : 64));
    CHECK(segment->has_ip_id != v6);
    CHECK(segment->ip_id == (v6 ? 0 : 77));
    CHECK(segment->payload_length == 100);
    CHECK(segment->data == pattern(100));
}

} // namespace capture_test

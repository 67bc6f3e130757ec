// SPDX-License-Identifier: GPL-2.0-or-later
// Turns fuzz input into segments of a few connections: records of one control byte, a step of the
// sequence number, a length, an ACK step, and the payload.
#pragma once

#include "analyzer/capture/segment.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace fuzz {

inline void require(bool holds) {
    if (!holds)
        std::abort();
}

// Calls feed(Segment) for each record.
template <class Feed>
void segments(const std::uint8_t *data, std::size_t size, Feed feed) {
    using namespace iscsiscope;
    std::uint32_t next[4][2] = {};
    std::uint64_t frame = 0;
    std::int64_t now = 0;
    while (size >= 5) {
        const std::uint8_t control = data[0];
        const unsigned connection = control & 3;
        const unsigned side = (control >> 2) & 1;
        const auto step = static_cast<std::int8_t>(data[1]);
        const std::size_t length = std::min<std::size_t>(data[2], size - 5);
        // A copy of exact size, so that AddressSanitizer sees a byte too far.
        const auto *bytes = reinterpret_cast<const std::byte *>(data + 5);
        const std::vector<std::byte> payload(bytes, bytes + length);
        Segment s;
        s.frame = ++frame;
        now += (control & 0x40) != 0 ? 30'000'000 : 1000;
        s.time = time_from_ns(now);
        Endpoint initiator{.address = {}, .port = static_cast<std::uint16_t>(40000 + connection)};
        Endpoint target{.address = {}, .port = static_cast<std::uint16_t>(connection < 2 ? 3260 : 13260)};
        target.address.bytes[15] = 1;
        s.source = side == 0 ? initiator : target;
        s.destination = side == 0 ? target : initiator;
        std::uint32_t &own = next[connection][side];
        s.sequence = own + static_cast<std::uint32_t>(static_cast<std::int32_t>(step) * 16);
        s.acknowledgment = next[connection][1 - side] + static_cast<std::uint32_t>(data[3]);
        static constexpr std::uint8_t flags[] = {tcp_ack, tcp_syn, tcp_syn | tcp_ack, tcp_ack | tcp_fin,
                                                 tcp_rst};
        s.flags = data[4] < 4 ? flags[data[4] + 1] : flags[0];
        s.window = data[3];
        s.payload_length = static_cast<std::uint32_t>(length) * ((control & 0x80) != 0 ? 4 : 1); // cut
        s.payload = payload;
        s.has_ip_id = true;
        s.ip_id = static_cast<std::uint16_t>(frame);
        if (step == 0)
            own += s.payload_length + ((s.flags & tcp_syn) != 0 ? 1 : 0);
        feed(s);
        data += 5 + length;
        size -= 5 + length;
    }
}

} // namespace fuzz

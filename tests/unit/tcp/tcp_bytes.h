// SPDX-License-Identifier: GPL-2.0-or-later
// The TCP header of a segment made by hand, as bytes with a checksum.
#pragma once

#include "traffic.h"

namespace traffic {

using Bytes = std::vector<std::byte>;

// Without options and with a checksum of 0.
inline Bytes encoded(const Segment &s) {
    Bytes h(20);
    const auto put = [&h](std::size_t at, std::uint32_t v, int bytes) {
        for (int i = 0; i < bytes; ++i)
            h[at + static_cast<std::size_t>(i)] = static_cast<std::byte>(v >> (8 * (bytes - 1 - i)) & 0xff);
    };
    put(0, s.source.port, 2);
    put(2, s.destination.port, 2);
    put(4, s.sequence, 4);
    put(8, s.acknowledgment, 4);
    put(12, 0x50U << 8 | s.flags, 2);
    put(14, s.window, 2);
    return h;
}
// RFC 9293 section 3.1, word by word.
inline unsigned word_sum(const Segment &s, const Bytes &header) {
    Bytes all(s.payload.begin(), s.payload.end());
    all.insert(all.begin(), header.begin(), header.end());
    const auto length = all.size();
    for (const IpAddress &a : {s.source.address, s.destination.address})
        for (std::size_t i = 12; i < 16; ++i)
            all.push_back(static_cast<std::byte>(a.bytes[i]));
    for (const std::size_t v : {std::size_t{0}, std::size_t{6}, length >> 8, length & 0xff})
        all.push_back(static_cast<std::byte>(v));
    unsigned sum = 0;
    for (std::size_t i = 0; i < all.size(); i += 2)
        sum += std::to_integer<unsigned>(all[i]) << 8 | std::to_integer<unsigned>(all[i + 1]);
    while (sum >> 16 != 0)
        sum = (sum & 0xffff) + (sum >> 16);
    return sum;
}

// xor_sum changes the right checksum, so 0 gives the right one.
inline Bytes tcp_header(const Segment &s, unsigned xor_sum = 0) {
    Bytes header = encoded(s);
    const unsigned sum = (~word_sum(s, header) & 0xffffU) ^ xor_sum;
    header[16] = static_cast<std::byte>(sum >> 8);
    header[17] = static_cast<std::byte>(sum & 0xff);
    return header;
}

} // namespace traffic

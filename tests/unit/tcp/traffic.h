// SPDX-License-Identifier: GPL-2.0-or-later
// Segments made by hand, and the oracle that says what following them must give.
#pragma once

#include "analyzer/capture/segment.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace traffic {

using namespace iscsiscope;

constexpr std::uint32_t initial_sequence[2] = {0xffff'f000U, 7'000'000U}; // the first wraps early

// A segment that owns its payload. side 0 is the opener.
struct Packet {
    int side = 0;
    std::uint32_t sequence = 0;
    std::uint32_t acknowledgment = 0;
    std::uint8_t flags = tcp_ack;
    std::uint16_t window = 60000;
    std::vector<std::byte> payload;
    std::uint32_t cut_to = ~std::uint32_t{0}; // payload bytes in the file
    std::int64_t time_ns = 0;
};

// Frame numbers are the packets' places from 1; IP IDs count, so nothing looks like a mirror copy.
inline Segment segment(const Packet &p, FrameNumber frame, std::uint16_t initiator_port = 50000,
                       std::uint16_t target_port = 3260) {
    Segment s;
    s.frame = frame;
    s.time = time_from_ns(p.time_ns);
    Endpoint opener, acceptor;
    opener.address.bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1};
    acceptor.address.bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 2};
    opener.port = initiator_port;
    acceptor.port = target_port;
    s.source = p.side == 0 ? opener : acceptor;
    s.destination = p.side == 0 ? acceptor : opener;
    s.sequence = p.sequence;
    s.acknowledgment = p.acknowledgment;
    s.flags = p.flags;
    s.window = p.window;
    s.has_ip_id = true;
    s.ip_id = static_cast<std::uint16_t>(frame % 65535 + 1);
    s.payload_length = static_cast<std::uint32_t>(p.payload.size());
    s.payload =
        std::span<const std::byte>(p.payload).first(std::min<std::size_t>(p.payload.size(), p.cut_to));
    return s;
}

// SYN, SYN/ACK, ACK.
inline std::vector<Packet> handshake() {
    std::vector<Packet> out(3);
    out[0] = {.side = 0, .sequence = initial_sequence[0] - 1, .flags = tcp_syn, .payload = {}};
    out[1] = {.side = 1,
              .sequence = initial_sequence[1] - 1,
              .acknowledgment = initial_sequence[0],
              .flags = tcp_syn | tcp_ack,
              .payload = {}};
    out[2] = {
        .side = 0, .sequence = initial_sequence[0], .acknowledgment = initial_sequence[1], .payload = {}};
    return out;
}

// What to do to the segments of one direction.
struct Disorder {
    std::uint32_t smallest = 1, largest = 1460; // payload sizes of the first sending
    double repeat = 0.2;                        // chance that a run is sent again, with other boundaries
    std::size_t reorder_distance = 8;           // places that a segment may move
};

// Cuts a run of a stream into segments, repeats parts of it with other boundaries, and disorders the
// result. Every byte is in at least one packet. ACK numbers do not advance.
inline std::vector<Packet> scramble(int side, const std::vector<std::byte> &stream, std::size_t begin,
                                    std::size_t end, std::mt19937 &random, const Disorder &how) {
    std::vector<Packet> out;
    const auto add = [&](std::size_t from, std::size_t to) {
        Packet p;
        p.side = side;
        p.sequence = initial_sequence[side] + static_cast<std::uint32_t>(from);
        p.acknowledgment = initial_sequence[1 - side];
        p.payload.assign(stream.begin() + static_cast<std::ptrdiff_t>(from),
                         stream.begin() + static_cast<std::ptrdiff_t>(to));
        out.push_back(std::move(p));
    };
    const auto size = [&] {
        return std::uniform_int_distribution<std::size_t>(how.smallest, how.largest)(random);
    };
    for (std::size_t at = begin; at < end;) {
        const std::size_t stop = std::min(end, at + size());
        add(at, stop);
        at = stop;
        if (std::uniform_real_distribution<>(0, 1)(random) < how.repeat) {
            const std::size_t from = at - std::min(at - begin, size());
            add(from, std::min(end, from + size()));
        }
    }
    for (std::size_t i = 0; i < out.size() && how.reorder_distance > 0; ++i) {
        const std::size_t last = std::min(out.size() - 1, i + how.reorder_distance);
        std::swap(out[i], out[std::uniform_int_distribution<std::size_t>(i, last)(random)]);
    }
    return out;
}

inline std::vector<Packet> scramble(int side, const std::vector<std::byte> &stream, std::mt19937 &random,
                                    const Disorder &how) {
    return scramble(side, stream, 0, stream.size(), random, how);
}

// Gives the packets times in their order, with steps of 0 to 50 µs.
inline void stamp(std::vector<Packet> &packets, std::mt19937 &random) {
    std::int64_t now = 1'000'000'000;
    for (Packet &p : packets) {
        now += std::uniform_int_distribution<std::int64_t>(0, 50'000)(random);
        p.time_ns = now;
    }
}

// For every byte of one side's stream: when it was first seen, and in which frame. Nothing else.
struct FirstSeen {
    std::int64_t time_ns = 0;
    FrameNumber frame = 0;
};
inline std::vector<std::optional<FirstSeen>> first_seen(int side, const std::vector<Packet> &packets,
                                                        std::size_t stream_size) {
    std::vector<std::optional<FirstSeen>> out(stream_size);
    for (std::size_t i = 0; i < packets.size(); ++i) {
        const Packet &p = packets[i];
        if (p.side != side)
            continue;
        const std::uint32_t begin = p.sequence - initial_sequence[side];
        for (std::size_t k = 0; k < p.payload.size(); ++k)
            if (begin + k < stream_size && !out[begin + k])
                out[begin + k] = FirstSeen{p.time_ns, i + 1};
    }
    return out;
}

} // namespace traffic

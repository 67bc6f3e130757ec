// SPDX-License-Identifier: GPL-2.0-or-later
// SegmentRecord: one TCP segment of any connection, with its place in the stream of its sender.
#pragma once

#include "analyzer/tcp/stream/connection.h"

#include <array>
#include <cstdint>

namespace iscsiscope {

struct SegmentRecord {
    StreamId stream;                   // number of the TCP connection
    std::array<Endpoint, 2> endpoints; // by Side
    Side sender{};
    Segment segment;           // its payload and header are valid during the call only
    std::uint64_t offset = 0;  // of its first payload byte in the sender's stream
    bool repeats = false;      // some of its payload bytes had been seen before
    bool before_start = false; // payload lies before the capture's first byte of the stream
    bool probe = false;        // SegmentReport::probe
    // It was damaged on its way, and its receiver did not take it (StreamSink::on_damaged): of the members
    // only stream, endpoints, sender and segment are set.
    bool damaged = false;
};

inline SegmentRecord segment_record(const Connection &c, const SegmentReport &r, bool damaged = false) {
    return {.stream = c.stream,
            .endpoints = {c.ends[0].endpoint, c.ends[1].endpoint},
            .sender = r.side,
            .segment = *r.segment,
            .offset = r.offset,
            .repeats = r.repeats,
            .before_start = r.before_start,
            .probe = r.probe,
            .damaged = damaged};
}

} // namespace iscsiscope

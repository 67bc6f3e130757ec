// SPDX-License-Identifier: GPL-2.0-or-later
// What a pair of captures tells. Integer nanoseconds; "a" and "b" are the two captures as given.
#pragma once

#include "analyzer/tcp/stream/connection.h"
#include "analyzer/tcp/tcp_figures.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace iscsiscope {

// b's clock against a's, by the lower envelope of one-way differences in both directions (Moon, Skelly,
// Towsley 1999: the line below all differences that lies nearest to them). One clock pair for all
// connections.
struct ClockRelation {
    Time reference{};         // on a's clock
    Duration offset{};        // b − a there
    double drift_ppm = 0;     // how much faster b's clock goes
    bool drift_known = false; // the common time is long enough (1 s) to tell a drift
    // The path's asymmetry cannot be told from an offset: the true one lies within offset ± this, half the
    // least round trip between the two captures.
    Duration asymmetry{};
    std::uint64_t segments = 0; // that it rests on

    // A time of b's clock on a's.
    Time to_a(Time b) const;
};

// One segment that both captures hold.
struct PairedSegment {
    FrameNumber frame_a = 0, frame_b = 0;
    Time time_a{}, time_b{}; // each on its own clock
    std::uint32_t length = 0;
    Side sender{};    // by the opener of the connection as capture a has it
    Duration delay{}; // one way, from the capture that it passed first to the other; clocks aligned
};

// One segment that the first capture on its way holds and the second does not.
struct LostSegment {
    FrameNumber frame = 0; // in the capture that it passed first
    Time time{};           // on that capture's clock
    std::uint64_t offset = 0;
    std::uint32_t length = 0;
};

struct PairedDirection {
    bool a_first = true; // its segments pass capture a, then b
    std::uint64_t segments_a = 0,
                  segments_b = 0; // with payload, SYN or FIN; pure ACKs are matched by TSval or IP ID only
    std::uint64_t matched = 0;
    std::vector<LostSegment> lost;      // between the two captures; with payload only
    std::uint64_t unmatched_second = 0; // in the second capture only: the first one dropped them
    std::uint64_t overtaken =
        0;              // matched segments that passed the second capture out of the first one's order
    TcpQuantiles delay; // one way, clocks aligned: right within ± ClockRelation::asymmetry
    Duration least_difference{}; // second's clock − first's, least seen: not corrected
};

enum class PairMatch : std::uint8_t {
    initial_sequence, // both hold a SYN with the same number
    sequence_range,   // without it: the same addresses and common sequence numbers at the same time
};

struct PairedConnection {
    std::uint64_t stream_a = 0, stream_b = 0;
    PairMatch by{};
    Endpoint opener, acceptor;                 // as capture a has them
    std::array<PairedDirection, 2> directions; // by Side of the sender in a
    std::vector<PairedSegment> segments;       // in order of frame_a
    std::vector<std::size_t> by_frame_b;       // their indices in order of frame_b
    // Frame of the other capture that holds the same segment; 0: none.
    FrameNumber in_b(FrameNumber frame_a) const;
    FrameNumber in_a(FrameNumber frame_b) const;
};

struct PairFigures {
    std::vector<PairedConnection> connections; // in order of stream_a
    std::uint64_t only_a = 0, only_b = 0;      // connections without a partner
    // Empty without segments matched in both directions.
    std::optional<ClockRelation> clock;
};

} // namespace iscsiscope

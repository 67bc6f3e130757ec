// SPDX-License-Identifier: GPL-2.0-or-later
// The result of comparing two captures, called a and b in the order given. Times are integer nanoseconds.
#pragma once

#include "analyzer/capture/tcp_checksum.h"
#include "analyzer/tcp/stream/connection.h"
#include "analyzer/tcp/tcp_figures.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace iscsiscope {

// b's clock relative to a's, from the lower envelope of the one-way time differences in both directions
// (Moon, Skelly, Towsley 1999: the line below all differences that lies nearest to them), common to all
// connections.
struct ClockRelation {
    std::optional<Time> reference; // on a's clock; empty if the offset was not measured
    Duration offset{};             // b − a at the reference
    double drift_ppm = 0;          // rate of b's clock above a's
    bool drift_known = false;      // the captures overlap long enough (1 s) to measure the drift
    // An asymmetric path looks like an offset: the true offset lies within offset ± asymmetry, which is half
    // the least round trip between the two captures. Zero with same_clock.
    Duration asymmetry{};
    // One clock stamped both captures, as the user states (PairOptions): offset and drift are zero, not
    // measured.
    bool same_clock = false;
    std::uint64_t segments = 0; // number of segments used

    // Converts a time of b's clock to a's.
    Time to_a(Time b) const;
};

// How the time stamps agree with the statement that one clock made them (PairOptions::same_clock).
struct SameClockCheck {
    // Segments that would have arrived before they were sent, by more than the precision of the time stamps.
    // If there are any, the statement is false, and PairFigures::clock is measured.
    std::uint64_t negative = 0;
    std::uint64_t segments = 0;            // compared
    Duration least{};                      // least one-way delay with equal clocks, of both directions
    Duration precision{};                  // of the time stamps
    std::optional<ClockRelation> measured; // the relation that the time stamps alone show
    bool holds() const { return negative == 0; }
};

// One segment that both captures hold.
struct PairedSegment {
    FrameNumber frame_a = 0, frame_b = 0;
    Time time_a{}, time_b{}; // each on its capture's clock
    std::uint32_t length = 0;
    Side sender{};    // with the opener as in capture a
    Duration delay{}; // one-way, from the capture that it passed first to the other; clocks aligned
};

// One segment that the first capture on its way holds and the second does not.
struct LostSegment {
    FrameNumber frame = 0; // in the capture that it passed first
    Time time{};           // on that capture's clock
    std::uint64_t offset = 0;
    std::uint32_t length = 0;
};

// One segment that was altered between the two captures.
struct DamagedSegment {
    FrameNumber frame_a = 0, frame_b = 0;
    std::uint32_t length = 0; // payload bytes
    // The payload differs: the first differing byte lies at differs_at of the payload or less than
    // differs_within bytes behind it. Empty: the bytes in both files are equal, the checksum is not right.
    std::optional<std::uint32_t> differs_at;
    std::uint32_t differs_within = 0;
    TcpChecksum checksum_a{}, checksum_b{};
};

// The contents of the matched segments of one direction, compared (payload_blocks.h states how). A segment
// that was sent again counts as often as it passed both captures, so a damaged one and its repeat are one
// damage.
struct PairedContents {
    std::uint64_t segments = 0;        // matched segments of which some payload could be compared
    std::uint64_t bytes = 0;           // payload bytes compared
    std::uint64_t payload_differs = 0; // segments
    // Segments whose TCP checksum is wrong in the second capture, but not in the first. None are counted if
    // so many are wrong there that a network card is filling them in.
    std::uint64_t wrong_checksum = 0;
    std::uint64_t damaged = 0; // either of both
    // Segments whose payload differs with a right checksum in the second capture: the receiver takes them.
    std::uint64_t undetected = 0;
    static constexpr std::size_t max_listed = 100;
    std::vector<DamagedSegment> listed; // the first damaged ones, in order of frame_a
};

struct PairedDirection {
    bool a_first = true; // its segments pass capture a, then b
    // Segments of each capture. Pure ACKs are matched by TSval or IP identification only.
    std::uint64_t segments_a = 0, segments_b = 0;
    std::uint64_t matched = 0;
    std::vector<LostSegment> lost;      // segments with payload lost between the two captures
    std::uint64_t unmatched_second = 0; // in the second capture only: the first one dropped them
    std::uint64_t overtaken = 0;        // matched segments that passed the second capture in another order
    TcpQuantiles delay;                 // one-way, clocks aligned: correct within ± ClockRelation::asymmetry
    Duration min_difference{};          // least time difference, second − first, clocks not aligned
    PairedContents contents;
};

enum class PairMatch : std::uint8_t {
    initial_sequence, // both hold a SYN with the same number
    sequence_range,   // no SYN in both captures: the same addresses and common sequence numbers
};

struct PairedConnection {
    StreamId stream_a, stream_b;
    PairMatch by{};
    Endpoint opener, acceptor;                 // as in capture a
    std::array<PairedDirection, 2> directions; // by Side of the sender in a
    std::vector<PairedSegment> segments;       // in order of frame_a
    std::vector<std::size_t> by_frame_b;       // their indices in order of frame_b
    // Returns the frame of the other capture that holds the same segment; 0: none.
    FrameNumber in_b(FrameNumber frame_a) const;
    FrameNumber in_a(FrameNumber frame_b) const;
};

struct PairFigures {
    std::vector<PairedConnection> connections; // in order of stream_a
    std::uint64_t only_a = 0, only_b = 0;      // connections without a partner
    // Empty if no segments were matched in both directions.
    // With PairOptions::same_clock always known.
    std::optional<ClockRelation> clock;
    std::optional<SameClockCheck> same_clock; // with PairOptions::same_clock
};

} // namespace iscsiscope

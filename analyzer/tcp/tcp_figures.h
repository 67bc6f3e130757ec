// SPDX-License-Identifier: GPL-2.0-or-later
// What TCP did on one connection: one record a retransmission or reordering, and one record a direction at
// the connection's end. Plain structs, integer nanoseconds and bytes; std::optional is "not known".
#pragma once

#include "analyzer/tcp/inference/tcp_sample.h"
#include "analyzer/tcp/stream/connection.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace iscsiscope {

// Why a sender sent bytes again, by what it knew at that moment.
enum class RetransmissionClass : std::uint8_t {
    fast,       // duplicate ACKs or SACKs had told of the hole (RFC 5681, 6675, 8985)
    timeout,    // nothing had: it had waited for its retransmission timer (RFC 6298)
    tail_probe, // a tail loss probe (RFC 8985 section 7): the last segment, about two round trips later
    spurious,   // the original had arrived: DSACK (RFC 2883), or the echo of the original's timestamp (RFC
                // 3522)
    unknown,
};
inline constexpr std::size_t retransmission_class_count = 5;
std::string_view name(RetransmissionClass);

// Where the original was lost.
enum class LossPlace : std::uint8_t {
    before_tap, // between its sender and the tap: a hole passed, filled later
    behind_tap, // between the tap and its receiver: both copies passed
    none,       // nothing was lost (spurious)
    unknown,
};
std::string_view name(LossPlace);

// Bytes that a sender sent again. Told when nothing later can change its class: late.
struct TcpRetransmission {
    std::uint64_t stream = 0;
    Side sender{};
    FrameNumber frame = 0; // that carried them again (before_tap: the frame in which they passed first)
    Time time{};
    FrameNumber original_frame = 0; // 0: no frame before held them
    std::optional<Time> original_time;
    std::uint64_t offset = 0; // of the first repeated byte in the sender's stream
    std::uint32_t length = 0; // of the segment's repeated bytes
    RetransmissionClass kind = RetransmissionClass::unknown;
    LossPlace place = LossPlace::unknown;
    // Since the sender's last segment or the last ACK for it that brought news, whichever is later.
    Duration silence{};
    // Since the original passed; without it since the first segment behind the hole passed.
    std::optional<Duration> delay;
    FrameNumber signal_frame =
        0;                     // the ACK that told the sender of the loss, or of the spurious repeat; 0: none
    std::uint32_t attempt = 1; // how often these bytes have been sent again, this time included
    // Bytes under way behind the original when it was sent, itself included, as its sender held it. Empty
    // where the original did not pass and nothing passed behind it.
    std::optional<std::uint64_t> flight;
};

// How a segment that came late was told from one that was lost and sent again.
enum class ReorderingProof : std::uint8_t {
    timestamp, // its TSval is older than that of segments that had passed it
    ip_id,     // its IP identification lies before theirs
    quick,     // it came sooner than its sender could have learned of a loss
};
std::string_view name(ReorderingProof);

// A segment that others overtook before the tap.
struct TcpReordering {
    std::uint64_t stream = 0;
    Side sender{};
    FrameNumber frame = 0;        // the late segment
    FrameNumber overtaken_by = 0; // the first that passed it
    Time time{};
    Duration delay{};           // since that one
    std::uint32_t segments = 0; // that overtook it
    std::uint64_t bytes = 0;    // theirs
    ReorderingProof proof{};
};

// Waits of one kind: how many, how long, and where to look.
struct TcpWaits {
    std::uint64_t count = 0;
    Duration total{};
    Duration longest{};
    FrameNumber first_frame = 0;   // that ended the first (0: none)
    FrameNumber longest_frame = 0; // that ended the longest

    void add(Duration d, FrameNumber frame) {
        if (count++ == 0)
            first_frame = frame;
        total += d;
        if (longest_frame == 0 || d > longest) {
            longest = d;
            longest_frame = frame;
        }
    }
};

// Quantiles by nearest rank from the engine's histogram; all empty without samples.
struct TcpQuantiles {
    std::uint64_t samples = 0;
    std::optional<Duration> minimum, median, p95, p99, maximum;
};

// How long receivers held ACKs, by upper edge of the class in milliseconds; the last class has none.
// Timers of delayed ACKs stand at 40 (Linux), 50, 100 (ESXi) and 200 ms (Windows, BSD).
inline constexpr std::array<int, 12> ack_delay_edges_ms{1, 5, 10, 20, 35, 45, 60, 90, 115, 185, 215, 500};
using AckDelayClasses = std::array<std::uint64_t, ack_delay_edges_ms.size() + 1>;

// Sums from which mean and spread follow.
struct TcpMoments {
    std::uint64_t count = 0;
    double sum = 0, squares = 0;

    void add(double value) {
        ++count;
        sum += value;
        squares += value * value;
    }
    double mean() const { return count > 0 ? sum / static_cast<double>(count) : 0; }
    double variance() const {
        const double v = count > 0 ? squares / static_cast<double>(count) - mean() * mean() : 0;
        return v > 0 ? v : 0;
    }
};

inline constexpr std::size_t send_limit_count = 6; // of SendLimit, as indexed below

// What is counted of every direction while its connection lives.
struct TcpDirectionCounts {
    Side sender{};

    // What the sender offered in its SYN, and what is in use. Offers are empty without its SYN.
    bool syn_seen = false;
    std::optional<std::uint16_t> mss_offered;         // bytes
    std::optional<std::uint8_t> window_scale_offered; // empty with syn_seen: it offered none
    bool sack_offered = false;                        // without SYN: SACK blocks were seen from it
    bool ecn = false;                                 // both SYNs agreed on it (RFC 3168)
    std::uint32_t full_segment = 0;                   // payload of its full segments, bytes; 0 unknown
    std::uint64_t ce_marks = 0;                       // its segments that passed with Congestion Experienced
    std::uint64_t window_cuts_signalled = 0;          // its segments with CWR

    // The receiver of this direction.
    std::uint64_t duplicate_acks = 0;
    std::uint64_t pure_acks = 0;
    std::optional<std::uint64_t> largest_window;  // that it offered, bytes; empty while the scale is unknown
    std::optional<std::uint64_t> smallest_window; // likewise, above zero, behind the handshake
    AckDelayClasses ack_delays{};                 // all ACKs whose delay is known (see ack_delay_edges_ms)

    std::uint64_t largest_flight = 0;          // bytes under way, as at the sender
    TcpMoments flights;                        // bytes under way behind each segment of new data
    std::optional<std::uint64_t> send_plateau; // bytes: where flight stood while its buffer limited it
    std::optional<std::uint64_t> largest_cwnd; // bytes, over the samples that have one
    std::uint64_t samples = 0;                 // TcpSamples
    std::uint32_t largest_acked_segment = 0;   // payload bytes, acknowledged for certain
};

// What befalls few directions.
struct TcpDirectionTroubles {
    // Copies of which the receiver complained (DSACK) without a repeat seen.
    std::uint64_t duplicates_received = 0;
    FrameNumber first_duplicate = 0;

    // Its retransmissions by RetransmissionClass. Late fills that a loss before the tap explains are among
    // them.
    std::array<std::uint64_t, retransmission_class_count> retransmissions{};
    std::uint64_t retransmitted_bytes = 0;
    std::uint64_t lost_before_tap = 0, lost_behind_tap = 0, lost_unknown_place = 0; // segments
    FrameNumber first_retransmission = 0;                                           // frame; 0: none
    TcpWaits timeouts;   // silences that a retransmission timeout ended
    TcpWaits recoveries; // loss known to the sender → everything sent before then acknowledged
    // Bytes under way behind the segments that were lost (compare flights): a queue that overflows loses when
    // much is under way, chance takes no notice.
    TcpMoments lost_flights;

    std::uint64_t reorderings = 0;
    std::uint32_t reordering_segments = 0; // greatest extent
    Duration reordering_delay{};           // greatest
    FrameNumber first_reordering = 0;

    TcpWaits zero_window;  // the receiver had no room at all; frame: the update that opened it
    TcpWaits window_full;  // the sender had filled what it was offered and waited for an update
    TcpWaits delayed_acks; // ACKs held longer than max(20 ms, twice its usual reaction), up to 500 ms

    // A path that swallows large segments: sizes in bytes of IP payload-bearing segments' TCP payload.
    std::optional<std::uint32_t> smallest_black_holed; // sent three times or more, never acknowledged
    std::uint64_t black_holed_repeats = 0;
    FrameNumber black_hole_frame = 0; // first repeat of it
};

// One direction of one connection: what its sender sent and what its receiver answered.
struct TcpDirectionFigures : TcpDirectionCounts, TcpDirectionTroubles {
    std::uint64_t stream = 0;
    Time start{}, end{}; // first and last frame of the connection: the time that is shared out below

    std::optional<std::uint8_t> window_scale; // in force for the windows that the sender announces
    bool window_scale_inferred = false;       // learned from what was in flight, not from the SYNs
    bool timestamps = false;                  // its segments carry them

    std::uint64_t segments = 0;         // with payload, repeats included, mirror copies not
    std::uint64_t bytes = 0;            // of its stream, repeats not counted
    std::uint64_t unseen_bytes = 0;     // acknowledged, but in no frame: capture loss, not network loss
    std::uint64_t duplicate_frames = 0; // copies removed: a mirror port's, or the network's

    TcpWaits delayed_acks_costly; // of the delayed ones: while the sender could send nothing
    TcpWaits nagle; // the sender kept a small segment back until what went before was acknowledged

    // Times round. Half loops from the tap; the sum of both is the connection's round trip.
    TcpQuantiles rtt_to_sender;   // tap → sender → tap, by what ACKs released (host's reaction included)
    TcpQuantiles rtt_to_receiver; // tap → receiver → tap, data → ACK, Karn's rule
    TcpQuantiles rtt;             // the sender's own round trip
    TcpQuantiles queue_delay;     // rtt less its minimum

    // What held the sender, in time by SendLimit (indexed by its value): sums to end − start exactly.
    std::array<Duration, send_limit_count> limit_time{};
    Duration busy{};                          // of it: data was unacknowledged, as at the sender
    std::optional<std::uint64_t> median_cwnd; // bytes, over the samples that have one

    Duration limit(SendLimit l) const { return limit_time[static_cast<std::size_t>(l)]; }
};

} // namespace iscsiscope

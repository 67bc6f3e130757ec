// SPDX-License-Identifier: GPL-2.0-or-later
// The figures of TCP: one record per retransmission, one per reordered segment, and one per direction of a
// connection at its end. Plain structs; times are integer nanoseconds, sizes are bytes; an empty optional
// means "not known". The figures are defined in docs/tcp-inference.md.
#pragma once

#include "analyzer/tcp/inference/tcp_sample.h"
#include "analyzer/tcp/sender_face.h"
#include "analyzer/tcp/stream/connection.h"

#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string_view>

namespace iscsiscope {

// Why a sender sent bytes again, by what it knew at that moment (docs/tcp-inference.md, "Retransmissions").
enum class RetransmissionClass : std::uint8_t {
    fast,       // duplicate ACKs or SACKs had reported the hole (RFC 5681, 6675, 8985)
    timeout,    // no ACK had: the retransmission timer expired (RFC 6298)
    tail_probe, // a tail loss probe (RFC 8985 section 7): the last segment, about two round trips later
    spurious,   // the original had arrived: DSACK (RFC 2883), or echo of the original's timestamp (RFC 3522)
    unknown,
};
inline constexpr std::size_t retransmission_class_count = 5;
std::string_view name(RetransmissionClass);

// Where the original of a retransmission was lost.
enum class LossPlace : std::uint8_t {
    before_tap, // between its sender and the tap: the tap saw a hole that was filled later
    behind_tap, // between the tap and its receiver: both copies passed the tap
    none,       // nothing was lost (spurious)
    unknown,
};
std::string_view name(LossPlace);

// A segment whose bytes had been sent before. It is reported once no later segment can change its class,
// therefore well after its own time.
struct TcpRetransmission {
    StreamId stream;
    Side sender{};
    FrameNumber frame = 0; // the repeat (before_tap: the first frame that carried the bytes)
    Time time{};
    OptionalFrame original_frame; // empty: no earlier frame held the bytes
    std::optional<Time> original_time;
    std::uint64_t offset = 0; // first repeated byte, in the sender's stream
    std::uint32_t length = 0; // repeated bytes of the segment
    RetransmissionClass kind = RetransmissionClass::unknown;
    LossPlace place = LossPlace::unknown;
    // Time since the sender's last segment or the last ACK with new information for it, whichever is later.
    Duration silence{};
    // Time since the original passed; if it did not, since the first segment after the hole passed.
    std::optional<Duration> delay;
    // The ACK that reported the loss to the sender, or that showed the repeat to be spurious; empty: none.
    OptionalFrame signal_frame;
    std::uint32_t attempt = 1; // number of repeats of these bytes, this one included
    // The sender's bytes in flight when it sent the original, the original included. Empty if the original
    // did not pass the tap and nothing passed after it.
    std::optional<std::uint64_t> flight;
};

// The evidence that a late segment was reordered, not lost and sent again.
enum class ReorderingProof : std::uint8_t {
    timestamp, // its TSval is older than that of segments that passed before it
    ip_id,     // its IP identification is lower than theirs
    quick,     // it came sooner than its sender could have learned of a loss
};
std::string_view name(ReorderingProof);

// A segment that later segments overtook between its sender and the tap.
struct TcpReordering {
    StreamId stream;
    Side sender{};
    FrameNumber frame = 0;        // the late segment
    FrameNumber overtaken_by = 0; // the first segment that overtook it
    Time time{};
    Duration delay{};           // since the first segment that overtook it
    std::uint32_t segments = 0; // segments that overtook it
    std::uint64_t bytes = 0;    // their bytes
    ReorderingProof proof{};
};

// Number and length of the waits of one kind, with the frames of the first and the longest.
struct TcpWaits {
    std::uint64_t count = 0;
    Duration total{};
    Duration longest{};
    OptionalFrame first_frame;   // the frame that ended the first wait; empty: none
    OptionalFrame longest_frame; // the frame that ended the longest wait; empty: none

    void add(Duration d, OptionalFrame frame) {
        if (count++ == 0)
            first_frame = frame;
        total += d;
        if (!longest_frame || d > longest) {
            longest = d;
            longest_frame = frame;
        }
    }
};

// The waits of a sender whose congestion window grew from its start, flight by flight: for the ACKs of what
// filled it (docs/tcp-inference.md, "A window that begins anew").
struct SlowStarts {
    struct Flight {
        std::uint32_t segments = 0; // in flight during the wait; 0: none
        FrameNumber last_frame = 0;
    };
    using Run = std::array<Flight, 6>;

    TcpWaits after_idle; // the window had been larger before the sender sent nothing for a timeout
    TcpWaits opening;    // the connection, or the capture, had just begun
    std::uint64_t transfers_after_idle = 0, transfers_opening = 0; // with at least one such wait
    std::optional<Duration> shortest_silence;                      // before those after idleness
    Duration longest_silence{};
    Run run{}; // the first flights of the start with the most of them, one after idleness if there was one
    std::uint32_t run_waits = 0;
    bool run_after_idle = false;
};

// Quantiles by nearest rank from a Histogram; all empty without samples (docs/figures.md, "Quantiles").
struct TcpQuantiles {
    std::uint64_t samples = 0;
    std::optional<Duration> minimum, median, p95, p99, maximum;
};

// The upper edges of the classes of ACK delay, in milliseconds; the last class has no upper edge. The edges
// separate the usual timers of delayed ACKs: 40 ms (Linux), 50, 100 ms (ESXi), 200 ms (Windows, BSD).
inline constexpr std::array<int, 12> ack_delay_edges_ms{1, 5, 10, 20, 35, 45, 60, 90, 115, 185, 215, 500};
using AckDelayClasses = std::array<std::uint64_t, ack_delay_edges_ms.size() + 1>;

// Sums for the mean and the variance of a value.
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

inline constexpr std::size_t send_limit_count = 6; // number of values of SendLimit

// Figures of a direction that are kept while its connection is open.
struct TcpDirectionCounts {
    Side sender{};

    // What the sender offered in its SYN, and what is in use. The offers are empty without its SYN.
    bool syn_seen = false;
    std::optional<std::uint16_t> mss_offered;         // bytes
    std::optional<std::uint8_t> window_scale_offered; // empty with syn_seen: it offered none
    bool sack_offered = false;                        // without its SYN: it sent SACK blocks
    bool ecn = false;                                 // both SYNs agreed on it (RFC 3168)
    std::optional<std::uint32_t> full_segment;        // payload bytes of its full segments
    std::uint64_t ce_marks = 0;                       // its segments marked Congestion Experienced
    std::uint64_t window_cuts_signalled = 0;          // its segments with CWR

    // What the receiver of this direction sent.
    std::uint64_t duplicate_acks = 0;
    std::uint64_t pure_acks = 0;
    std::optional<std::uint64_t> largest_window;  // bytes; empty while the window scale is unknown
    std::optional<std::uint64_t> smallest_window; // bytes, above zero, after the handshake; empty likewise
    AckDelayClasses ack_delays{};                 // ACKs whose delay is known, by ack_delay_edges_ms

    std::uint64_t largest_flight = 0;          // bytes in flight as at the sender
    TcpMoments flights;                        // bytes in flight at each segment of new data
    std::optional<std::uint64_t> send_plateau; // largest bytes in flight while the send buffer was the limit
    std::optional<std::uint64_t> largest_cwnd; // bytes, over the samples that have one
    std::uint64_t samples = 0;                 // number of TcpSamples
    std::uint32_t largest_acked_segment = 0;   // payload bytes of one segment, certainly acknowledged
    SenderFace face;                           // of the sender's packets
};

// Figures that are zero in most directions, kept apart to save memory.
struct TcpDirectionTroubles {
    // Duplicates that the receiver reported by DSACK without a repeat in the capture.
    std::uint64_t duplicates_received = 0;
    OptionalFrame first_duplicate;

    // The sender's retransmissions by RetransmissionClass, including those of segments lost before the tap.
    std::array<std::uint64_t, retransmission_class_count> retransmissions{};
    std::uint64_t retransmitted_bytes = 0;
    std::uint64_t lost_before_tap = 0, lost_behind_tap = 0, lost_unknown_place = 0; // segments
    // Those of lost_behind_tap of which nothing shows the loss: instead of the segment, its ACK may have been
    // lost or late.
    std::uint64_t loss_not_shown = 0;
    OptionalFrame first_retransmission;
    TcpWaits timeouts;   // silences that a retransmission timeout ended
    TcpWaits recoveries; // from when the sender knew of a loss until all sent by then was acknowledged
    // Bytes in flight at the segments that were lost. Compared with `flights` it separates queue overflow,
    // which loses at high flight, from random loss.
    TcpMoments lost_flights;

    std::uint64_t reorderings = 0;
    std::uint32_t reordering_segments = 0; // maximum of TcpReordering::segments
    Duration reordering_delay{};           // maximum of TcpReordering::delay
    OptionalFrame first_reordering;
    // Segments that passed the tap in order and once, and were acknowledged after later ones had been SACKed:
    // these overtook them between the tap and the receiver (RFC 2018).
    std::uint64_t overtaken_behind_tap = 0;
    OptionalFrame first_overtaken_behind_tap;

    TcpWaits zero_window;    // the receiver's window was zero; frame: the update that opened it
    TcpWaits window_full;    // the sender had filled the window and waited for an update
    TcpMoments full_windows; // bytes of the window each time that it was full
    std::optional<std::uint64_t> first_full_window; // bytes; empty: it never was
    TcpWaits delayed_acks; // ACKs held longer than max(20 ms, twice the usual reaction), up to 500 ms

    SlowStarts slow_starts;

    OptionalFrame reset_frame; // the sender's first RST
    Time reset_time{};         // its time
    PacketFace reset_face;     // and what it looks like
    OptionalFrame fin_frame;   // the sender's first FIN
    Time fin_time{};           // its time

    // Path MTU black hole: payload bytes of the smallest packets that were lost again and again, while
    // smaller ones arrived: packets larger than any ever acknowledged, or full ones while others passed.
    std::optional<std::uint32_t> smallest_black_holed;
    std::uint32_t passed_black_hole = 0; // payload bytes of the largest packet that arrived meanwhile
    std::uint64_t black_holed_repeats = 0;
    OptionalFrame black_hole_frame; // first of these repeats
};

// One direction of one connection: what its sender sent and what its receiver answered.
struct TcpDirectionFigures : TcpDirectionCounts, TcpDirectionTroubles {
    StreamId stream;
    Time start{}, end{}; // first and last frame of the connection

    std::optional<std::uint8_t> window_scale; // applies to the windows that the sender announces
    bool window_scale_inferred = false;       // inferred from the bytes in flight, not from the SYNs
    bool timestamps = false;                  // the sender's segments carry them

    std::uint64_t segments = 0;         // segments with payload, including repeats, excluding mirror copies
    std::uint64_t bytes = 0;            // bytes of the stream, excluding repeats
    std::uint64_t unseen_bytes = 0;     // acknowledged but in no frame: capture loss, not network loss
    std::uint64_t never_acked = 0;      // bytes that passed and were not acknowledged at the end
    std::uint64_t duplicate_frames = 0; // copies removed, made by a mirror port or the network

    TcpWaits delayed_acks_costly; // those delayed ACKs for which the sender had to wait
    TcpWaits nagle;               // the sender held a small segment until the data before it was acknowledged

    // Round trips. The first two are tap-side round trips from the tap; their sum is the connection's round
    // trip.
    TcpQuantiles rtt_to_sender;   // tap → sender → tap, ACK → data it released, host reaction included
    TcpQuantiles rtt_to_receiver; // tap → receiver → tap, data → ACK, Karn's rule
    TcpQuantiles rtt;             // the sender's own round trip
    TcpQuantiles queue_delay;     // rtt less that of the empty path at the time (QueueDelay)
    std::optional<Duration> empty_path; // rtt of the empty path, as it was last; empty without samples

    // Time by what limited the sender, indexed by SendLimit; the sum is exactly end − start.
    std::array<Duration, send_limit_count> limit_time{};
    Duration busy{};                          // the part of it with unacknowledged data, as at the sender
    std::optional<std::uint64_t> median_cwnd; // bytes, over the samples that have one

    // Segments that carry bytes again, of all classes.
    // Segments that were lost, or sent again for what looked like a loss.
    std::uint64_t lost() const { return lost_before_tap + lost_behind_tap + lost_unknown_place; }
    std::uint64_t retransmitted() const {
        return std::accumulate(retransmissions.begin(), retransmissions.end(), std::uint64_t{0});
    }
    Duration limit(SendLimit l) const { return limit_time[static_cast<std::size_t>(l)]; }
};

// The figures of a direction once they are final: more than a kilobyte, which reports and findings share.
using FinalDirectionFigures = std::shared_ptr<const TcpDirectionFigures>;

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// CwndEnvelope: infers the congestion window from the pipe (the packets in flight; docs/tcp-inference.md,
// "Congestion window"). A sender with data waiting keeps its pipe at the window: each ACK releases what
// brings the pipe back to the same level, and sending stops in the middle of what the application wrote.
// Where a run of ACKs shows this, the level is the window, else the pipe is a lower bound. Unit: packets.
//
//                   four of six releases came back to the level, three of six ended with a full packet
//      not limited ───────────────────────────────────────────────────────────────────────────▶ limited
//        ▲  ▲  ▲                                                                                │  │
//        │  │  └── the level fell without a loss, is constant for 16 round trips (LevelTrend), ──┘  │
//        │  │      or the receive window is full                                                    │
//        │  └───── the sender learned of a loss: the window shrinks until left_recovery() ─────────┤
//        └──────── idled(): the window may have been cut ──────────────────────────────────────────┘
//
// Beside it: a sender whose pipe has BBR's cycle of gains (PaceDetector) is not limited by its window.
#pragma once

#include "analyzer/base/compact_optional.h"
#include "analyzer/tcp/inference/falls_at_loss.h"
#include "analyzer/tcp/inference/level_trend.h"
#include "analyzer/tcp/inference/pace_detector.h"
#include "analyzer/tcp/inference/release_votes.h"
#include "analyzer/tcp/inference/running_max.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

class CwndEnvelope {
public:
    // One segment of new data. The pipes include the segment.
    struct Send {
        Time time{};
        std::uint64_t pipe = 0;      // most likely
        std::uint64_t pipe_low = 0;  // with all ACKs that the sender can have known
        std::uint64_t pipe_high = 0; // with the first ACK of the timestamp tick only
        std::uint64_t delivered = 0; // packets that the sender knew to have arrived
        bool pure_release = false;   // the latest of the known ACKs carried no payload
        bool window_full = false;    // the receive window has no room for two more segments
        bool full = false;           // its last packet is a full one: usually more data was waiting
        bool sure = false;           // the pipe is reliable
        bool by_time = false; // the ACKs were found by the tap-side round trip, not by a timestamp echo
        bool queued = false;  // that tap-side round trip contained a queue
    };

    // The handshake is in the capture: the window starts at the initial one (RFC 6928: ten packets).
    void opened() {
        ceiling_ = initial_window;
        trend_.set_growing_fast(true);
    }
    // The sender learned of a loss: until left_recovery() the window shrinks.
    void entered_recovery();
    void left_recovery();
    // A retransmission timeout: the window is one packet (RFC 5681 section 3.1).
    void timed_out();
    // A silence beyond the retransmission timeout: the window may have been cut (RFC 2861, RFC 7661).
    void idled();
    // round_trip: of the sender; the level is taken over this span.
    void send(const Send &, CompactOptional<Duration> round_trip);
    // One round trip has passed since the last call; the growth of the level since then shows slow start.
    void round_trip_passed();

    // Returns the window; empty unless it was seen to limit the sender.
    std::optional<std::uint64_t> window() const {
        return limited_ ? std::optional(level_.value()) : std::nullopt;
    }
    std::uint64_t low() const { return low_; }
    std::optional<std::uint64_t> high() const { return ceiling_; }
    // True if the level has been constant for longer than a congestion window would be.
    bool plateau() const { return trend_.plateau(); }
    bool enough_seen() const { return votes_.enough(); }
    // True if the sender is paced: its window is larger than the pipe.
    bool paced() const { return pace_.paced(); }
    // True if the level is constant but it is unknown whether a window or something else limits it.
    bool in_doubt() const { return !limited_ && (pace_.suspected() || votes_.held()); }
    bool growing_fast() const { return trend_.growing_fast(); }

private:
    static constexpr std::uint64_t initial_window = 10;
    // Packets by which an estimate may be low: an ACK not yet answered, a segment not yet sent.
    static constexpr std::uint64_t slack = 2;

    // Send quanta that BBR allows in addition to its two bandwidth-delay products; an eighth of a product is
    // added to them for acknowledgments that come in bursts.
    static constexpr std::uint64_t paced_slack = 8;

    // Level, in packets, from which BBR's drain of half a product exceeds the uncertainty of the pipe.
    static constexpr std::uint64_t pace_shows = 20;

    bool pace_would_show() const {
        return pace_.judged() && (level_.value() >= pace_shows || falls_.shown());
    }
    void close_group();
    void forget_level();

    // The segments that the sender sent between two advances of `delivered`.
    struct Group {
        std::uint64_t delivered = 0;     // Send::delivered of its segments
        std::uint64_t released = 0;      // the advance of `delivered` before it
        std::uint64_t pipe = 0, low = 0; // after its last segment
        bool pure = false;
        bool window_full = false;
        bool full = false;
        bool sure = true;
        bool by_time = false;
        std::uint64_t doubt = 0; // uncertainty of the pipe
    } group_;
    CompactOptional<Time> exact_at_;                 // when a pipe was last found by an echo
    std::uint64_t pipe_before_ = 0, low_before_ = 0; // after the group before
    bool any_ = false;
    RunningMax level_;      // of the pipe, over a round trip
    RunningMax long_level_; // of the pipe's lower bound, over a time that is no idle period (RFC 7661)
    RunningMax long_high_;  // of the pipe's upper bound, over the same time
    RunningMax cycle_;      // of the pipe's upper bound, over BBR's cycle of gains
    PaceDetector pace_;
    Time time_{};
    Duration span_{};
    ReleaseVotes votes_;
    LevelTrend trend_;
    FallsAtLoss falls_;
    std::uint64_t low_ = 0;
    CompactOptional<std::uint64_t> ceiling_;
    bool shrinking_ = false;
    bool limited_ = false;
};

} // namespace iscsiscope

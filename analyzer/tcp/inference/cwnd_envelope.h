// SPDX-License-Identifier: GPL-2.0-or-later
// From the pipe to the congestion window. A sender with data waiting keeps its pipe at the window:
// each ACK lets it send what brings the pipe back to the same level, and it stops in the middle of what
// the application wrote. Where a run of ACKs shows that, the level is the window; elsewhere the pipe is
// only a lower bound. Everything in packets.
#pragma once

#include "analyzer/tcp/inference/pace_detector.h"
#include "analyzer/tcp/inference/running_max.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

class CwndEnvelope {
public:
    // One segment of new data, by what its sender knew.
    struct Send {
        Time time{};
        std::uint64_t pipe = 0;      // behind it, as far as can be told
        std::uint64_t pipe_low = 0;  // behind it, with all ACKs that its sender can have known
        std::uint64_t pipe_high = 0; // behind it, with the first ACK of the timestamp tick
        std::uint64_t delivered = 0; // packets that the sender knew to have arrived
        bool pure_release = false;   // the latest of those ACKs carried no payload
        bool window_full = false;    // behind it the receiver has no room for two more
        bool full = false;           // its last packet is a full one: more was waiting, as a rule
        bool sure = false;           // the pipe may be trusted
        bool by_time = false;        // its ACKs were found by the time at which they passed, not by an echo
        bool queued = false;         // a queue stood in the loop that was taken for it
    };

    // The handshake is in the capture: the window starts at the initial one (RFC 6928: ten packets).
    void opened() {
        ceiling_ = initial_window;
        growing_fast_ = true;
    }
    // The sender learned of a loss: until left_recovery() the window shrinks.
    void entered_recovery();
    void left_recovery();
    // A retransmission timeout: the window is one packet (RFC 5681 section 3.1).
    void timed_out();
    // Silence beyond the retransmission timeout: the window may have been cut (RFC 2861, RFC 7661).
    void idled();
    // round_trip: of the sender, for the span over which the level is taken.
    void send(const Send &, std::optional<Duration> round_trip);
    // One round trip has passed since the last call: growth tells slow start from avoidance.
    void round_trip_passed();

    // Only while it was seen to limit the sender.
    std::optional<std::uint64_t> window() const {
        return limited_ ? std::optional(level_.value()) : std::nullopt;
    }
    std::uint64_t low() const { return low_; }
    std::optional<std::uint64_t> high() const { return ceiling_; }
    bool plateau() const { return flat_round_trips_ >= plateau_round_trips; }
    bool enough_seen() const { return groups_ >= groups_judged; }
    // It sends at a pace; its window is larger than what is under way.
    bool paced() const { return pace_.paced(); }
    // The level is held, and yet it cannot be told whether a window or something else holds it.
    bool in_doubt() const { return !limited_ && (pace_.suspected() || level_held_); }
    bool growing_fast() const { return growing_fast_; }

private:
    static constexpr std::uint64_t initial_window = 10;
    // The level is held when at least four of the last six releases came back to it.
    static constexpr unsigned groups_judged = 6, groups_held = 4;
    // Half of them must have ended with a full packet: what applications write ends with a short one. (PSH
    // tells less: Linux sets it on every packet group that it hands to the device, since 5.4.)
    static constexpr unsigned groups_full = 3;
    // Every standard window grows by a packet a round trip or so while it limits; one that stands
    // still for so long is something else, the sender's buffer as a rule.
    static constexpr unsigned plateau_round_trips = 16;
    // What an estimate may be short of: an odd ACK not yet answered, a segment not yet sent.
    static constexpr std::uint64_t slack = 2;

    // Send quanta that BBR allows for on top of its two bandwidth-delay products; to that an eighth of one
    // for acknowledgments that come in bursts.
    static constexpr std::uint64_t paced_slack = 8;

    // From this level on BBR's drain, by half a product of bandwidth and round trip, is more than what the
    // pipe is unsure by.
    static constexpr std::uint64_t pace_shows = 20;

    bool pace_would_show() const {
        return pace_.judged() && (level_.value() >= pace_shows || yields_ >= yields_judged);
    }
    void close_group();
    void judge_level();
    void forget_level();

    // The segments that one advance of the sender's knowledge released.
    struct Group {
        std::uint64_t delivered = 0;     // known then
        std::uint64_t released = 0;      // newly delivered by it
        std::uint64_t pipe = 0, low = 0; // behind its last segment
        bool pure = false;
        bool window_full = false;
        bool full = false;
        bool sure = true;
        bool by_time = false;
        std::uint64_t doubt = 0; // by which the pipe may be wrong
    } group_;
    std::optional<Time> exact_at_;                   // when a pipe was last found by an echo
    std::uint64_t pipe_before_ = 0, low_before_ = 0; // behind the group before
    bool any_ = false;
    RunningMax level_;      // of the pipe, over a round trip
    RunningMax long_level_; // of what the pipe was at least, over what no idle rule can cut
    RunningMax long_high_;  // likewise, of what the pipe may have been
    RunningMax cycle_;      // likewise, over BBR's cycle of gains
    PaceDetector pace_;
    Time time_{};
    Duration span_{};
    unsigned held_ = 0, full_ = 0; // one bit a group, the latest lowest
    unsigned groups_ = 0;
    bool level_held_ = false;
    std::uint64_t low_ = 0;
    std::optional<std::uint64_t> ceiling_;
    bool shrinking_ = false;
    // A loss made the level fall for good, as it does with windows and not with a pace.
    std::uint64_t level_at_loss_ = 0;
    unsigned yields_ = 0; // losses in a row of which that holds
    static constexpr unsigned yields_judged = 2;
    bool limited_ = false;
    std::uint64_t level_before_ = 0;
    unsigned flat_round_trips_ = 0;
    bool growing_fast_ = false;
};

} // namespace iscsiscope

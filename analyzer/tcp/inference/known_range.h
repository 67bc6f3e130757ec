// SPDX-License-Identifier: GPL-2.0-or-later
// KnownRange: the last ACK that one sender knew when it sent a segment: at least, most likely, and at most.
// It is found by the echoed timestamp, where the echo is up to date, else by the tap-side round trip tap →
// sender → tap, which it estimates. In: each segment of new data, and round trips. Out: Known.
#pragma once

#include "analyzer/base/compact_optional.h"
#include "analyzer/tcp/inference/tcp_sample.h"
#include "analyzer/tcp/round_trips/tap_rtt_estimator.h"
#include "analyzer/tcp/track/sender_track.h"

#include <cstdint>

namespace iscsiscope {

class KnownRange {
public:
    struct Known {
        const AckSeen *least = nullptr, *likely = nullptr, *most = nullptr; // null: none
        bool sure = false;                                                  // `likely` is reliable
        bool queued = false; // found by a tap-side round trip that contained a queue
        bool by_echo = false;
        Anchor anchor{};
    };

    // The track must outlive the object.
    explicit KnownRange(SenderTrack &track) : track_(track) {}

    // stale: the echo may be older than the ACKs known. round_trip: the sender's latest.
    Known at(const Connection &, const SegmentReport &, bool stale, CompactOptional<Duration> round_trip);
    // The tap-side round trip to the sender.
    TapRttEstimator &tap_rtt() { return tap_rtt_; }

private:
    void add_by_time(Time now, const TapRttEstimator::Estimate &, bool stamped, Known &);

    SenderTrack &track_;
    std::uint64_t near_min_ = 0, near_likely_ = 0, near_max_ = 0; // hints of AckBounds::last_by()
    TapRttEstimator tap_rtt_;
    CompactOptional<Time> exact_at_;    // when the known ACKs were last found by an echo
    std::uint64_t tap_rtt_answers_ = 0; // answers of the RttTrack already taken into tap_rtt_
};

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// RttTrack: the tap-side round trip tap → one end → tap as observers see it: its minimum, what it usually
// takes and what it takes at present. In: what the samplers find (RoundTrips). An answer is the time from
// data to the first ACK that covers it, whatever delayed that ACK; a sample holds no waiting of a program and
// no ACK that the end held.
#pragma once

#include "analyzer/base/compact_optional.h"
#include "analyzer/base/time.h"
#include "analyzer/tcp/round_trips/recent_minimum.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace iscsiscope {

// No round trip takes longer: a TCP gives a connection up before (RFC 9293 section 3.9.1: five minutes). What
// is longer is a step of the capture's clock.
inline constexpr Duration longest_tap_rtt = std::chrono::hours(1);
constexpr bool is_tap_rtt(Duration d) {
    return d >= Duration::zero() && d <= longest_tap_rtt;
}

struct RttTrack {
    // What one segment has brought.
    struct News {
        bool answer = false, sample = false, minimum = false;

        bool any() const { return answer || sample || minimum; }
    };

    CompactOptional<Duration> minimum; // over all answers, samples and echoes so far
    Duration latest_answer{};          // zero: none yet
    std::uint32_t answers = 0;
    std::uint32_t samples = 0;
    Duration latest{};            // only with samples
    Time latest_from{};           // when that sample began
    Duration smoothed{};          // the mean of the samples, recent ones first (RFC 6298 section 2: SRTT)
    RecentMinimum<4> recent;      // of the samples
    News news;                    // of the segment that is being handled; empty at other times
    bool handshake_timed = false; // the handshake gave an answer

    // The least that the round trip takes at the time: more than the minimum if the path has become longer.
    std::optional<Duration> min_now() const {
        return recent.full() ? recent.least() : std::optional<Duration>(minimum);
    }

    // The round trip as it is at the time, queues included; the minimum until there are a few samples.
    std::optional<Duration> usual() const {
        return samples >= 4 ? smoothed : std::optional<Duration>(minimum);
    }

    // The round trip now: a queue may be longer than it usually is.
    std::optional<Duration> at_present() const {
        return samples >= 4 ? std::max(smoothed, latest) : std::optional<Duration>(minimum);
    }

    // A duration that is no round trip (is_tap_rtt) is not counted: the capture's clock was set in between.
    void lower_minimum(Duration tap_rtt) {
        if (!is_tap_rtt(tap_rtt) || (minimum && tap_rtt >= *minimum))
            return;
        minimum = tap_rtt;
        news.minimum = true;
    }
    void add_answer(Duration tap_rtt) {
        if (!is_tap_rtt(tap_rtt))
            return;
        lower_minimum(tap_rtt);
        latest_answer = tap_rtt;
        ++answers;
        news.answer = true;
    }
    // from: when the round trip began, at the tap.
    void add_sample(Duration tap_rtt, Time from) {
        if (!is_tap_rtt(tap_rtt))
            return;
        lower_minimum(tap_rtt);
        latest = tap_rtt;
        latest_from = from;
        smoothed = samples != 0 ? smoothed + (tap_rtt - smoothed) / 8 : tap_rtt;
        recent.add(tap_rtt);
        ++samples;
        news.sample = true;
    }
};

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// EndTapRtt: the tap-side round trip tap → end → tap, from an RttTrack: the smoothed answers, held ACKs
// included, and the samples, in which nothing waited. The diagnoses of both directions read it.
#pragma once

#include "analyzer/base/compact_optional.h"
#include "analyzer/base/histogram.h"
#include "analyzer/tcp/stream/connection.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace iscsiscope {

class EndTapRtt {
public:
    // Takes what is new of the track; to be called after every segment.
    void follow(const RttTrack &track) {
        minimum_ = track.minimum;
        if (track.samples != samples_) {
            samples_ = track.samples;
            all_.add(track.latest.count());
            deviation_ += (std::chrono::abs(track.latest - track.smoothed) - deviation_) / 4;
            usual_ = std::max(track.smoothed + deviation_, track.latest);
        }
        if (track.answers != answers_) {
            answers_ = track.answers;
            const Duration answer = track.latest_answer;
            smooth_ = smooth_ == Duration{} ? answer : smooth_ + (answer - smooth_) / 8;
        }
    }
    Duration smooth() const { return smooth_; } // 0: unknown
    // As it is at the time, without waiting of a program or of a held ACK: with its queues, and as far as it
    // varies (RFC 6298: SRTT and RTTVAR, or the last sample if that is longer); 0: unknown.
    Duration usual() const { return usual_; }
    const Histogram &samples() const { return all_; } // nanoseconds
    // The running minimum, which answers and echoes may have lowered further than the samples.
    const CompactOptional<Duration> &minimum() const { return minimum_; }

private:
    std::uint64_t samples_ = 0, answers_ = 0;
    CompactOptional<Duration> minimum_;
    Duration smooth_{}, usual_{}, deviation_{};
    Histogram all_;
};

using EndTapRtts = std::array<EndTapRtt, 2>; // by Side

} // namespace iscsiscope

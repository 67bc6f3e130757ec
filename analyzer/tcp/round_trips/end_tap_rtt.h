// SPDX-License-Identifier: GPL-2.0-or-later
// EndTapRtt: the statistics of the tap-side round trip tap → end → tap beyond its RttTrack: the smoothed
// answers, held ACKs included, and how far the samples vary, in which nothing waited.
#pragma once

#include "analyzer/base/histogram.h"
#include "analyzer/tcp/round_trips/rtt_track.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace iscsiscope {

class EndTapRtt {
public:
    // Takes the news of a segment, of which a sample or an answer is the last one that it gave.
    void take(const RttTrack &track) {
        if (track.news.sample) {
            all_.add(track.latest.count());
            deviation_ += (std::chrono::abs(track.latest - track.smoothed) - deviation_) / 4;
            usual_ = std::max(track.smoothed + deviation_, track.latest);
        }
        if (track.news.answer) {
            const Duration answer = track.latest_answer;
            smooth_ = smooth_ == Duration{} ? answer : smooth_ + (answer - smooth_) / 8;
        }
    }
    Duration smooth() const { return smooth_; } // 0: unknown
    // As it is at the time, without waiting of a program or of a held ACK: with its queues, and as far as it
    // varies (RFC 6298: SRTT and RTTVAR, or the last sample if that is longer); 0: unknown.
    Duration usual() const { return usual_; }
    const Histogram &samples() const { return all_; } // nanoseconds

private:
    Duration smooth_{}, usual_{}, deviation_{};
    Histogram all_;
};

using EndTapRtts = std::array<EndTapRtt, 2>; // by Side

} // namespace iscsiscope

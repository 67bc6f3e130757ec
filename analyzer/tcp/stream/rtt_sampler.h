// SPDX-License-Identifier: GPL-2.0-or-later
// RttSampler: measures the half loop tap → receiver → tap by data → ACK pairs.
#pragma once

#include "analyzer/tcp/stream/connection.h"

#include <array>
#include <cstdint>

namespace iscsiscope {

inline void add_sample(RttTrack &track, Duration sample) {
    if (sample < Duration::zero())
        return; // the capture clock went back, which the capture room has reported
    if (!track.minimum || sample < *track.minimum)
        track.minimum = sample;
    track.latest = sample;
    ++track.samples;
}

// Stores the times at which up to three segments of one direction passed. An ACK gives a sample by the
// latest segment that it covers. A retransmission discards all stored times (Karn's rule).
class RttSampler {
public:
    // A segment of new data, up to this offset of the stream, passed.
    void sent(std::uint64_t end_offset, Time when) {
        if (count_ == ring_.size())
            --count_; // full: replaces the newest entry and keeps the oldest ones
        ring_[count_++] = {end_offset, when};
    }

    void retransmitted() { count_ = 0; }

    // The other end has ACKed everything below this offset.
    void acked(std::uint64_t offset, Time now, RttTrack &track) {
        std::size_t covered = 0;
        while (covered < count_ && ring_[covered].end <= offset)
            ++covered;
        if (covered == 0)
            return;
        add_sample(track, now - ring_[covered - 1].when);
        for (std::size_t i = covered; i < count_; ++i)
            ring_[i - covered] = ring_[i];
        count_ -= covered;
    }

private:
    struct Timed {
        std::uint64_t end = 0;
        Time when{};
    };
    std::array<Timed, 3> ring_{};
    std::size_t count_ = 0;
};

} // namespace iscsiscope

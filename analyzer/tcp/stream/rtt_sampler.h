// SPDX-License-Identifier: GPL-2.0-or-later
// Round-trip samples from data → ACK pairs at the tap.
#pragma once

#include "analyzer/tcp/stream/connection.h"

#include <array>
#include <cstdint>

namespace iscsiscope {

inline void add_sample(RttTrack &track, Duration sample) {
    if (sample < Duration::zero())
        return; // a clock that went back; counted where it was read
    if (!track.minimum || sample < *track.minimum)
        track.minimum = sample;
    track.latest = sample;
    ++track.samples;
}

// Remembers when the ends of a few new segments of one direction passed. The ACK that covers the
// latest of them gives a sample. Karn's rule: a retransmission forgets all of them.
class RttSampler {
public:
    void sent(std::uint64_t end_offset, Time when) {
        if (count_ == ring_.size())
            --count_; // full: the newest place is taken over, the oldest samples stay
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

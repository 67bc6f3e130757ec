// SPDX-License-Identifier: GPL-2.0-or-later
// EndLoop: the smoothed value and the quantiles of the half loop tap → end → tap, from the samples of an
// RttTrack (handshake and data → ACK, Karn's rule). The diagnoses of both directions read it.
#pragma once

#include "analyzer/tcp/quantiles.h"
#include "analyzer/tcp/stream/connection.h"

#include <array>

namespace iscsiscope {

class EndLoop {
public:
    // Takes the latest sample of the track if it is new; to be called after every segment.
    void follow(const RttTrack &track) {
        if (track.samples == samples_ || !track.latest)
            return;
        samples_ = track.samples;
        all_.add(track.latest->count());
        smooth_ = smooth_ == Duration{} ? *track.latest : smooth_ + (*track.latest - smooth_) / 8;
    }
    Duration smooth() const { return smooth_; } // 0: unknown
    TcpQuantiles quantiles() const { return quantiles_of(all_); }

private:
    std::uint64_t samples_ = 0;
    Duration smooth_{};
    Histogram all_;
};

using EndLoops = std::array<EndLoop, 2>; // by Side

} // namespace iscsiscope

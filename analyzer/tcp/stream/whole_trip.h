// SPDX-License-Identifier: GPL-2.0-or-later
// WholeTrip: round-trip samples of the whole path, from those of the two tap-side round trips.
#pragma once

#include "analyzer/tcp/stream/connection.h"

#include <optional>

namespace iscsiscope {

// One object per connection and user of the samples.
class WholeTrip {
public:
    // Returns the sum of the latest samples of both tap-side round trips if the one with the greater minimum
    // has a new sample since the last call; else nothing.
    std::optional<Duration> follow(const Connection &c) {
        const RttTrack &a = c.ends[0].rtt, &b = c.ends[1].rtt;
        if (a.samples == 0 || b.samples == 0)
            return std::nullopt;
        const Side longer = *a.minimum > *b.minimum ? Side::opener : Side::acceptor;
        const std::uint64_t samples = c.end(longer).rtt.samples;
        if (longer == longer_ && samples == samples_)
            return std::nullopt;
        longer_ = longer;
        samples_ = samples;
        return a.latest + b.latest;
    }

    // The end of the tap-side round trip that gave the last sample.
    Side longer() const { return longer_; }

private:
    Side longer_{};
    std::uint64_t samples_ = 0; // of that tap-side round trip at the last call
};

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// WholeTrip: the samples of the whole round trip, from those of the two tap-side round trips: whenever the
// one with the greater minimum has a new sample, that plus the latest sample of the other one
// (docs/tcp-inference.md, "Round trips"). One object a connection. Who does not look at each segment keeps
// the WholeTrip::Sample that it saw last: another one is new.
#pragma once

#include "analyzer/tcp/hosts/side.h"
#include "analyzer/tcp/round_trips/rtt_track.h"

#include <cstdint>

namespace iscsiscope {

class WholeTrip {
public:
    // Which sample of which tap-side round trip, the longer one, gave a sample of the whole one.
    struct Sample {
        std::uint32_t number = 0; // from 1; 0: none has been
        Side longer{};

        friend bool operator==(const Sample &, const Sample &) = default;
    };

    // A segment has changed one of the tracks. Returns true if there is a new sample.
    bool take(const RttTrack &opener, const RttTrack &acceptor) {
        if (opener.samples == 0 || acceptor.samples == 0)
            return false;
        const bool to_opener = *opener.minimum > *acceptor.minimum;
        const Sample now{to_opener ? opener.samples : acceptor.samples,
                         to_opener ? Side::opener : Side::acceptor};
        if (now == latest_)
            return false;
        latest_ = now;
        return true;
    }
    const Sample &latest() const { return latest_; }
    // How long it is with the latest samples of both; only once there is one.
    static Duration length(const RttTrack &opener, const RttTrack &acceptor) {
        return opener.latest + acceptor.latest;
    }

private:
    Sample latest_;
};

} // namespace iscsiscope

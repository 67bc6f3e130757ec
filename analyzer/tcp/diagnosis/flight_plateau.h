// SPDX-License-Identifier: GPL-2.0-or-later
// Whether the flight comes back to one level again and again: a congestion window that limits grows by a
// packet a round trip or faster (RFC 5681 section 3.1), a buffer does not.
#pragma once

#include "analyzer/base/time.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace iscsiscope {

class FlightPlateau {
public:
    void sample(Time now, std::uint64_t flight, Duration round_trip) {
        if (now - from_ > span * round_trip) {
            highest_ = {0, highest_[0], highest_[1]};
            from_ = now;
        }
        highest_[0] = std::max(highest_[0], flight);
    }
    // A loss cuts the window: what was before says nothing of what comes.
    void lost() { highest_ = {}; }

    // It has not grown for a span and longer: by less than the packets that avoidance adds; where nothing was
    // lost yet, by less than the doubling in each round trip of slow start.
    bool flat(std::uint64_t packet, bool slow_start) const {
        const std::uint64_t tolerance = std::max(span / 2 * packet, slow_start ? highest_[2] : 0);
        return highest_[1] > 0 && highest_[2] > 0 &&
               std::max(highest_[0], highest_[1]) <= highest_[2] + tolerance;
    }

private:
    static constexpr int span = 8;           // round trips: a window would have grown by as many packets
    std::array<std::uint64_t, 3> highest_{}; // of this span and the two before it
    Time from_{};
};

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// FlightPlateau: finds whether the maximum of the bytes in flight is constant. A limiting congestion window
// grows by a packet per round trip or faster (RFC 5681 section 3.1), a send buffer does not. After a silence
// of a retransmission timeout the window begins anew (section 4.1), so that flights before it tell nothing.
#pragma once

#include "analyzer/base/saturating.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace iscsiscope {

class FlightPlateau {
public:
    void sample(Time now, std::uint64_t flight, Duration round_trip) {
        if (last_ != never && saturated_length(last_, now) > std::max(restart, 2 * round_trip))
            *this = {};
        last_ = now;
        if (from_ == never || saturated_length(from_, now) > saturated_product(round_trip, span)) {
            highest_ = {0, highest_[0], highest_[1]};
            from_ = now;
        }
        highest_[0] = std::max(highest_[0], flight);
    }
    // A loss cuts the window: discards the earlier values.
    void lost() { highest_ = {}; }

    // True if the maximum has not grown for more than a span: by less than congestion avoidance would add, or
    // before the first loss by less than the doubling per round trip of slow start.
    bool flat(std::uint64_t packet, bool slow_start) const {
        const std::uint64_t tolerance = std::max(span / 2 * packet, slow_start ? highest_[2] : 0);
        return highest_[1] > 0 && highest_[2] > 0 &&
               std::max(highest_[0], highest_[1]) <= highest_[2] + tolerance;
    }

private:
    static constexpr int span = 8; // round trips, in which a window grows by at least as many packets
    std::array<std::uint64_t, 3> highest_{};                            // of this span and the two before it
    static constexpr Time never = Time::min();                          // no sample yet
    Time from_ = never;                                                 // start of this span
    Time last_ = never;                                                 // the last sample
    static constexpr Duration restart = std::chrono::milliseconds{200}; // Linux' least timeout
};

} // namespace iscsiscope

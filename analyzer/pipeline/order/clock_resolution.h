// SPDX-License-Identifier: GPL-2.0-or-later
// ClockResolution: how fine the clock was that stamped a capture, where that is coarse.
//
// In: the stamp of each frame, in the order of the file. Out: the shortest time between two that differ, if
// it is at least `coarse` and frames in a row have the same stamp again and again: a finer clock would have
// given them different stamps.
#pragma once

#include "analyzer/base/time.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace iscsiscope {

class ClockResolution {
public:
    // Below that, the times of a storage network are still seen.
    static constexpr Duration coarse = std::chrono::microseconds(500);
    static constexpr std::uint32_t enough = 16; // frames with the stamp of the one before

    void add(Time stamp) {
        const Duration since = any_ ? stamp - last_ : Duration{};
        if (since > Duration{})
            shortest_ = std::min(shortest_, since);
        else if (any_ && since == Duration{} && equal_ < enough)
            ++equal_;
        last_ = stamp;
        any_ = true;
    }
    std::optional<Duration> tick() const {
        return equal_ == enough && shortest_ >= coarse && shortest_ != Duration::max()
                   ? std::optional(shortest_)
                   : std::nullopt;
    }

private:
    Time last_{};
    Duration shortest_ = Duration::max();
    std::uint32_t equal_ = 0;
    bool any_ = false;
};

} // namespace iscsiscope

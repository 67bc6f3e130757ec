// SPDX-License-Identifier: GPL-2.0-or-later
// ClockSteps: takes the great steps of the capture's clock out of the times of its segments. A clock that is
// set by decades (a host that boots in 1970), or a time stamp that is damaged, would make every time that
// spans the step a figure of decades, and sums of such times overflow.
//
// In: the time stamp of each segment. Out: its time. Times lie within 400 days of the capture's first one,
// and of the one before; a stamp that does not is a step: from there on times continue at the one before, or
// as before the step if the clock goes back to what it was.
#pragma once

#include "analyzer/base/saturating.h"

#include <chrono>
#include <optional>

namespace iscsiscope {

class ClockSteps {
public:
    static constexpr Duration longest = std::chrono::hours(24 * 400);

    // Returns the time of the segment with this stamp; step() is the step before it.
    Time time_of(Time stamp) {
        step_.reset();
        if (!first_)
            first_ = last_ = stamp;
        Time t = saturated_later(stamp, offset_);
        if (far(last_, t) || far(*first_, t)) [[unlikely]] {
            step_ = saturated_length(last_, t);
            const Duration now = offset_;
            offset_ = offset_for(stamp);
            before_ = now;
            t = saturated_later(stamp, offset_);
        }
        last_ = t;
        return t;
    }
    const std::optional<Duration> &step() const { return step_; }

private:
    // The clock may have been set back to what it was, or a damaged stamp may lie behind.
    Duration offset_for(Time stamp) const {
        for (const Duration known : {before_, Duration{}})
            if (const Time t = saturated_later(stamp, known); !far(last_, t) && !far(*first_, t))
                return known;
        return saturated_length(stamp, last_);
    }
    static bool far(Time from, Time to) {
        const Duration d = saturated_length(from, to);
        return d > longest || d < -longest;
    }

    std::optional<Time> first_;
    Time last_{};                  // with first_
    Duration offset_{}, before_{}; // added to the stamps; before the latest step
    std::optional<Duration> step_;
};

} // namespace iscsiscope

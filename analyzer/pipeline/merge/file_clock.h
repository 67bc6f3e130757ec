// SPDX-License-Identifier: GPL-2.0-or-later
// FileClock: takes steps backwards out of the times of one of several merged files. A file whose clock was
// set back by an hour would otherwise come an hour before the others from there on.
//
// In: the time of each frame of one file, in its order. Out: the time by which it is merged. A frame that is
// up to `tolerance` earlier than the latest one before it is only out of order and keeps its time. An earlier
// one is a step: from there on times continue at the latest one, until the clock is set forward again.
#pragma once

#include "analyzer/base/saturating.h"
#include "analyzer/base/time.h"

#include <chrono>
#include <optional>

namespace iscsiscope {

class FileClock {
public:
    static constexpr Duration tolerance = std::chrono::seconds(1);

    // Returns the time of the frame with this stamp.
    Time time_of(Time stamp) {
        stepped_ = Duration{};
        if (!latest_)
            latest_ = stamp;
        Time t = stamp;
        if (!fits(t)) [[unlikely]] {
            t = saturated_later(stamp, offset_);
            if (!fits(t)) {
                stepped_ = saturated_length(t, *latest_);
                offset_ = saturated_length(stamp, *latest_);
                t = *latest_;
            }
        }
        if (t > *latest_)
            latest_ = t;
        return t;
    }
    // The step before the frame that time_of() was called for last; zero: none.
    Duration stepped() const { return stepped_; }

private:
    bool fits(Time t) const { return saturated_length(t, *latest_) <= tolerance; }

    std::optional<Time> latest_;
    Duration offset_{}, stepped_{};
};

} // namespace iscsiscope

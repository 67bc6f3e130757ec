// SPDX-License-Identifier: GPL-2.0-or-later
// ClockSteps: takes the great steps of a capture's clock out of the times of its frames. A clock that is set
// by decades (a host that boots in 1970), or a time stamp that is damaged, would make every time that spans
// the step a figure of decades.
//
// In: the time stamp of each frame of one file, in its order. Out: its time, and an anomaly for each step. A
// stamp more than 400 days from the frame before is a step: from there on times continue at the frame before,
// or as before the step if the clock goes back to what it was. No file spans ten years: a stamp so far from
// the first one is a step as well, which bounds what hostile stamps can add up to.
#pragma once

#include "analyzer/base/saturating.h"
#include "analyzer/capture/anomaly.h"

#include <chrono>
#include <optional>

namespace iscsiscope {

class ClockSteps {
public:
    static constexpr Duration longest = std::chrono::hours(24 * 400);
    static constexpr Duration longest_file = std::chrono::hours(24 * 3653);

    // Returns the time of the frame with this stamp.
    Time time_of(Time stamp, FrameNumber frame, AnomalySink &sink) {
        if (!first_)
            first_ = last_ = stamp;
        Time t = saturated_later(stamp, offset_);
        if (!fits(t)) [[unlikely]] {
            sink.on_anomaly({.kind = AnomalyKind::time_jumped,
                             .frame = known_frame(frame),
                             .stream = {},
                             .detail = to_ns(saturated_length(last_, t))});
            t = step(stamp);
        }
        last_ = t;
        return t;
    }

private:
    Time step(Time stamp) {
        const Duration now = offset_;
        // The clock may have been set back to what it was, or a damaged stamp may lie behind.
        offset_ = fits(saturated_later(stamp, before_)) ? before_
                  : fits(stamp)                         ? Duration{}
                                                        : saturated_length(stamp, last_);
        before_ = now;
        return saturated_later(stamp, offset_);
    }
    bool fits(Time t) const { return !far(last_, t, longest) && !far(*first_, t, longest_file); }
    static bool far(Time from, Time to, Duration limit) {
        const Duration d = saturated_length(from, to);
        return d > limit || d < -limit;
    }

    std::optional<Time> first_;
    Time last_{};                  // with first_
    Duration offset_{}, before_{}; // added to the stamps; before the latest step
};

} // namespace iscsiscope

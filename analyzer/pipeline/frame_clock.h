// SPDX-License-Identifier: GPL-2.0-or-later
// FrameClock: the times of a capture's frames by their numbers, in memory that does not grow with the
// capture.
#pragma once

#include "analyzer/base/time.h"

#include <optional>
#include <vector>

namespace iscsiscope {

// Keeps the first frame of each interval of time. The intervals become twice as long whenever there would be
// more than `most` of them, so that they are never longer than 2 / most of the capture.
class FrameClock {
public:
    static constexpr std::size_t most = 4096;

    // A frame that is earlier than those before it, or that has a smaller number, is left out.
    void add(FrameNumber frame, Time time) {
        if (marks_.empty() || (time >= next_ && frame > marks_.back().frame))
            keep(frame, time);
    }

    // Returns the time of the last frame kept up to this one: at most one interval before the frame's own
    // time. Empty for a frame before the first.
    std::optional<Time> at(FrameNumber frame) const;

private:
    struct Mark {
        FrameNumber frame = 0;
        Time time{};
    };
    void keep(FrameNumber frame, Time time);

    std::vector<Mark> marks_;
    Time next_{}; // the end of the last mark's interval
    Duration width_ = std::chrono::microseconds(10);
};

} // namespace iscsiscope

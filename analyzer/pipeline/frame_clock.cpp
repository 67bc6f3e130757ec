// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/frame_clock.h"

#include <algorithm>

namespace iscsiscope {

void FrameClock::keep(FrameNumber frame, Time time) {
    while (marks_.size() >= most) {
        width_ *= 2;
        std::vector<Mark> kept;
        for (const Mark &m : marks_)
            if (kept.empty() || m.time >= kept.back().time + width_)
                kept.push_back(m);
        marks_ = std::move(kept);
        next_ = marks_.back().time + width_;
        if (time < next_)
            return;
    }
    marks_.push_back({frame, time});
    next_ = time + width_;
}

std::optional<Time> FrameClock::at(FrameNumber frame) const {
    const auto behind = std::upper_bound(marks_.begin(), marks_.end(), frame,
                                         [](FrameNumber f, const Mark &m) { return f < m.frame; });
    return behind == marks_.begin() ? std::nullopt : std::optional(std::prev(behind)->time);
}

} // namespace iscsiscope

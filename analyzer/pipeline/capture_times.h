// SPDX-License-Identifier: GPL-2.0-or-later
// CaptureTimes: what a capture's summary states of its times.
//
// In: the stamp of each frame in the order of the file, and the time of each segment in the order in which
// they are followed, without steps of the clock. Out: the times of a CaptureSummary.
#pragma once

#include "analyzer/pipeline/order/clock_resolution.h"
#include "analyzer/pipeline/read_capture.h"

#include <algorithm>
#include <optional>

namespace iscsiscope {

class CaptureTimes {
public:
    void stamped(const Frame &frame) {
        resolution_.add(frame.time);
        if (!first_frame_) {
            first_frame_ = frame.time;
            passed(frame.number, frame.time);
        }
    }
    void passed(FrameNumber frame, Time time) {
        first_ = std::min(first_.value_or(time), time);
        last_ = std::max(last_.value_or(time), time);
        clock_.add(frame, time);
    }
    std::optional<Time> first_frame() const { return first_frame_; }

    void sum_up(CaptureSummary &summary) const {
        summary.first_frame_time = first_frame_;
        summary.frame_clock = clock_;
        summary.order.resolution = resolution_.tick();
        if (summary.order.step_count != 0) { // the stamps span the steps
            summary.info.first_time = first_;
            summary.info.last_time = last_;
        }
    }

private:
    std::optional<Time> first_frame_, first_, last_;
    FrameClock clock_;
    ClockResolution resolution_;
};

} // namespace iscsiscope

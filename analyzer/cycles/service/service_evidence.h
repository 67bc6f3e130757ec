// SPDX-License-Identifier: GPL-2.0-or-later
// ServiceEvidence: keeps what passed the tap on one connection that separates the time of the target from
// that of the network (docs/figures.md, "Where the capture was taken": target_service).
#pragma once

#include "analyzer/cycles/service/late_segments.h"
#include "analyzer/cycles/service/loop_samples.h"
#include "analyzer/cycles/service/passing_answers.h"
#include "analyzer/cycles/tasks/target_wait.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

class ServiceEvidence {
public:
    PassingAnswers answers;
    LoopSamples loops;

    // Takes a segment with payload of the target; see LateSegments.
    void answered(const SegmentReport &report, std::uint64_t high_end, bool recovers) {
        late_.passed(report, high_end, recovers);
    }
    // The initiator sent bytes again that had not been acknowledged. original: the frame that had carried
    // them; 0: not known.
    void asked_again(FrameNumber original, Time at) { note(original, at); }
    // The window that the target has announced, after each of its segments.
    void window_announced(std::uint64_t bytes, Time at) {
        if (bytes == 0 && window_open_)
            note(0, at);
        window_open_ = window_open_ || bytes != 0;
    }

    // Returns the part of the wait that the target itself took; empty if losses, repairs, its closed window
    // or a lack of memory hide it. least_rtt: the least loop tap → target → tap of the connection.
    std::optional<Duration> own_time(const TargetWait &, Duration least_rtt) const;

private:
    static constexpr std::size_t most_stops = 256;
    // The target could not take a question: bytes up to it were sent again, or its window was closed.
    struct Stop {
        FrameNumber from_frame = 0; // questions from this frame on were concerned; 0: all
        Time at{};
    };
    void note(FrameNumber from_frame, Time at) {
        if (stops_.size() == most_stops)
            stops_.pop();
        stops_.push({from_frame, at});
    }
    bool stopped_in(const TargetWait &) const;

    LateSegments late_; // of the target
    Fifo<Stop> stops_;
    bool window_open_ = false; // the target has announced a window
};

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// ServiceEvidence: keeps what passed the tap on one connection that separates the time of the target from
// that of the network (docs/figures.md, "Where the capture was taken": target_service).
#pragma once

#include "analyzer/cycles/service/late_segments.h"
#include "analyzer/cycles/service/passing_answers.h"
#include "analyzer/cycles/service/repeated_from.h"
#include "analyzer/cycles/tasks/target_wait.h"
#include "analyzer/tcp/round_trips/tap_rtt_samples.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

// The target's own part of a wait, or of all waits of a task.
struct OwnTime {
    std::optional<Duration> time; // empty: losses, repairs, a closed window or a lack of memory hide it
    bool window_closed = false;   // the target's window was closed in the wait
};

class ServiceEvidence {
public:
    PassingAnswers answers;
    TapRttSamples tap_rtts;
    RepeatedFrom to_target, to_initiator; // what was sent again in either direction

    // Takes a segment with payload of the target; see LateSegments.
    void answered(const SegmentReport &report, std::uint64_t high_end, bool recovers, bool overtaken) {
        late_.passed(report, high_end, recovers, overtaken);
    }
    // When the bytes of a segment of the target that passed late had left there at the latest; empty: it
    // passed in time, or that is not known.
    std::optional<Time> sent_by(FrameNumber frame) const {
        const std::optional<LateSegments::Late> late = late_.find(frame);
        return late ? late->sent_by : std::nullopt;
    }
    // The initiator sent bytes again that had not been acknowledged. original: the frame that had carried
    // them; empty: not known.
    void asked_again(OptionalFrame original, Time at) { note({original, at, false}); }
    // The window that the target has announced, after each of its segments.
    void window_announced(std::uint64_t bytes, Time at) {
        if (bytes == 0 && window_open_)
            note({{}, at, true});
        window_open_ = window_open_ || bytes != 0;
    }

    // min_rtt: the least round trip tap → target → tap of the connection.
    OwnTime own_time(const TargetWait &, Duration min_rtt) const;

private:
    static constexpr std::size_t max_stops = 256;
    // The target could not take a question: bytes up to it were sent again, or its window was closed.
    struct Stop {
        OptionalFrame from_frame; // questions from this frame on were concerned; empty: all
        Time at{};
        bool window = false; // its window was closed
    };
    void note(const Stop &stop) {
        if (stops_.size() == max_stops)
            stops_.pop();
        stops_.push(stop);
    }
    std::optional<Stop> stop_in(const TargetWait &) const;

    LateSegments late_; // of the target
    Fifo<Stop> stops_;
    bool window_open_ = false; // the target has announced a window
};

} // namespace iscsiscope

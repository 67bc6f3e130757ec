// SPDX-License-Identifier: GPL-2.0-or-later
// TimestampSamples: an early timestamp (RFC 7323), no SYN's, of each direction of the connections seen
// lately, from which ForwardStep measures how long a tick of its sender's timestamp clock is.
//
// In: segments in order of time. One in each `spacing` is looked at, and the next one that its receiver sent:
// where the traffic has a rhythm, all others could be of one direction. Out: the samples. Bound: `most`
// directions; a further one takes the place of the oldest.
#pragma once

#include "analyzer/capture/segment.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace iscsiscope {

class TimestampSamples {
public:
    struct Sample {
        Endpoint source, destination;
        std::uint32_t value = 0;
        Time time{};
    };
    static constexpr Duration spacing = std::chrono::milliseconds(1); // the shortest tick of the RFC
    static constexpr std::size_t most = 32;

    void add(const Segment &s) {
        const bool due = s.time >= next_;
        if ((!due && !(awaits_answer_ && s.source == answers_)) || !s.options.has_timestamps ||
            (s.flags & tcp_syn) != 0) [[likely]]
            return;
        awaits_answer_ = due;
        if (due) {
            next_ = s.time + spacing;
            answers_ = s.destination;
        }
        if (std::ranges::any_of(samples_, [&](const Sample &known) {
                return known.source == s.source && known.destination == s.destination;
            }))
            return;
        if (samples_.size() == most)
            samples_.erase(samples_.begin());
        samples_.push_back({s.source, s.destination, s.options.timestamp_value, s.time});
    }
    const std::vector<Sample> &all() const { return samples_; }

private:
    Time next_ = Time::min();
    bool awaits_answer_ = false;
    Endpoint answers_;
    std::vector<Sample> samples_; // oldest first
};

} // namespace iscsiscope

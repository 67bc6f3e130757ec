// SPDX-License-Identifier: GPL-2.0-or-later
// TimeRange: the part of a capture that figures cover (--range). The engine always reads from the start.
#pragma once

#include "analyzer/base/result.h"
#include "analyzer/base/time.h"

#include <optional>
#include <string>
#include <string_view>

namespace iscsiscope {

// From `from` (included) to `to` (excluded). A range with a relative bound covers everything until anchor().
class TimeRange {
public:
    TimeRange() = default; // everything

    // Parses "2..5.5" (seconds from the first frame), "..5", "2..", durations ("500ms..2s"), dates and times
    // as in parse_instant, and seconds since 1970 (from 10^9 on). The failure is a sentence.
    static Result<TimeRange> parse(std::string_view);

    // Sets the time of the capture's first frame, to which relative bounds refer.
    void anchor(Time first_frame);

    bool everything() const { return !from_ && !to_; }
    bool contains(Time t) const { return t >= begin_ && t < end_; }
    // Returns the length of the part of [start, start + length) that lies in the range.
    Duration overlap(Time start, Duration length) const;
    // True if [start, end] overlaps the range; an instant (start == end) if it lies in the range.
    bool touches(Time start, Time end) const { return start < end_ && end >= begin_; }
    Time begin() const { return begin_; }
    Time end() const { return end_; }

private:
    struct Bound {
        std::optional<Time> absolute;
        Duration relative{};
    };
    static std::optional<Bound> parse_bound(std::string_view);

    std::optional<Bound> from_, to_;
    Time begin_ = Time::min(), end_ = Time::max();
};

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// --range: which part of the capture the figures are of. The engine always reads from the start.
#pragma once

#include "analyzer/base/result.h"
#include "analyzer/base/time.h"

#include <optional>
#include <string>
#include <string_view>

namespace iscsiscope {

// From (included) to (excluded). Everything until anchored, if a bound is relative.
class TimeRange {
public:
    TimeRange() = default; // everything

    // "2..5.5" seconds from the first frame; "..5"; "2.."; dates and times as in parse_instant, or
    // seconds since 1970 (from 10^9 on). Lengths of time ("500ms..2s") too. On a mistake: a sentence.
    static Result<TimeRange> parse(std::string_view);

    // Seconds count from here: the time of the capture's first frame.
    void anchor(Time first_frame);

    bool everything() const { return !from_ && !to_; }
    bool contains(Time t) const { return t >= begin_ && t < end_; }
    // What of [start, start + length) lies inside.
    Duration overlap(Time start, Duration length) const;
    // Overlaps, or is an instant inside.
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

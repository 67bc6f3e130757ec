// SPDX-License-Identifier: GPL-2.0-or-later
// Arithmetic between time and pixels for views with a time axis.
#pragma once

#include "analyzer/base/time.h"

#include <cstdint>

namespace iscsiscope::gui {

struct Interval {
    Time from, to; // from included, to excluded

    Duration length() const { return to - from; }
    bool empty() const { return to <= from; }
    bool contains(Time t) const { return t >= from && t < to; }
    friend bool operator==(const Interval &, const Interval &) = default;
};

// The span of a capture without times: not empty, so that a scale can divide by it.
inline constexpr Interval spanOfNothing{Time{}, Time{Duration{1}}};

inline constexpr Duration shortestView = std::chrono::nanoseconds{100}; // limit of zooming in

// Lengths of time as the numbers of plots, and back: what is below a nanosecond is cut off.
constexpr double inNs(Duration d) {
    return static_cast<double>(to_ns(d));
}
constexpr double inSeconds(Duration d) {
    return inNs(d) / 1e9;
}
constexpr Duration cutToNs(double ns) {
    return Duration{static_cast<std::int64_t>(ns)};
}

struct TimeScale {
    Interval view;
    double left = 0, width = 1; // pixels

    double toPixel(Time t) const { return left + inNs(t - view.from) * width / inNs(view.length()); }
    Time toTime(double pixel) const {
        return view.from + cutToNs((pixel - left) * inNs(view.length()) / width);
    }
};

// Returns the view after zooming by factor (below 1: shorter); the time `fixed` stays in its place. The view
// lies inside whole as far as its length allows.
Interval zoomed(Interval view, Time fixed, double factor, Interval whole);
Interval panned(Interval view, Duration by, Interval whole);
// Returns the wanted view, moved and shortened until it lies in whole with a margin of a hundredth on each
// side.
Interval kept(Interval wanted, Interval whole);

} // namespace iscsiscope::gui

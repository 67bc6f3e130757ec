// SPDX-License-Identifier: GPL-2.0-or-later
// Arithmetic between time and pixels for views with a time axis. Times are nanoseconds since 1970.
#pragma once

#include <cstdint>

namespace iscsiscope::gui {

struct Interval {
    std::int64_t from = 0, to = 0; // from included, to excluded

    std::int64_t length() const { return to - from; }
    bool empty() const { return to <= from; }
    bool contains(std::int64_t t) const { return t >= from && t < to; }
    friend bool operator==(const Interval &, const Interval &) = default;
};

inline constexpr std::int64_t shortestView = 100; // ns: limit of zooming in

struct TimeScale {
    Interval view;
    double left = 0, width = 1; // pixels

    double toPixel(std::int64_t t) const {
        return left + static_cast<double>(t - view.from) * width / static_cast<double>(view.length());
    }
    std::int64_t toTime(double pixel) const {
        return view.from +
               static_cast<std::int64_t>((pixel - left) * static_cast<double>(view.length()) / width);
    }
};

// Returns the view after zooming by factor (below 1: shorter); the time `fixed` stays in its place. The view
// lies inside whole as far as its length allows.
Interval zoomed(Interval view, std::int64_t fixed, double factor, Interval whole);
Interval panned(Interval view, std::int64_t by, Interval whole);
// Returns the wanted view, moved and shortened until it lies in whole with a margin of a hundredth on each
// side.
Interval kept(Interval wanted, Interval whole);

} // namespace iscsiscope::gui

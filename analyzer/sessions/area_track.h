// SPDX-License-Identifier: GPL-2.0-or-later
// A level over time, added up from intervals in any order, in memory that does not grow.
#pragma once

#include "analyzer/sessions/load_figures.h"

#include <cstdint>
#include <vector>

namespace iscsiscope {

// Bins lie at multiples of their width since the epoch, so that tracks of different widths add up.
class AreaTrack {
public:
    static constexpr std::size_t most_bins = 512;

    // The level is higher by `weight` from `from` to `to`. Nothing happens unless to > from.
    void add(Time from, Time to, double weight);
    void merge(const AreaTrack &);
    // Level times time, in nanoseconds.
    double area() const;
    Track track() const;

private:
    struct Bin {
        double part = 0; // area of intervals that cover the bin in part
        double step = 0; // change of the level of those that cover it whole, against the bin before
    };
    std::int64_t index_of(Time t) const { return to_ns(t) >> shift_; }
    double width() const { return static_cast<double>(std::int64_t{1} << shift_); }
    void make_room(std::int64_t &first, std::int64_t &last, Time from, Time to);
    void settle(); // no steps left
    void coarsen();

    unsigned shift_ = 20; // width 2^shift ns: 1.05 ms at first
    std::int64_t first_ = 0;
    std::vector<Bin> bins_;
};

} // namespace iscsiscope

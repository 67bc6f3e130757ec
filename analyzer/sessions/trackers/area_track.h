// SPDX-License-Identifier: GPL-2.0-or-later
// A level over time, summed from intervals that come in any order, in bounded memory: at most 512 bins, whose
// width doubles whenever they do not cover the time.
#pragma once

#include "analyzer/sessions/figures/load_figures.h"

#include <cstdint>
#include <memory>

namespace iscsiscope {

// Bins lie at multiples of their width since the epoch, so that tracks of different widths can be added.
class AreaTrack {
public:
    static constexpr std::size_t max_bins = 512;

    // Raises the level by `weight` from `from` to `to`; no effect unless to > from. Cost: a step per bin.
    void add(Time from, Time to, std::uint32_t weight);
    void merge(const AreaTrack &);
    // The sum of level times time, in nanoseconds.
    double area() const;
    // The track shares its bins with this object: nothing may be added afterwards.
    Track track() const;

private:
    std::int64_t index_of(Time t) const { return to_ns(t) >> shift_; }
    std::int64_t end() const { return first_ + static_cast<std::int64_t>(bins_ ? bins_->size() : 0); }
    double width() const { return static_cast<double>(std::int64_t{1} << shift_); }
    void cover(std::int64_t low, std::int64_t high);
    void coarsen();

    unsigned shift_ = 20; // width 2^shift ns: 1.05 ms at first
    std::int64_t first_ = 0;
    std::shared_ptr<AreaBins> bins_; // null before the first interval
};

} // namespace iscsiscope

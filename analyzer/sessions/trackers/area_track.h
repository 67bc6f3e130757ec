// SPDX-License-Identifier: GPL-2.0-or-later
// A level over time, added up from intervals in any order, in memory that does not grow.
#pragma once

#include "analyzer/sessions/figures/load_figures.h"

#include <cstdint>
#include <memory>

namespace iscsiscope {

// Bins lie at multiples of their width since the epoch, so that tracks of different widths add up.
class AreaTrack {
public:
    static constexpr std::size_t most_bins = 512;

    // The level is higher by `weight` from `from` to `to`. Nothing happens unless to > from. Costs a step for
    // each bin that it covers: in sum a few hundred times the mean level for each doubling of the time.
    void add(Time from, Time to, std::uint32_t weight);
    void merge(const AreaTrack &);
    // Level times time, in nanoseconds.
    double area() const;
    // Shares its bins: nothing is to be added afterwards.
    Track track() const;

private:
    std::int64_t index_of(Time t) const { return to_ns(t) >> shift_; }
    std::int64_t end() const { return first_ + static_cast<std::int64_t>(bins_ ? bins_->size() : 0); }
    double width() const { return static_cast<double>(std::int64_t{1} << shift_); }
    void cover(std::int64_t low, std::int64_t high);
    void coarsen();

    unsigned shift_ = 20; // width 2^shift ns: 1.05 ms at first
    std::int64_t first_ = 0;
    std::shared_ptr<AreaBins> bins_; // none before the first interval
};

} // namespace iscsiscope

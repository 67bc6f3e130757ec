// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/trackers/area_track.h"

#include <algorithm>

namespace iscsiscope {

void AreaTrack::coarsen() {
    if (bins_)
        bins_->halve((first_ & 1) != 0);
    first_ >>= 1;
    ++shift_;
}

// Extends the bins to indices low to high, inclusive; the caller has made sure that they fit max_bins.
void AreaTrack::cover(std::int64_t low, std::int64_t high) {
    if (!bins_) {
        bins_ = std::make_shared<AreaBins>();
        first_ = low;
    }
    if (low >= first_ && high < end())
        return;
    const auto before = static_cast<std::size_t>(std::max<std::int64_t>(0, first_ - low));
    const auto behind = static_cast<std::size_t>(std::max<std::int64_t>(0, high + 1 - end()));
    bins_->grow(before, behind, max_bins);
    first_ = std::min(first_, low);
}

void AreaTrack::add(Time from, Time to, std::uint32_t weight) {
    if (to <= from || weight == 0)
        return;
    std::int64_t first = index_of(from), last = index_of(to);
    while ((bins_ ? std::max(last, end() - 1) - std::min(first, first_) : last - first) >=
           static_cast<std::int64_t>(max_bins)) {
        coarsen();
        first = index_of(from);
        last = index_of(to);
    }
    cover(first, last);
    const auto add_to = [&](std::int64_t i, double time) {
        bins_->add(static_cast<std::size_t>(i - first_), weight * time);
    };
    if (first == last) {
        add_to(first, static_cast<double>(to_ns(to - from)));
        return;
    }
    add_to(first, static_cast<double>(((first + 1) << shift_) - to_ns(from)));
    for (std::int64_t i = first + 1; i < last; ++i)
        add_to(i, width());
    add_to(last, static_cast<double>(to_ns(to) - (last << shift_)));
}

void AreaTrack::merge(const AreaTrack &other) {
    if (!other.bins_)
        return;
    if (!bins_) {
        *this = other;
        return;
    }
    // Tracks that were returned earlier may share the bins: they are copied.
    AreaTrack finer = other;
    finer.bins_ = std::make_shared<AreaBins>(*other.bins_);
    bins_ = std::make_shared<AreaBins>(*bins_);
    while (finer.shift_ < shift_)
        finer.coarsen();
    while (shift_ < finer.shift_)
        coarsen();
    while (std::max(end(), finer.end()) - std::min(first_, finer.first_) >
           static_cast<std::int64_t>(max_bins)) {
        coarsen();
        finer.coarsen();
    }
    cover(finer.first_, finer.end() - 1);
    for (std::size_t i = 0; i < finer.bins_->size(); ++i)
        bins_->add(static_cast<std::size_t>(finer.first_ - first_) + i, (*finer.bins_)[i]);
}

double AreaTrack::area() const {
    double sum = 0;
    for (std::size_t i = 0; bins_ && i < bins_->size(); ++i)
        sum += (*bins_)[i];
    return sum;
}

Track AreaTrack::track() const {
    return {time_from_ns(first_ << shift_), Duration{std::int64_t{1} << shift_}, bins_};
}

std::vector<double> Track::means() const {
    std::vector<double> all(size());
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = mean(i);
    return all;
}

} // namespace iscsiscope

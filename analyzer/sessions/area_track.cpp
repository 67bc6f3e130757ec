// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/area_track.h"

#include <algorithm>

namespace iscsiscope {

void AreaTrack::settle() {
    double level = 0;
    for (Bin &bin : bins_) {
        level += bin.step;
        bin.part += level * width();
        bin.step = 0;
    }
}

void AreaTrack::coarsen() {
    settle();
    const std::int64_t first = first_ >> 1;
    std::vector<Bin> half(bins_.empty() ? 0 : bins_.size() / 2 + 1);
    for (std::size_t i = 0; i < bins_.size(); ++i)
        half[static_cast<std::size_t>(((first_ + static_cast<std::int64_t>(i)) >> 1) - first)].part +=
            bins_[i].part;
    first_ = first;
    bins_ = std::move(half);
    ++shift_;
}

void AreaTrack::make_room(std::int64_t &first, std::int64_t &last, Time from, Time to) {
    for (;; coarsen()) {
        first = index_of(from);
        last = index_of(to);
        const std::int64_t low = bins_.empty() ? first : std::min(first, first_);
        const std::int64_t high =
            bins_.empty() ? last : std::max(last, first_ + static_cast<std::int64_t>(bins_.size()) - 1);
        if (high - low < static_cast<std::int64_t>(most_bins)) {
            if (!bins_.empty() && low < first_)
                bins_.insert(bins_.begin(), static_cast<std::size_t>(first_ - low), Bin{});
            first_ = low;
            bins_.resize(static_cast<std::size_t>(high - low + 1));
            return;
        }
    }
}

void AreaTrack::add(Time from, Time to, double weight) {
    if (to <= from || weight == 0)
        return;
    std::int64_t first = 0, last = 0;
    make_room(first, last, from, to);
    const auto at = [this](std::int64_t i) -> Bin & { return bins_[static_cast<std::size_t>(i - first_)]; };
    if (first == last) {
        at(first).part += weight * static_cast<double>(to_ns(to - from));
        return;
    }
    at(first).part += weight * static_cast<double>(((first + 1) << shift_) - to_ns(from));
    at(last).part += weight * static_cast<double>(to_ns(to) - (last << shift_));
    if (last > first + 1) {
        at(first + 1).step += weight;
        at(last).step -= weight;
    }
}

void AreaTrack::merge(const AreaTrack &other) {
    if (other.bins_.empty())
        return;
    AreaTrack finer = other;
    finer.settle();
    settle();
    if (bins_.empty())
        shift_ = finer.shift_;
    while (finer.shift_ < shift_)
        finer.coarsen();
    while (shift_ < finer.shift_)
        coarsen();
    for (;; coarsen(), finer.coarsen()) {
        const std::int64_t end = finer.first_ + static_cast<std::int64_t>(finer.bins_.size());
        const std::int64_t low = bins_.empty() ? finer.first_ : std::min(first_, finer.first_);
        const std::int64_t high =
            bins_.empty() ? end : std::max(end, first_ + static_cast<std::int64_t>(bins_.size()));
        if (high - low > static_cast<std::int64_t>(most_bins))
            continue;
        std::vector<Bin> all(static_cast<std::size_t>(high - low));
        for (std::size_t i = 0; i < bins_.size(); ++i)
            all[static_cast<std::size_t>(first_ - low) + i].part += bins_[i].part;
        for (std::size_t i = 0; i < finer.bins_.size(); ++i)
            all[static_cast<std::size_t>(finer.first_ - low) + i].part += finer.bins_[i].part;
        first_ = low;
        bins_ = std::move(all);
        return;
    }
}

double AreaTrack::area() const {
    double sum = 0, level = 0;
    for (const Bin &bin : bins_) {
        level += bin.step;
        sum += bin.part + level * width();
    }
    return sum;
}

Track AreaTrack::track() const {
    Track t;
    t.start = time_from_ns(first_ << shift_);
    t.width = Duration{std::int64_t{1} << shift_};
    double level = 0;
    for (const Bin &bin : bins_) {
        level += bin.step;
        t.mean.push_back(bin.part / width() + level);
    }
    return t;
}

} // namespace iscsiscope

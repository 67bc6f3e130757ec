// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/course/course.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace iscsiscope {
namespace {

// Whole, rounded down; the divisor is positive.
std::int64_t floored(std::int64_t value, std::int64_t divisor) {
    return value / divisor - (value % divisor < 0 ? 1 : 0);
}

void join(CourseBin &into, const CourseBin &other) {
    if (other.first < into.first) {
        into.first = other.first;
        into.frame = other.frame;
    }
    into.last = std::max(into.last, other.last);
    into.time += other.time;
    into.count += other.count;
}

} // namespace

std::int64_t Course::number_of(Time t) const {
    return floored(to_ns(t), to_ns(width_));
}

void Course::add(Time start, Duration length, FrameNumber frame) {
    if (length <= Duration{})
        return;
    while (length / width_ >= static_cast<std::int64_t>(max_bins_))
        halve();
    for (Time at = start; at < start + length;) {
        const std::int64_t number = number_of(at);
        // In units of the epoch the end of the last bin could exceed what a time can be.
        const Duration left = Duration{width_} - Duration{to_ns(at) - number * to_ns(width_)};
        const Duration part = std::min(left, start + length - at);
        put({number, part, at, at + part, frame, at == start ? 1U : 0U});
        at += part;
    }
}

void Course::add_value(Time at, Duration value, FrameNumber frame) {
    put({number_of(at), value, at, at, frame, 1});
}

void Course::put(const CourseBin &bin) {
    const bool last = bins_.empty() || bins_.back().number < bin.number;
    const auto at =
        last ? bins_.end() : std::ranges::lower_bound(bins_, bin.number, std::less{}, &CourseBin::number);
    if (at != bins_.end() && at->number == bin.number) {
        join(*at, bin);
        return;
    }
    bins_.insert(at, bin);
    while (bins_.size() > max_bins_)
        halve();
}

void Course::halve() {
    width_ *= 2;
    auto to = bins_.begin();
    for (auto from = bins_.begin(); from != bins_.end(); ++from) {
        CourseBin bin = *from;
        bin.number = floored(bin.number, 2);
        if (to != bins_.begin() && std::prev(to)->number == bin.number)
            join(*std::prev(to), bin);
        else
            *to++ = bin;
    }
    bins_.erase(to, bins_.end());
}

void Course::widen(Duration width) {
    while (width_ < width)
        halve();
}

void Course::merge(const Course &other) {
    widen(other.width_);
    for (CourseBin bin : other.bins_) {
        bin.number = number_of(bin.first);
        put(bin);
    }
}

Duration Course::time() const {
    Duration sum{};
    for (const CourseBin &bin : bins_)
        sum += bin.time;
    return sum;
}

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/containers/time_union.h"

#include "analyzer/base/saturating.h"

#include <algorithm>
#include <iterator>

namespace iscsiscope {

Duration TimeUnion::length() const {
    Duration all{};
    for (const Stretch &s : stretches_)
        all += s.covered;
    return all;
}

void TimeUnion::add(Time from, Time to) {
    if (to <= from)
        return;
    add_saturated(sum_, to - from);
    if (stretches_.empty() || from > stretches_.back().end)
        stretches_.push_back({from, to, to - from});
    else if (Stretch &last = stretches_.back(); from >= last.begin && last.solid()) {
        last.end = std::max(last.end, to);
        last.covered = last.end - last.begin;
    } else
        insert(from, to);
    if (stretches_.size() > max_stretches)
        join_older();
}

// Puts the interval in its place: it takes up the stretches that it covers or touches. Of a stretch whose
// covered places are not known it takes up the common part only, and the rest stays a stretch.
void TimeUnion::insert(Time from, Time to) {
    auto first = std::lower_bound(
        stretches_.begin(), stretches_.end(), from, [](const Stretch &s, Time t) { return s.end < t; });
    const auto last =
        std::upper_bound(first, stretches_.end(), to, [](Time t, const Stretch &s) { return t < s.begin; });
    Stretch grown{from, to, {}};
    std::vector<Stretch> rest;
    for (auto s = first; s != last; ++s) {
        if (s->solid()) {
            grown.begin = std::min(grown.begin, s->begin);
            grown.end = std::max(grown.end, s->end);
            continue;
        }
        const Duration before = std::max(from - s->begin, Duration{}),
                       behind = std::max(s->end - to, Duration{});
        const Duration outside = before + behind, common = s->end - s->begin - outside;
        if (common <= Duration{}) { // it only touches
            rest.push_back(*s);
            continue;
        }
        // Between these two lies what was covered outside the common part.
        const Duration least = std::max(s->covered - common, Duration{}),
                       most = std::min(s->covered, outside);
        uncertain_ += most - least;
        if (before > Duration{} && behind > Duration{}) { // the interval lies within the stretch
            s->covered = least + common;
            return;
        }
        if (before > Duration{})
            rest.push_back({s->begin, from, least});
        else if (behind > Duration{})
            rest.push_back({to, s->end, least});
    }
    grown.covered = grown.end - grown.begin;
    rest.push_back(grown);
    std::sort(rest.begin(), rest.end(), [](const Stretch &a, const Stretch &b) { return a.begin < b.begin; });
    const auto place = stretches_.erase(first, last);
    stretches_.insert(place, rest.begin(), rest.end());
}

// Joins neighbours up to a common length. Two joined neighbours together are longer than that length, so that
// at most half of the older stretches are left.
void TimeUnion::join_older() {
    const auto older = static_cast<std::ptrdiff_t>(stretches_.size() * 3 / 4);
    const auto end = stretches_.begin() + older;
    const Duration longest = (std::prev(end)->end - stretches_.front().begin) / (older / 4);
    auto joined = stretches_.begin();
    for (auto s = std::next(joined); s != end; ++s) {
        if (s->end - joined->begin <= longest) {
            joined->end = s->end;
            joined->covered += s->covered;
        } else {
            *++joined = *s;
        }
    }
    stretches_.erase(std::next(joined), end);
}

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/document/lanes/lane_index.h"

#include "gui/document/lanes/min_max_pyramid.h"

#include <algorithm>

namespace iscsiscope::gui {
namespace {

constexpr std::size_t maxBarsShown = 64;

void join(LaneNode &a, const LaneNode &b) {
    a.end = std::max(a.end, b.end);
    for (std::size_t i = 0; i < laneClasses; ++i)
        a.spent[i] += b.spent[i];
}

} // namespace

LaneNode nodeOf(const CycleStore &cycles, Row r) {
    LaneNode n;
    const CycleSpan &span = cycles.span(r);
    n.start = span.start;
    n.end = span.end;
    if (cycles.hasPhases(r)) {
        const PhaseLengths &phases = cycles.phases(r);
        for (std::size_t p = 0; p < phaseCount; ++p)
            n.spent[p] = static_cast<float>(to_ns(phases[p]));
    } else {
        n.spent[phaseCount] = static_cast<float>(to_ns(n.end - n.start));
    }
    return n;
}

LaneIndex::LaneIndex(const CycleStore &cycles, std::vector<Row> rows) : rows_(std::move(rows)) {
    const auto earlier = [&](Row a, Row b) {
        return std::pair(cycles.start(a), a) < std::pair(cycles.start(b), b);
    };
    if (!std::is_sorted(rows_.begin(), rows_.end(), earlier))
        std::sort(rows_.begin(), rows_.end(), earlier);
    rows_.shrink_to_fit();
    bars_.reserve(rows_.size());
    std::array<Time, maxBarsShown> freeFrom;
    freeFrom.fill(Time::min());
    levels_.emplace_back().reserve(rows_.size() / fanOut + 1);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const LaneNode n = nodeOf(cycles, rows_[i]);
        longest_ = std::max(longest_, n.end - n.start);
        bytes_ += cycles.bytesMoved(rows_[i]);
        std::size_t bar = 0;
        while (bar + 1 < maxBarsShown && freeFrom[bar] > n.start)
            ++bar;
        freeFrom[bar] = std::max(freeFrom[bar], n.end);
        bars_.push_back(static_cast<std::uint8_t>(bar));
        maxBars_ = std::max(maxBars_, static_cast<unsigned>(bar) + 1);
        if (i % fanOut == 0)
            levels_.back().push_back(n);
        else
            join(levels_.back().back(), n);
    }
    while (levels_.back().size() > fanOut) {
        const std::vector<LaneNode> &below = levels_.back();
        std::vector<LaneNode> above;
        above.reserve(below.size() / fanOut + 1);
        for (std::size_t i = 0; i < below.size(); ++i)
            if (i % fanOut == 0)
                above.push_back(below[i]);
            else
                join(above.back(), below[i]);
        levels_.push_back(std::move(above));
    }
    for (const auto &level : levels_) {
        Duration longest{};
        for (const LaneNode &n : level)
            longest = std::max(longest, n.end - n.start);
        longestOfLevel_.push_back(longest);
    }
}

std::size_t LaneIndex::placeBefore(const CycleStore &cycles, Time t) const {
    const auto at =
        std::upper_bound(rows_.begin(), rows_.end(), t, [&](Time v, Row r) { return v < cycles.start(r); });
    return at == rows_.begin() ? size() : static_cast<std::size_t>(at - rows_.begin()) - 1;
}

std::pair<std::size_t, std::size_t> LaneIndex::placesIn(const CycleStore &cycles, Interval v) const {
    const auto place = [&](Time t) {
        return static_cast<std::size_t>(std::lower_bound(rows_.begin(), rows_.end(), t,
                                                         [&](Row r, Time x) { return cycles.start(r) < x; }) -
                                        rows_.begin());
    };
    // A single long task must not make every picture walk far back: no more than this many before it.
    constexpr std::size_t maxBefore = 4096;
    const std::size_t inside = place(v.from), last = place(v.to);
    const std::size_t reach = place(v.from - longest_);
    return {std::max(reach, inside > maxBefore ? inside - maxBefore : 0), last};
}

std::pair<std::size_t, std::size_t> LaneIndex::nodesIn(std::size_t level, Interval v) const {
    const auto &nodes = levels_[level];
    const auto before = [](const LaneNode &n, Time t) { return n.start < t; };
    const Duration reach = std::min(longestOfLevel_[level], v.length());
    const auto first = std::lower_bound(nodes.begin(), nodes.end(), v.from - reach, before);
    const auto last = std::lower_bound(first, nodes.end(), v.to, before);
    return {static_cast<std::size_t>(first - nodes.begin()), static_cast<std::size_t>(last - nodes.begin())};
}

std::size_t LaneIndex::memory() const {
    std::size_t sum = rows_.capacity() * sizeof(Row) + bars_.capacity();
    for (const auto &level : levels_)
        sum += level.capacity() * sizeof(LaneNode);
    return sum;
}

std::size_t GapLane::at(Time t, std::size_t from) const {
    // Ever longer steps, then halving: neighbours in a picture are near each other.
    std::size_t step = 1, low = from;
    while (low + step < starts.size() && starts[low + step] <= t) {
        low += step;
        step *= 2;
    }
    const auto first = starts.begin() + static_cast<std::ptrdiff_t>(low);
    const auto last = starts.begin() + static_cast<std::ptrdiff_t>(std::min(low + step + 1, starts.size()));
    const auto behind = std::upper_bound(first, last, t);
    if (behind == starts.begin())
        return starts.size();
    const auto place = static_cast<std::size_t>(behind - starts.begin()) - 1;
    return ends[place] > t ? place : starts.size();
}

std::shared_ptr<const Lanes> Lanes::build(const Tables &t) {
    auto lanes = std::make_shared<Lanes>();
    std::map<StreamId, std::vector<Row>> rows;
    std::vector<Row> *last = nullptr;
    StreamId lastStream = 0;
    for (std::size_t i = 0; i < t.cycles.size(); ++i) {
        const auto row = static_cast<Row>(i);
        const StreamId stream = t.cycles.stream(row);
        if (last == nullptr || stream != lastStream) {
            last = &rows[stream];
            lastStream = stream;
        }
        last->push_back(row);
    }
    for (auto &[stream, list] : rows)
        lanes->cycles.try_emplace(stream, t.cycles, std::move(list));
    for (std::size_t i = 0; i < t.gaps.size(); ++i)
        lanes->gaps[t.gaps.record(static_cast<Row>(i)).stream].rows.push_back(static_cast<Row>(i));
    for (auto &[stream, lane] : lanes->gaps) {
        std::sort(lane.rows.begin(), lane.rows.end(),
                  [&](Row a, Row b) { return t.gaps.record(a).start < t.gaps.record(b).start; });
        for (const Row r : lane.rows) {
            const GapRecord &g = t.gaps.record(r);
            lane.starts.push_back(g.start);
            lane.ends.push_back(g.start + g.length);
            lane.kinds.push_back(g.kind);
            lane.idle += g.active_part;
        }
    }
    for (const NoTaskRecord &u : t.without_task)
        lanes->without_task[u.stream].push_back({u.start, u.start + u.length});
    for (auto &[stream, list] : lanes->without_task)
        std::sort(list.begin(), list.end(), [](auto &a, auto &b) { return a.from < b.from; });
    lanes->incidents = incidentsOf(t);
    return lanes;
}

std::size_t Lanes::memory() const {
    std::size_t sum = 0;
    for (const auto &[stream, lane] : cycles)
        sum += lane.memory();
    for (const auto &[stream, lane] : gaps) {
        sum += lane.rows.capacity() * sizeof(Row) + 2 * lane.starts.capacity() * sizeof(Time) +
               lane.kinds.capacity();
    }
    return sum;
}

} // namespace iscsiscope::gui

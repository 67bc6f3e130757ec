// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/attribution/intervals.h"

#include "analyzer/base/ratio.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <span>
#include <vector>

namespace iscsiscope {
namespace {

// So little of the work before the first interval, or behind the last one, is no news.
constexpr double edge = 0.05;
// So few intervals are listed one by one; of them chance cannot be judged.
constexpr std::size_t few = 3;

// A bin of busy time, and what of it was lost; `before`: the busy time of all bins before it.
struct Bin {
    CourseBin busy;
    const CourseBin *lost = nullptr; // null: nothing
    Duration before{};
};

std::vector<Bin> bins_of(const Course &lost, const Course &busy) {
    std::vector<Bin> bins;
    auto at = lost.bins().begin();
    Duration before{};
    for (const CourseBin &b : busy.bins()) {
        while (at != lost.bins().end() && at->number < b.number)
            ++at;
        const bool both = at != lost.bins().end() && at->number == b.number;
        bins.push_back({b, both ? &*at : nullptr, before});
        before += b.time;
    }
    return bins;
}

// Bins [from, to): the sum of their scores is greater than that of any part of them, and of any that holds
// them and no other such run.
struct Run {
    std::size_t from = 0, to = 0;
    double before = 0, with = 0; // sum of all scores before it, and with its own
};

// All runs whose score is maximal (Ruzzo and Tompa, A linear time algorithm for finding all maximal scoring
// subsequences, ISMB 1999). The score of a bin is its lost time less `level` of its busy time.
std::vector<Run> dense_runs(const std::vector<Bin> &bins, double level) {
    std::vector<Run> runs;
    double sum = 0;
    for (std::size_t i = 0; i < bins.size(); ++i) {
        const Duration lost = bins[i].lost != nullptr ? bins[i].lost->time : Duration{};
        const double score =
            static_cast<double>(to_ns(lost)) - level * static_cast<double>(to_ns(bins[i].busy.time));
        const double before = sum;
        sum += score;
        if (score <= 0)
            continue;
        Run run{i, i + 1, before, sum};
        for (;;) {
            auto left =
                std::find_if(runs.rbegin(), runs.rend(), [&](const Run &r) { return r.before < run.before; });
            if (left == runs.rend() || left->with >= run.with)
                break;
            run.from = left->from;
            run.before = left->before;
            runs.erase(std::prev(left.base()), runs.end());
        }
        runs.push_back(run);
    }
    return runs;
}

// A run that begins or ends within a bin has little time in it: such a bin belongs to it.
void take_edges(std::vector<Run> &runs, const std::vector<Bin> &bins) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const std::size_t least = i > 0 ? runs[i - 1].to : 0,
                          most = i + 1 < runs.size() ? runs[i + 1].from : bins.size();
        if (runs[i].from > least && bins[runs[i].from - 1].lost != nullptr)
            --runs[i].from;
        if (runs[i].to < most && bins[runs[i].to].lost != nullptr)
            ++runs[i].to;
    }
}

// The part of the busy time that is lost where any is.
double density(const std::vector<Bin> &bins) {
    Duration lost{}, busy{};
    for (const Bin &b : bins)
        if (b.lost != nullptr) {
            lost += b.lost->time;
            busy += b.busy.time;
        }
    return ratio(lost, busy);
}

// The busy time from here to there; of bins that reach beyond, their part.
Duration busy_between(const Course &busy, Time from, Time until) {
    double sum = 0;
    for (const CourseBin &b : busy.bins()) {
        const Time begin = std::max(from, b.first), end = std::min(until, b.last);
        if (end > begin)
            sum += amount(b.time) * ratio(end - begin, b.last - b.first);
    }
    return Duration{static_cast<std::int64_t>(sum)};
}

// The lost time of bins [from, to). busy: in bins as narrow as they came.
FindingInterval interval_of(const std::vector<Bin> &bins, std::size_t from, std::size_t to,
                            const Course &busy) {
    FindingInterval interval;
    bool any = false;
    for (std::size_t i = from; i < to; ++i) {
        const CourseBin *lost = bins[i].lost;
        if (lost == nullptr)
            continue;
        if (!any) {
            interval.from = lost->first;
            interval.until = lost->last;
            interval.frame = known_frame(lost->frame);
        }
        any = true;
        interval.until = std::max(interval.until, lost->last);
        interval.lost += lost->time;
    }
    interval.share =
        ratio(interval.lost, std::max(interval.lost, busy_between(busy, interval.from, interval.until)));
    return interval;
}

// The busy time between two runs, or before the first and behind the last one.
Duration between(const std::vector<Bin> &bins, std::size_t from, std::size_t to) {
    const auto at = [&](std::size_t i) {
        return i < bins.size() ? bins[i].before : bins.back().before + bins.back().busy.time;
    };
    return at(to) - at(from);
}

// The longest busy time between two of n runs that chance explains if they come independently of each other:
// one of fifty captures has a longer one. Such pauses are exponentially distributed; their mean is estimated
// by the median, which those between groups of runs do not move, and the last factor is for its error
// (simulated for 4 to 80 pauses).
Duration longest_by_chance(std::vector<Duration> pauses) {
    if (pauses.empty())
        return Duration{};
    const auto middle = pauses.begin() + static_cast<std::ptrdiff_t>(pauses.size() / 2);
    std::nth_element(pauses.begin(), middle, pauses.end());
    const auto n = static_cast<double>(pauses.size());
    const double mean = static_cast<double>(to_ns(*middle)) / std::numbers::ln2;
    return Duration{static_cast<std::int64_t>(mean * (std::log(n + 1) + std::log(50.0)) * (1 + 6 / n))};
}

// The time from begin to begin if it is the same for four intervals or more: its standard deviation is at
// most a tenth of it, and the intervals are short against it.
std::optional<Duration> period_of(std::span<const FindingInterval> intervals) {
    if (intervals.size() < 4)
        return std::nullopt;
    const auto n = static_cast<double>(intervals.size() - 1);
    double squares = 0, longest = 0;
    const double mean = static_cast<double>(to_ns(intervals.back().from - intervals.front().from)) / n;
    for (std::size_t i = 0; i + 1 < intervals.size(); ++i) {
        const double off = static_cast<double>(to_ns(intervals[i + 1].from - intervals[i].from)) - mean;
        squares += off * off;
        longest = std::max(longest, static_cast<double>(to_ns(intervals[i].until - intervals[i].from)));
    }
    if (std::sqrt(squares / n) > mean / 10 || longest > mean / 2)
        return std::nullopt;
    return Duration{static_cast<std::int64_t>(mean)};
}

// True if what this course has between two times is at most `edge` of all of it.
bool little(const Course &course, Time from, Time until) {
    return amount(busy_between(course, from, until)) <= edge * amount(course.time());
}

// Of intervals that are so few that chance cannot be judged: a pause of a tenth of what they span is no news.
Duration ordinary_pause(const std::vector<Bin> &bins, const std::vector<Run> &runs) {
    constexpr int tenth = 10;
    return between(bins, runs.front().from, runs.back().to) / tenth;
}

} // namespace

FindingTimes times_of(Course lost, Course concerned, const BusyCourse &of) {
    FindingTimes times;
    lost.widen(std::max(concerned.width(), of.time.width()));
    concerned.widen(lost.width());
    const std::vector<Bin> bins = bins_of(lost, concerned);
    std::vector<Run> runs = dense_runs(bins, density(bins) / 2);
    take_edges(runs, bins);
    if (runs.empty())
        return times;
    std::vector<Duration> pauses;
    for (std::size_t i = 1; i < runs.size(); ++i)
        pauses.push_back(between(bins, runs[i - 1].to, runs[i].from));
    const Duration chance = runs.size() > few ? longest_by_chance(pauses) : ordinary_pause(bins, runs);
    std::size_t from = runs.front().from;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        times.intervals.push_back(interval_of(bins, runs[i].from, runs[i].to, of.time));
        if (i + 1 < runs.size() && pauses[i] <= chance)
            continue;
        times.parts.push_back(interval_of(bins, from, runs[i].to, of.time));
        from = i + 1 < runs.size() ? runs[i + 1].from : from;
    }
    times.period = period_of(times.intervals);
    const Duration by_chance = runs.size() > few ? chance : Duration{};
    const Time first = times.parts.front().from, last = times.parts.back().until;
    const auto no_work = [&](Time begin, Time end) { // hardly any of the Reads and Writes
        return of.transfers.empty() || little(of.transfers, begin, end);
    };
    // Or a pause that chance explains, on connections that were busy from the beginning, or to the end.
    times.from_begin = (little(of.time, Time::min(), first) && no_work(Time::min(), first)) ||
                       (between(bins, 0, runs.front().from) <= by_chance &&
                        little(of.time, Time::min(), bins.front().busy.first));
    times.to_end = (little(of.time, last, Time::max()) && no_work(last, Time::max())) ||
                   (between(bins, runs.back().to, bins.size()) <= by_chance &&
                    little(of.time, bins.back().busy.last, Time::max()));
    // The scan of a disk may take a while, but reads little.
    const bool worked = !of.transfers.empty();
    times.throughout = times.parts.size() == 1 &&
                       (times.from_begin || (worked && no_work(Time::min(), first))) &&
                       (times.to_end || (worked && no_work(last, Time::max())));
    return times;
}

FindingInterval interval_between(const Course &lost, const BusyCourse &all, Time from, Time until,
                                 OptionalFrame frame) {
    FindingInterval part{from, until, frame, busy_between(lost, from, until), {}};
    part.share = ratio(part.lost, std::max(part.lost, busy_between(all.time, from, until)));
    return part;
}

FindingTimes times_of_events(const Course &events, Time begin, Time end) {
    BusyCourse all;
    all.time.add(begin, end - begin);
    all.transfers = all.time;
    FindingTimes times = times_of(events, all.time, all);
    for (std::vector<FindingInterval> *intervals : {&times.intervals, &times.parts})
        for (FindingInterval &s : *intervals)
            s.share.reset();
    return times;
}

} // namespace iscsiscope

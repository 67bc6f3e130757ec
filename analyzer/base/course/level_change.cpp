// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/course/level_change.h"

#include "analyzer/base/course/chance.h"
#include "analyzer/base/ratio.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace iscsiscope {
namespace {

constexpr double min_ratio = 1.5;
constexpr Duration min_difference = std::chrono::milliseconds(1);
constexpr double min_values = 10;
constexpr double by_chance = 0.01;

struct Sums {
    double values = 0, time = 0, logs = 0; // logs: of the bins' means, weighted by their values

    Sums operator-(const Sums &o) const { return {values - o.values, time - o.time, logs - o.logs}; }
    double log_mean() const { return logs / values; }
};

double log_of(const CourseBin &b) {
    return std::log(std::max(1.0, amount(b.time) / static_cast<double>(b.count)));
}

struct Part {
    std::size_t from = 0, to = 0; // bins
    Sums inside, outside;
};

// Of all parts the one that explains most of the variance.
Part greatest_difference(std::span<const CourseBin> bins) {
    std::vector<Sums> before(1);
    for (const CourseBin &b : bins) {
        const auto n = static_cast<double>(b.count);
        const Sums &s = before.back();
        before.push_back({s.values + n, s.time + amount(b.time), s.logs + n * log_of(b)});
    }
    const Sums all = before.back();
    Part best;
    double most = 0;
    for (std::size_t from = 0; from < bins.size(); ++from)
        for (std::size_t to = from + 1; to <= bins.size(); ++to) {
            const Sums inside = before[to] - before[from], outside = all - inside;
            if (inside.values < min_values || outside.values < min_values)
                continue;
            const double difference = inside.log_mean() - outside.log_mean();
            const double explained = inside.values * outside.values * difference * difference;
            if (difference > 0 && explained > most) {
                most = explained;
                best = {from, to, inside, outside};
            }
        }
    return best;
}

// Bins of a side above and below the middle of the two means.
struct Sides {
    double above = 0, below = 0;
    double all() const { return above + below; }
};

// True if it is no chance that so many of the bins of a side lie where this share of all lies. The part is
// the best of as many as there are pairs of bins.
bool no_chance(double there, double of, double share, std::size_t bins) {
    const auto n = static_cast<double>(bins);
    return n * n * chance_of(of, there / of, share) <= by_chance;
}

} // namespace

std::optional<LevelChange> level_change_of(const Course &values) {
    const std::span<const CourseBin> bins = values.bins();
    const Part part = greatest_difference(bins);
    if (part.to == 0)
        return std::nullopt;
    const double middle = (part.inside.log_mean() + part.outside.log_mean()) / 2;
    Sides inside, outside;
    for (std::size_t i = 0; i < bins.size(); ++i) {
        Sides &s = i >= part.from && i < part.to ? inside : outside;
        (log_of(bins[i]) > middle ? s.above : s.below) += 1;
    }
    const auto n = static_cast<double>(bins.size());
    const auto mean = [](const Sums &s) { return Duration{static_cast<std::int64_t>(s.time / s.values)}; };
    LevelChange level{bins[part.from].first, bins[part.to - 1].last, bins[part.from].frame, mean(part.inside),
                      mean(part.outside),    part.from == 0,         part.to == bins.size()};
    if (level.within - level.outside < min_difference ||
        amount(level.within) < min_ratio * amount(level.outside) ||
        !no_chance(inside.above, inside.all(), (inside.above + outside.above) / n, bins.size()) ||
        !no_chance(outside.below, outside.all(), (inside.below + outside.below) / n, bins.size()))
        return std::nullopt;
    return level;
}

} // namespace iscsiscope

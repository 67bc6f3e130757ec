// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/cycles/cycle_charts.h"

#include "gui/models/aggregates/response_classes.h"

#include <algorithm>
#include <cmath>

namespace iscsiscope::gui {
namespace {

constexpr int maxBars = 80;
constexpr int minColumns = 60, maxColumns = 400;

double milliseconds(Duration d) {
    return inNs(std::max(d, Duration{1})) / 1e6;
}

// Of rows picked for it, whose response time is known.
Duration timeOf(const CycleStore &c, Row r) {
    return c.responseTime(r).value_or(Duration{});
}

struct Picked {
    std::vector<Row> rows;
    Duration shortest = Duration::max(), longest{1};
    std::uint64_t lowest = std::numeric_limits<std::uint64_t>::max(), highest = 0;
};

Picked pick(ChartKind kind, const CycleStore &c, const std::vector<Row> &all, Interval view,
            const std::atomic<bool> &stop) {
    Picked p;
    const bool overTime = kind != ChartKind::histogram && kind != ChartKind::cdf;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i % 4096 == 0 && stop)
            break;
        const Row r = all[i];
        if ((overTime && !view.contains(c.end(r))) ||
            (kind == ChartKind::lba ? !c.hasLba(r) : !c.responseTime(r)))
            continue;
        p.rows.push_back(r);
        if (kind == ChartKind::lba) {
            p.lowest = std::min(p.lowest, c.lba(r));
            p.highest = std::max(p.highest, c.lba(r));
        } else if (const auto t = c.responseTime(r)) {
            p.shortest = std::min(p.shortest, *t);
            p.longest = std::max(p.longest, *t);
        }
    }
    return p;
}

void fillPoints(ChartData &d, const Snapshot &s, const Picked &p) {
    d.asPoints = true;
    const CycleStore &c = s.tables.cycles;
    for (const Row r : p.rows) {
        const auto type = static_cast<std::size_t>(c.type(r));
        d.x[type] << inSeconds(c.end(r) - s.origin);
        d.rows[type].push_back(r);
        d.y[type] << (d.kind == ChartKind::lba ? static_cast<double>(c.lba(r)) : milliseconds(timeOf(c, r)));
    }
}

void fillGrid(ChartData &d, const Snapshot &s, const Picked &p, Interval view,
              const std::atomic<bool> &stop) {
    DensityGrid &g = d.grid;
    const bool lba = d.kind == ChartKind::lba;
    // So many that some cells hold several cycles, and each can be seen.
    g.columns = std::clamp(static_cast<int>(2 * std::sqrt(static_cast<double>(p.rows.size()))), minColumns,
                           maxColumns);
    g.rows = g.columns * 3 / 10;
    g.x0 = inSeconds(view.from - s.origin);
    g.x1 = inSeconds(view.to - s.origin);
    g.y0 = lba ? static_cast<double>(p.lowest) : std::log10(milliseconds(p.shortest));
    g.y1 = lba ? static_cast<double>(p.highest) : std::log10(milliseconds(p.longest));
    if (g.y1 - g.y0 < 1e-9)
        g.y1 = g.y0 + (lba ? 1 : 0.1);
    g.counts.assign(static_cast<std::size_t>(g.columns) * static_cast<std::size_t>(g.rows), 0);
    const CycleStore &c = s.tables.cycles;
    for (std::size_t i = 0; i < p.rows.size(); ++i) {
        if (i % 4096 == 0 && stop)
            return;
        const Row r = p.rows[i];
        const double x = (inSeconds(c.end(r) - s.origin) - g.x0) / (g.x1 - g.x0);
        const double v = lba ? static_cast<double>(c.lba(r)) : std::log10(milliseconds(timeOf(c, r)));
        const int column = std::clamp(static_cast<int>(x * g.columns), 0, g.columns - 1);
        const int row = std::clamp(static_cast<int>((v - g.y0) / (g.y1 - g.y0) * g.rows), 0, g.rows - 1);
        std::uint32_t &n = g.counts[static_cast<std::size_t>(row) * static_cast<std::size_t>(g.columns) +
                                    static_cast<std::size_t>(column)];
        g.most = std::max(g.most, ++n);
    }
}

void fillDistribution(ChartData &d, const Snapshot &s, const Picked &p) {
    const CycleStore &c = s.tables.cycles;
    // Bars so wide that one can see and take each; the CDF as fine as it is.
    const int span = responseClassOf(p.longest) - responseClassOf(p.shortest) + 1;
    while (d.kind == ChartKind::histogram && d.classStep < 8 && span / d.classStep > maxBars)
        d.classStep *= 2;
    const int step = d.classStep, first = responseClassOf(p.shortest) / step * step;
    const auto classes = static_cast<std::size_t>((responseClassOf(p.longest) - first) / step + 1);
    std::array<std::vector<std::uint64_t>, 3> counts;
    for (auto &v : counts)
        v.assign(classes, 0);
    std::array<std::uint64_t, 3> sums{};
    for (const Row r : p.rows) {
        const auto type = static_cast<std::size_t>(c.type(r));
        ++counts[type][static_cast<std::size_t>((responseClassOf(timeOf(c, r)) - first) / step)];
        ++sums[type];
    }
    d.firstClass = first;
    d.classRatio = std::pow(10.0, step / responseClassesPerDecade);
    for (std::size_t type = 0; type < 3; ++type) {
        if (sums[type] == 0)
            continue;
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < classes; ++i) {
            const int responseClass = first + step * static_cast<int>(i);
            const double lower = milliseconds(lowerEdgeOf(responseClass)),
                         upper = milliseconds(lowerEdgeOf(responseClass + step));
            sum += counts[type][i];
            if (d.kind == ChartKind::histogram) {
                d.x[type] << lower;
                d.y[type] << static_cast<double>(counts[type][i]);
            } else {
                if (i == 0) {
                    d.x[type] << lower;
                    d.y[type] << 0;
                }
                d.x[type] << upper;
                d.y[type] << static_cast<double>(sum) / static_cast<double>(sums[type]);
            }
        }
        if (d.kind == ChartKind::histogram) { // the end of the last class
            d.x[type] << milliseconds(lowerEdgeOf(first + step * static_cast<int>(classes)));
            d.y[type] << 0;
        }
    }
}

} // namespace

ChartData makeChart(ChartKind kind, const Snapshot &s, const std::vector<Row> &all, Interval view,
                    const std::atomic<bool> &stop) {
    ChartData d;
    d.kind = kind;
    const Picked p = pick(kind, s.tables.cycles, all, view, stop);
    d.cycles = p.rows.size();
    if (p.rows.empty())
        return d;
    switch (kind) {
    case ChartKind::scatter:
    case ChartKind::lba:
        if (p.rows.size() <= maxPoints) {
            fillPoints(d, s, p);
            break;
        }
        [[fallthrough]];
    case ChartKind::heatMap:
        fillGrid(d, s, p, view, stop);
        break;
    case ChartKind::histogram:
    case ChartKind::cdf:
        fillDistribution(d, s, p);
        break;
    }
    return d;
}

} // namespace iscsiscope::gui

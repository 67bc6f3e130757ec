// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/timeline/lane_parts.h"
#include "gui/models/words.h"

#include <algorithm>
#include <cmath>

namespace iscsiscope::gui {
namespace {

// Rows of a series that reach into the view, one more on each side.
std::pair<Row, Row> rowsIn(const SampleSeries &series, Interval v) {
    const auto place = [&](std::int64_t t) {
        Row first = 0, count = static_cast<Row>(series.size());
        while (count > 0) {
            const Row half = count / 2;
            if (series.time(first + half) < t) {
                first += half + 1;
                count -= half + 1;
            } else {
                count = half;
            }
        }
        return first;
    };
    const Row from = place(v.from), to = place(v.to);
    return {from > 0 ? from - 1 : 0, std::min<Row>(to + 1, static_cast<Row>(series.size()))};
}

// Every sample where there are few, least and greatest of runs where there are many.
void fill(LaneLine &line, const Snapshot &s, const SampleSeries &series, const MinMaxPyramid &pyramid,
          SampleFigure f, Interval v, int pixels, double scale) {
    const auto [first, last] = rowsIn(series, v);
    const auto columns = static_cast<std::size_t>(std::max(pixels, 1));
    if (last - first <= 2 * columns) {
        bool gap = false;
        for (Row r = first; r < last; ++r) {
            const auto value = series.value(r, f);
            if (value) {
                line.x << laneSeconds(series.time(r), s);
                line.y << static_cast<double>(*value) * scale;
                gap = false;
            } else if (!gap) {
                line.x << laneSeconds(series.time(r), s);
                line.y << std::nan("");
                gap = true; // never a line across what is not known
            }
        }
        return;
    }
    const std::size_t level = pyramid.levelFor(v.from, v.to, columns);
    // Of the nodes in one pixel column the least and greatest: two points a column.
    const double width = static_cast<double>(v.length()) / static_cast<double>(columns);
    std::int64_t column = std::numeric_limits<std::int64_t>::min();
    MinMaxNode merged;
    const auto flush = [&] {
        if (column == std::numeric_limits<std::int64_t>::min())
            return;
        const double x = laneSeconds(merged.start, s);
        if (merged.empty()) {
            line.x << x;
            line.y << std::nan("");
        } else {
            line.x << x << x;
            line.y << static_cast<double>(merged.least) * scale
                   << static_cast<double>(merged.greatest) * scale;
        }
    };
    const auto take = [&](const MinMaxNode &n) {
        const auto c = static_cast<std::int64_t>(static_cast<double>(n.start - v.from) / width);
        if (c != column) {
            flush();
            column = c;
            merged = n;
        } else {
            merged.least = std::min(merged.least, n.least);
            merged.greatest = std::max(merged.greatest, n.greatest);
        }
    };
    if (level < pyramid.levels()) {
        const auto [a, b] = pyramid.nodesIn(level, v.from, v.to);
        for (std::size_t i = a; i < b; ++i)
            take(pyramid.level(level)[i]);
    } else { // too many to draw each, too few for the pyramid
        for (Row r = first; r < last; ++r) {
            MinMaxNode n;
            n.start = series.time(r);
            if (const auto value = series.value(r, f))
                n.least = n.greatest = static_cast<float>(*value);
            take(n);
        }
    }
    flush();
}

// The least of a series' RTT, ms: what is left without queues.
double leastRtt(const std::array<MinMaxPyramid, sampleFigureCount> &pyramids) {
    const MinMaxPyramid &rtt = pyramids[static_cast<std::size_t>(SampleFigure::rtt)];
    float least = std::numeric_limits<float>::infinity();
    if (rtt.levels() > 0)
        for (const MinMaxNode &n : rtt.level(rtt.levels() - 1))
            least = std::min(least, n.least);
    return std::isfinite(least) ? static_cast<double>(least) * 1e-6 : 0;
}

} // namespace

void addSampleLines(LaneContent &c, const Snapshot &s, const std::vector<SampleLineKind> &figures, Interval v,
                    int pixels, double scale, bool aboveLeast) {
    std::vector<SeriesKey> there;
    std::vector<double> weights;
    for (const auto &[key, series] : s.tables.samples) {
        const auto pyramids = s.pyramids->series.find(key);
        if (series.size() < 2 || pyramids == s.pyramids->series.end())
            continue;
        there.push_back(key);
        weights.push_back(static_cast<double>(series.size()));
    }
    const auto places = heaviest(weights, mostLines / figures.size());
    c.leftOut = (there.size() - places.size()) * figures.size();
    const bool several = figures.size() > 1;
    if (several)
        for (const SampleLineKind &f : figures)
            c.keys.push_back({f.name, f.explanation, std::nullopt, f.style, {}});
    for (std::size_t i = 0; i < places.size(); ++i) {
        const SeriesKey &key = there[places[i]];
        const auto &pyramids = s.pyramids->series.at(key);
        const bool out = key.direction == PduDirection::to_target;
        const QString what = out ? laneTr("connection %1, to target") : laneTr("connection %1, to initiator");
        LaneKey colorKey{(out ? laneTr("conn %1 →T") : laneTr("conn %1 →I")).arg(key.stream),
                         what.arg(key.stream),
                         seriesColor(i),
                         several ? LineStyle::line : laneStyleOf(i),
                         {}};
        for (std::size_t f = 0; f < figures.size(); ++f) {
            LaneLine line{figures[f].name + ", " + what.arg(key.stream),
                          seriesColor(i),
                          several ? figures[f].style : laneStyleOf(i),
                          {},
                          {}};
            fill(line, s, s.tables.samples.at(key), pyramids[static_cast<std::size_t>(figures[f].figure)],
                 figures[f].figure, v, pixels, scale);
            if (line.x.isEmpty())
                continue;
            if (aboveLeast) {
                const double least = leastRtt(pyramids);
                for (double &y : line.y)
                    y -= least;
            }
            colorKey.lines.push_back(c.lines.size());
            if (several)
                c.keys[f].lines.push_back(c.lines.size());
            c.lines.push_back(std::move(line));
        }
        if (!colorKey.lines.empty())
            c.keys.push_back(std::move(colorKey));
    }
}

} // namespace iscsiscope::gui

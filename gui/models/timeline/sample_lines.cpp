// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/timeline/lane_parts.h"
#include "gui/models/words.h"

#include <algorithm>
#include <cmath>

namespace iscsiscope::gui {
namespace {

// The first row at or after a time.
Row rowFrom(const SampleSeries &series, Time t) {
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
}

// Rows of a series that reach into the view, one more on each side.
std::pair<Row, Row> rowsIn(const SampleSeries &series, Interval v) {
    const Row from = rowFrom(series, v.from), to = rowFrom(series, v.to);
    return {from > 0 ? from - 1 : 0, std::min<Row>(to + 1, static_cast<Row>(series.size()))};
}

// Builds the line of a figure: each value holds until the next sample. Nothing is drawn across time in which
// nothing is known: after an unknown value, and from where no task was open until the next sample. Of the
// samples in one pixel column it takes the least, the greatest and the last.
class HeldLine {
public:
    HeldLine(LaneLine &line, const Snapshot &s, const SeriesKey &key, SampleFigure f, Interval v, int pixels,
             double scale)
        : line_(line), snapshot_(s), series_(s.tables.samples.at(key)), figure_(f), from_(v.from),
          columns_(std::max(pixels, 1) / inNs(v.length())), scale_(scale) {
        if (const auto u = s.lanes->without_task.find(key.stream); u != s.lanes->without_task.end())
            without_task_ = &u->second;
    }

    void samples(Row first, Row last) {
        for (Row r = first; r < last; ++r)
            sample(r);
        flush();
    }
    // Samples of a few columns each by itself, those within one column by their node.
    void nodes(const MinMaxPyramid &pyramid, std::size_t level, Interval v) {
        const auto [a, b] = pyramid.nodesIn(level, v.from, v.to);
        for (std::size_t i = a; i < b; ++i)
            node(pyramid, level, i);
        flush();
    }

private:
    struct Run { // the samples of one column
        std::int64_t column = 0;
        MinMaxNode merged;
        Row last = 0;
    };
    std::int64_t columnOf(Time t) const {
        return static_cast<std::int64_t>(std::floor(inNs(t - from_) * columns_));
    }
    void sample(Row r) {
        MinMaxNode n;
        n.start = series_.time(r);
        if (const auto value = series_.value(r, figure_))
            n.least = n.greatest = static_cast<float>(*value);
        take(n, r);
    }
    void node(const MinMaxPyramid &pyramid, std::size_t level, std::size_t i) {
        std::size_t rows = fanOut;
        for (std::size_t l = 0; l < level; ++l)
            rows *= fanOut;
        const std::size_t first = i * rows, behind = std::min(first + rows, series_.size());
        if (first >= behind)
            return;
        const MinMaxNode &n = pyramid.level(level)[i];
        const auto last = static_cast<Row>(behind - 1);
        if (columnOf(n.start) == columnOf(series_.time(last))) {
            take(n, last);
        } else if (level == 0) {
            for (std::size_t r = first; r < behind; ++r)
                sample(static_cast<Row>(r));
        } else {
            const std::size_t children = pyramid.level(level - 1).size();
            for (std::size_t c = i * fanOut; c < std::min((i + 1) * fanOut, children); ++c)
                node(pyramid, level - 1, c);
        }
    }
    void take(const MinMaxNode &n, Row last) {
        const std::int64_t column = columnOf(n.start);
        const bool known = !n.empty(), knownBefore = run_ && !run_->merged.empty();
        if (run_ && column == run_->column && known && knownBefore) {
            run_->merged.least = std::min(run_->merged.least, n.least);
            run_->merged.greatest = std::max(run_->merged.greatest, n.greatest);
            run_->last = last;
            return;
        }
        if (run_ && !known && !knownBefore)
            return;
        if (run_ && column == run_->column && !known) { // a column shows what is known in it
            run_->last = last;
            return;
        }
        flush();
        if (run_ && knownBefore)
            hold(run_->last, n.start);
        if (!known)
            breakAt(n.start);
        run_ = Run{column, n, last};
    }
    void flush() {
        if (!run_ || run_->merged.empty())
            return;
        point(run_->merged.start, static_cast<double>(run_->merged.least));
        if (run_->merged.greatest > run_->merged.least)
            point(run_->merged.start, static_cast<double>(run_->merged.greatest));
    }
    // The last sample's value until the next one.
    void hold(Row last, Time next) {
        const Time from = series_.time(last);
        Time until = next;
        if (without_task_ != nullptr) {
            const auto u = std::lower_bound(without_task_->begin(), without_task_->end(), from,
                                            [](const Interval &i, Time t) { return i.to <= t; });
            if (u != without_task_->end() && u->from < next)
                until = std::max(u->from, from);
        }
        const auto value = series_.value(last, figure_);
        if (!value) {
            breakAt(until);
            return;
        }
        const auto y = static_cast<double>(*value);
        if (columnOf(until) > run_->column + 1) {
            if (std::abs(line_.y.back() - y * scale_) > std::abs(y * scale_) * 1e-6)
                point(from, y);
            point(until, y);
        }
        if (until < next)
            breakAt(until);
    }
    void breakAt(Time time) {
        if (line_.x.isEmpty() || std::isnan(line_.y.back()))
            return;
        line_.x << laneSeconds(time, snapshot_);
        line_.y << std::nan("");
    }
    void point(Time time, double value) {
        line_.x << laneSeconds(time, snapshot_);
        line_.y << value * scale_;
    }

    LaneLine &line_;
    const Snapshot &snapshot_;
    const SampleSeries &series_;
    SampleFigure figure_;
    const std::vector<Interval> *without_task_ = nullptr;
    Time from_;
    double columns_, scale_; // columns: in a ns
    std::optional<Run> run_;
};

void fill(LaneLine &line, const Snapshot &s, const SeriesKey &key, const MinMaxPyramid &pyramid,
          SampleFigure f, Interval v, int pixels, double scale) {
    const auto [first, last] = rowsIn(s.tables.samples.at(key), v);
    const auto columns = static_cast<std::size_t>(std::max(pixels, 1));
    const std::size_t level =
        last - first <= columns ? pyramid.levels() : pyramid.levelFor(v.from, v.to, columns);
    HeldLine held(line, s, key, f, v, pixels, scale);
    if (level < pyramid.levels())
        held.nodes(pyramid, level, v);
    else // few, or too many to draw each and too few for the pyramid
        held.samples(first, last);
}

// The least of a series' RTT, ms: what is left without queues.
double minRtt(const std::array<MinMaxPyramid, sampleFigureCount> &pyramids) {
    const MinMaxPyramid &rtt = pyramids[static_cast<std::size_t>(SampleFigure::rtt)];
    float least = std::numeric_limits<float>::infinity();
    if (rtt.levels() > 0)
        for (const MinMaxNode &n : rtt.level(rtt.levels() - 1))
            least = std::min(least, n.least);
    return std::isfinite(least) ? static_cast<double>(least) * 1e-6 : 0;
}

} // namespace

void addSampleLines(LaneContent &c, const Snapshot &s, const std::vector<SampleLineKind> &figures, Interval v,
                    int pixels, double scale, bool aboveMin) {
    std::vector<SeriesKey> there;
    std::vector<double> weights;
    for (const auto &[key, series] : s.tables.samples) {
        const auto pyramids = s.pyramids->series.find(key);
        if (series.size() < 2 || pyramids == s.pyramids->series.end())
            continue;
        there.push_back(key);
        weights.push_back(static_cast<double>(series.size()));
    }
    const auto places = heaviest(weights, maxLines / figures.size());
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
        LaneKey colorKey{(out ? laneTr("conn %1 →T") : laneTr("conn %1 →I")).arg(key.stream.number),
                         what.arg(key.stream.number),
                         seriesColor(i),
                         several ? LineStyle::line : laneStyleOf(i),
                         {}};
        for (std::size_t f = 0; f < figures.size(); ++f) {
            LaneLine line{figures[f].name + ", " + what.arg(key.stream.number),
                          seriesColor(i),
                          several ? figures[f].style : laneStyleOf(i),
                          {},
                          {}};
            fill(line, s, key, pyramids[static_cast<std::size_t>(figures[f].figure)], figures[f].figure, v,
                 pixels, scale);
            if (line.x.isEmpty())
                continue;
            if (aboveMin) {
                const double least = minRtt(pyramids);
                for (double &y : line.y) // the least is rounded: a pyramid holds floats
                    y = y < least ? 0 : y - least;
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

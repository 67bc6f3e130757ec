// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/timeline/tracks/lane_painter.h"

#include "gui/models/words.h"

namespace iscsiscope::gui {
namespace {

constexpr std::array classFigures = {
    CycleFigure::command,  CycleFigure::first_data_wait, CycleFigure::data,       CycleFigure::unsolicited,
    CycleFigure::r2t_wait, CycleFigure::burst_response,  CycleFigure::burst_data, CycleFigure::status_wait};
static_assert(classFigures.size() == phaseCount);
constexpr QRgb withoutPhases = 0xff9a9a9a;

constexpr double dimShare = 0.22; // of a colour in a dimmed one

} // namespace

LanePainter::LanePainter(Canvas &canvas, const Snapshot &s, const MatchedLanes *matched, Interval view)
    : canvas_(canvas), snapshot_(s), matched_(matched),
      view_(view), scale_{view, 0, static_cast<double>(canvas.width())} {
    for (std::size_t c = 0; c < laneClasses; ++c)
        colors_[c] = c < phaseCount ? colorOf(classFigures[c]).rgb() : withoutPhases;
    setBackground(0);
}

void LanePainter::setBackground(QRgb b) {
    background_ = b;
    for (std::size_t c = 0; c < laneClasses; ++c)
        dimmed_[c] = mixed(colors_[c], background_, dimShare);
}

void LanePainter::cycles(StreamId stream, int top, int bottom) {
    const auto found = snapshot_.lanes->cycles.find(stream);
    if (found == snapshot_.lanes->cycles.end())
        return;
    const LaneIndex &lane = found->second;
    const auto [first, last] = lane.placesIn(snapshot_.tables.cycles, view_);
    if (last - first <= 2 * static_cast<std::size_t>(canvas_.width()) || lane.levels() == 0) {
        bars(lane, first, last, top, bottom);
        return;
    }
    sum({stream}, 1);
    paintSpent(1, top, bottom);
}

void LanePainter::gaps(StreamId stream, int top, int bottom) {
    const auto found = snapshot_.lanes->gaps.find(stream);
    if (found == snapshot_.lanes->gaps.end())
        return;
    const GapLane &lane = found->second;
    const auto from = std::lower_bound(lane.ends.begin(), lane.ends.end(), view_.from) - lane.ends.begin();
    const auto to = std::lower_bound(lane.starts.begin(), lane.starts.end(), view_.to) - lane.starts.begin();
    if (to - from <= 2 * canvas_.width()) {
        for (auto i = from; i < to; ++i) {
            const auto place = static_cast<std::size_t>(i);
            const int x0 = column(lane.starts[place]);
            gap(lane.kinds[place], x0, std::max(column(lane.ends[place]), x0 + 1), top, bottom);
        }
        return;
    }
    // Too many to draw each: what is in effect at the middle of each column, which is unbiased.
    std::size_t place = static_cast<std::size_t>(from);
    for (int x = 0; x < canvas_.width(); ++x) {
        const std::size_t next = lane.at(scale_.toTime(x + 0.5), place);
        if (next < lane.starts.size()) {
            gap(lane.kinds[next], x, x + 1, top, bottom);
            place = next;
        }
    }
}

void LanePainter::together(const std::vector<StreamId> &streams, int top, int bottom) {
    sum(streams, streams.size() > 1 ? 2 : 1);
    paintSpent(streams.size(), top, bottom);
}

void LanePainter::together(const std::vector<StreamId> &streams, int row) {
    sum(streams, 1);
    const double pixel = inNs(view_.length()) / canvas_.width() * static_cast<double>(streams.size());
    for (int x = 0; x < canvas_.width(); ++x) {
        const auto &s = (matched_ != nullptr ? matchedSpent_ : spent_)[static_cast<std::size_t>(x)];
        double total = 0, red = 0, green = 0, blue = 0;
        for (std::size_t c = 0; c < laneClasses; ++c) {
            const auto part = static_cast<double>(s[c]);
            const QRgb color = colors_[c];
            total += part;
            red += part * qRed(color);
            green += part * qGreen(color);
            blue += part * qBlue(color);
        }
        if (total <= 0)
            continue;
        const auto mean = [total](double sum) { return static_cast<int>(sum / total); };
        const double strength = 0.25 + 0.75 * std::min(1.0, total / pixel); // a single task is seen
        canvas_.fill(x, x + 1, row, row + 1,
                     mixed(qRgb(mean(red), mean(green), mean(blue)), background_, strength));
    }
}

int LanePainter::column(Time t) const {
    return static_cast<int>(std::clamp(scale_.toPixel(t), -2.0, static_cast<double>(canvas_.width()) + 2));
}

QRgb LanePainter::colorOfRow(Row row, std::size_t c) const {
    return matched_ == nullptr || matched_->rows[row] ? colors_[c] : dimmed_[c];
}

void LanePainter::gap(GapKind kind, int x0, int x1, int top, int bottom) {
    const QRgb color = colorOf(kind).rgb();
    if (x1 - x0 > 6)
        canvas_.hatch(x0, x1, top, bottom, hatchOf(kind), color, background_);
    else
        canvas_.fill(x0, x1, top, bottom, color);
}

void LanePainter::bars(const LaneIndex &lane, std::size_t first, std::size_t last, int top, int bottom) {
    unsigned rows = 1;
    for (std::size_t i = first; i < last; ++i)
        rows = std::max(rows, lane.bar(i) + 1);
    const double height = static_cast<double>(bottom - top) / rows;
    const int air = height >= 6 * canvas_.ratio() ? static_cast<int>(canvas_.ratio()) : 0;
    for (std::size_t i = first; i < last; ++i) {
        const int y0 = top + static_cast<int>(lane.bar(i) * height);
        const int y1 = std::max(top + static_cast<int>((lane.bar(i) + 1) * height) - air, y0 + 1);
        bar(lane.row(i), y0, y1);
    }
}

void LanePainter::bar(Row row, int y0, int y1) {
    const CycleStore &c = snapshot_.tables.cycles;
    const auto [start, end] = c.span(row);
    if (end < view_.from)
        return;
    const int x0 = column(start), x1 = std::max(column(end), x0 + 1);
    if (!c.hasPhases(row)) {
        canvas_.fill(x0, x1, y0, y1, colorOfRow(row, phaseCount));
        return;
    }
    const PhaseLengths &phases = c.phases(row);
    if (x1 - x0 <= 2) {
        const auto most =
            static_cast<std::size_t>(std::max_element(phases.begin(), phases.end()) - phases.begin());
        canvas_.fill(x0, x1, y0, y1, colorOfRow(row, most));
        return;
    }
    if (x1 - x0 > 16 && c.bursts(row) > 0 && c.type(row) == TaskType::write) {
        withBursts(row, y0, y1);
        return;
    }
    Time t = start;
    for (std::size_t p = 0; p < phaseCount; ++p) {
        const Time next = t + phases[p];
        if (next > t)
            canvas_.fill(column(t), column(next), y0, y1, colorOfRow(row, p));
        t = next;
    }
    edge(x0, x1, y0, y1);
}

// A Write as it went: what lies between bursts is waiting for an R2T, after the last for the status.
void LanePainter::withBursts(Row row, int y0, int y1) {
    const Tables &t = snapshot_.tables;
    const Time start = t.cycles.start(row), end = t.cycles.end(row);
    const int x0 = column(start), x1 = column(end);
    canvas_.fill(x0, x1, y0, y1, colorOfRow(row, 4));
    const Time command = start + t.cycles.phases(row)[0];
    canvas_.fill(x0, column(command), y0, y1, colorOfRow(row, 0));
    Time last = command;
    for (Row b = 0; b < t.cycles.bursts(row); ++b) {
        const BurstRecord &burst = t.bursts.record(t.cycles.firstBurst(row) + b);
        const Time from = burst.start, to = burst.end;
        if (burst.burst == 0) {
            canvas_.fill(column(from), column(to), y0, y1, colorOfRow(row, 3));
        } else {
            const Time data = from + burst.burst_response.value_or(Duration{});
            canvas_.fill(column(from), column(data), y0, y1, colorOfRow(row, 5));
            canvas_.fill(column(data), std::max(column(to), column(data) + 1), y0, y1, colorOfRow(row, 6));
            // The R2T itself, as a notch.
            canvas_.fill(column(from), column(from) + 1, y0, y0 + (y1 - y0) / 3 + 1, background_);
        }
        last = std::max(last, to);
    }
    canvas_.fill(column(last), x1, y0, y1, colorOfRow(row, 7));
    edge(x0, x1, y0, y1);
}

// So that cycles without a pause between them are seen apart.
void LanePainter::edge(int x0, int x1, int y0, int y1) {
    if (x1 - x0 > 5)
        canvas_.fill(x1 - 1, x1, y0, y1, background_);
}

void LanePainter::sum(const std::vector<StreamId> &streams, int pixels) {
    columnPixels_ = pixels;
    const auto columns = static_cast<std::size_t>((canvas_.width() + pixels - 1) / pixels);
    spent_.assign(columns, {});
    if (matched_ != nullptr)
        matchedSpent_.assign(columns, {});
    for (const StreamId stream : streams) {
        if (const auto lane = snapshot_.lanes->cycles.find(stream); lane != snapshot_.lanes->cycles.end())
            add(lane->second, spent_);
        if (matched_ == nullptr)
            continue;
        if (const auto lane = matched_->cycles.find(stream); lane != matched_->cycles.end())
            add(lane->second, matchedSpent_);
    }
}

void LanePainter::add(const LaneIndex &lane, Spent &spent) const {
    const auto [first, last] = lane.placesIn(snapshot_.tables.cycles, view_);
    if (last - first <= 2 * spent.size() || lane.levels() == 0) {
        // Neighbours in a lane are far apart in the store.
        constexpr std::size_t ahead = 8;
        for (std::size_t i = first; i < last; ++i) {
            if (i + ahead < last)
                snapshot_.tables.cycles.prefetch(lane.row(i + ahead));
            add(nodeOf(snapshot_.tables.cycles, lane.row(i)), spent);
        }
        return;
    }
    // The coarsest level with a node for each column or more.
    std::size_t level = lane.levels() - 1;
    while (level > 0 && (last - first) >> (3 * (level + 1)) < spent.size())
        --level;
    const auto [a, b] = lane.nodesIn(level, view_);
    for (std::size_t i = a; i < b; ++i)
        add(lane.level(level)[i], spent);
}

void LanePainter::add(const LaneNode &n, Spent &spent) const {
    const double width = static_cast<double>(canvas_.width()) / columnPixels_;
    const double a = scale_.toPixel(n.start) / columnPixels_,
                 b = std::max(scale_.toPixel(n.end) / columnPixels_, a + 0.01);
    if (b <= 0 || a >= width)
        return;
    const int x0 = static_cast<int>(std::max(a, 0.0)),
              x1 = static_cast<int>(std::min(b, static_cast<double>(spent.size() - 1)));
    if (x0 == x1 && a >= 0 && b <= width) { // whole in one column
        for (std::size_t c = 0; c < laneClasses; ++c)
            spent[static_cast<std::size_t>(x0)][c] += n.spent[c];
        return;
    }
    const double whole = 1 / (b - a);
    for (int x = x0; x <= x1; ++x) {
        const double part = std::min(b, x + 1.0) - std::max(a, static_cast<double>(x));
        const auto share = static_cast<float>(std::max(part, 0.0) * whole);
        auto &column = spent[static_cast<std::size_t>(x)];
        for (std::size_t c = 0; c < laneClasses; ++c)
            column[c] += n.spent[c] * share;
    }
}

// Height: the share of the time in which a task was open, at most all; of it, below, what matches.
void LanePainter::paintSpent(std::size_t connections, int top, int bottom) {
    const double column =
        inNs(view_.length()) / canvas_.width() * columnPixels_ * static_cast<double>(connections);
    const auto totalOf = [](const std::array<float, laneClasses> &s) {
        double total = 0;
        for (const float v : s)
            total += static_cast<double>(v);
        return total;
    };
    for (std::size_t i = 0; i < spent_.size(); ++i) {
        const int x = static_cast<int>(i) * columnPixels_;
        const auto &s = spent_[i];
        const double total = totalOf(s);
        if (total <= 0)
            continue;
        const double full = std::max((bottom - top) * std::min(1.0, total / column), 1.0) / total;
        const auto stack = [&](const std::array<float, laneClasses> &parts, const Colors &colors) {
            double below = 0;
            int y = bottom;
            for (std::size_t c = 0; c < laneClasses; ++c) {
                below += static_cast<double>(parts[c]);
                const int next = bottom - static_cast<int>(below * full + 0.5);
                if (next < y)
                    canvas_.fill(x, x + columnPixels_, next, y, colors[c]);
                y = next;
            }
        };
        stack(s, matched_ != nullptr ? dimmed_ : colors_);
        if (matched_ != nullptr)
            stack(matchedSpent_[i], colors_);
    }
}

} // namespace iscsiscope::gui

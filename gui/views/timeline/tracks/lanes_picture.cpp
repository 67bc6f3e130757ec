// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/timeline/lanes_picture.h"

#include "gui/models/hatch.h"
#include "gui/models/words.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <set>

namespace iscsiscope::gui {
namespace {

constexpr std::array classFigures = {
    CycleFigure::command,  CycleFigure::first_data_wait, CycleFigure::data,       CycleFigure::unsolicited,
    CycleFigure::r2t_wait, CycleFigure::burst_response,  CycleFigure::burst_data, CycleFigure::status_wait};
static_assert(classFigures.size() == phaseCount);
constexpr QRgb withoutPhases = 0xff9a9a9a;

QRgb colorOfClass(std::size_t c) {
    return c < phaseCount ? colorOf(classFigures[c]).rgb() : withoutPhases;
}

// An image in device pixels that is written to directly: a picture has up to a hundred thousand bars.
class Canvas {
public:
    Canvas(QImage &image, double ratio) : image_(image), ratio_(ratio) {
        for (int y = 0; y < image.height(); ++y)
            lines_.push_back(reinterpret_cast<QRgb *>(image.scanLine(y)));
    }
    double ratio() const { return ratio_; }
    int width() const { return image_.width(); }
    int row(double y) const { return static_cast<int>(std::lround(y * ratio_)); }

    // x in device pixels, rows likewise; clipped.
    void fill(int x0, int x1, int y0, int y1, QRgb color) {
        x0 = std::max(x0, 0);
        x1 = std::min(x1, image_.width());
        for (int y = std::max(y0, 0); y < std::min(y1, image_.height()); ++y) {
            QRgb *line = lines_[static_cast<std::size_t>(y)];
            for (int x = x0; x < x1; ++x)
                line[x] = color;
        }
    }
    // Stripes: idle time.
    void hatch(int x0, int x1, int y0, int y1, Hatch hatch, QRgb color, QRgb between) {
        x0 = std::max(x0, 0);
        x1 = std::min(x1, image_.width());
        const int period = std::max(4, static_cast<int>(4 * ratio_));
        for (int y = std::max(y0, 0); y < std::min(y1, image_.height()); ++y) {
            QRgb *line = lines_[static_cast<std::size_t>(y)];
            for (int x = x0; x < x1; ++x)
                line[x] = onHatch(hatch, x, y, period) ? between : color;
        }
    }

private:
    QImage &image_;
    double ratio_;
    std::vector<QRgb *> lines_;
};

class LanePainter {
public:
    LanePainter(Canvas &canvas, const Snapshot &s, Interval view, QRgb background)
        : canvas_(canvas), snapshot_(s), view_(view), scale_{view, 0, static_cast<double>(canvas.width())},
          background_(background), spent_(static_cast<std::size_t>(canvas.width())) {}

    void cycles(const LaneIndex &lane, int top, int bottom) {
        const auto [first, last] = lane.placesIn(snapshot_.tables.cycles, view_);
        const auto columns = static_cast<std::size_t>(canvas_.width());
        if (last - first <= 2 * columns || lane.levels() == 0) {
            bars(lane, first, last, top, bottom);
            return;
        }
        // The coarsest level with a node for each column or more.
        std::size_t level = lane.levels() - 1;
        while (level > 0 && (last - first) >> (3 * (level + 1)) < columns)
            --level;
        sums(lane, level, top, bottom);
    }

    void gaps(const GapLane &lane, int top, int bottom) {
        const auto from =
            std::lower_bound(lane.ends.begin(), lane.ends.end(), view_.from) - lane.ends.begin();
        const auto to =
            std::lower_bound(lane.starts.begin(), lane.starts.end(), view_.to) - lane.starts.begin();
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
            const std::size_t found = lane.at(scale_.toTime(x + 0.5), place);
            if (found < lane.starts.size()) {
                gap(lane.kinds[found], x, x + 1, top, bottom);
                place = found;
            }
        }
    }

private:
    int column(std::int64_t t) const {
        return static_cast<int>(
            std::clamp(scale_.toPixel(t), -2.0, static_cast<double>(canvas_.width()) + 2));
    }

    void gap(GapKind kind, int x0, int x1, int top, int bottom) {
        const QRgb color = colorOf(kind).rgb();
        if (x1 - x0 > 6)
            canvas_.hatch(x0, x1, top, bottom, hatchOf(kind), color, background_);
        else
            canvas_.fill(x0, x1, top, bottom, color);
    }

    void bars(const LaneIndex &lane, std::size_t first, std::size_t last, int top, int bottom) {
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

    void bar(Row row, int y0, int y1) {
        const CycleStore &c = snapshot_.tables.cycles;
        const std::int64_t start = c.start(row), end = c.end(row);
        if (end < view_.from)
            return;
        const int x0 = column(start), x1 = std::max(column(end), x0 + 1);
        if (!c.hasPhases(row)) {
            canvas_.fill(x0, x1, y0, y1, withoutPhases);
            return;
        }
        if (x1 - x0 <= 2) {
            std::size_t most = 0;
            for (std::size_t p = 1; p < phaseCount; ++p)
                most = c.phase(row, p) > c.phase(row, most) ? p : most;
            canvas_.fill(x0, x1, y0, y1, colorOfClass(most));
            return;
        }
        if (x1 - x0 > 16 && c.bursts(row) > 0 && c.type(row) == TaskType::write) {
            withBursts(row, y0, y1);
            return;
        }
        std::int64_t t = start;
        for (std::size_t p = 0; p < phaseCount; ++p) {
            const std::int64_t next = t + c.phase(row, p);
            if (next > t)
                canvas_.fill(column(t), column(next), y0, y1, colorOfClass(p));
            t = next;
        }
        edge(x0, x1, y0, y1);
    }

    // A Write as it went: what lies between bursts is waiting for an R2T, behind the last for the status.
    void withBursts(Row row, int y0, int y1) {
        const Tables &t = snapshot_.tables;
        const std::int64_t start = t.cycles.start(row), end = t.cycles.end(row);
        const int x0 = column(start), x1 = column(end);
        canvas_.fill(x0, x1, y0, y1, colorOfClass(4));
        const std::int64_t command = start + t.cycles.phase(row, 0);
        canvas_.fill(x0, column(command), y0, y1, colorOfClass(0));
        std::int64_t last = command;
        for (Row b = 0; b < t.cycles.bursts(row); ++b) {
            const BurstRecord &burst = t.bursts.record(t.cycles.firstBurst(row) + b);
            const std::int64_t from = to_ns(burst.start), to = to_ns(burst.end);
            if (burst.burst == 0) {
                canvas_.fill(column(from), column(to), y0, y1, colorOfClass(3));
            } else {
                const std::int64_t data = from + (burst.burst_response ? to_ns(*burst.burst_response) : 0);
                canvas_.fill(column(from), column(data), y0, y1, colorOfClass(5));
                canvas_.fill(column(data), std::max(column(to), column(data) + 1), y0, y1, colorOfClass(6));
                // The R2T itself, as a notch.
                canvas_.fill(column(from), column(from) + 1, y0, y0 + (y1 - y0) / 3 + 1, background_);
            }
            last = std::max(last, to);
        }
        canvas_.fill(column(last), x1, y0, y1, colorOfClass(7));
        edge(x0, x1, y0, y1);
    }

    // So that cycles without a pause between them are seen apart.
    void edge(int x0, int x1, int y0, int y1) {
        if (x1 - x0 > 5)
            canvas_.fill(x1 - 1, x1, y0, y1, background_);
    }

    void sums(const LaneIndex &lane, std::size_t level, int top, int bottom) {
        for (auto &s : spent_)
            s.fill(0);
        const auto [first, last] = lane.nodesIn(level, view_);
        const double width = static_cast<double>(canvas_.width());
        for (std::size_t i = first; i < last; ++i) {
            const LaneNode &n = lane.level(level)[i];
            const double a = scale_.toPixel(n.start), b = std::max(scale_.toPixel(n.end), a + 0.01);
            const int x0 = static_cast<int>(std::max(a, 0.0)), x1 = static_cast<int>(std::min(b, width - 1));
            for (int x = x0; x <= x1; ++x) {
                const double part = std::min(b, x + 1.0) - std::max(a, static_cast<double>(x));
                const auto share = static_cast<float>(part / (b - a));
                for (std::size_t c = 0; c < laneClasses && share > 0; ++c)
                    spent_[static_cast<std::size_t>(x)][c] += n.spent[c] * share;
            }
        }
        const double pixel = static_cast<double>(view_.length()) / width;
        for (int x = 0; x < canvas_.width(); ++x) {
            const auto &s = spent_[static_cast<std::size_t>(x)];
            double total = 0;
            for (const float v : s)
                total += static_cast<double>(v);
            if (total <= 0)
                continue;
            // Height: the share of the time in which a task was open, at most all.
            const double full = (bottom - top) * std::min(1.0, total / pixel);
            double y = bottom;
            for (std::size_t c = 0; c < laneClasses; ++c) {
                const double h = full * static_cast<double>(s[c]) / total;
                canvas_.fill(x, x + 1, static_cast<int>(std::lround(y - h)), static_cast<int>(std::lround(y)),
                             colorOfClass(c));
                y -= h;
            }
        }
    }

    Canvas &canvas_;
    const Snapshot &snapshot_;
    Interval view_;
    TimeScale scale_;
    QRgb background_;
    std::vector<std::array<float, laneClasses>> spent_; // by column
};

} // namespace

std::vector<LaneRow> laneRows(const Snapshot &s) {
    std::vector<LaneRow> rows;
    std::set<std::uint64_t> sessions;
    for (const auto &[stream, c] : s.tables.streams) {
        sessions.insert(c.session);
        LaneRow row{stream, c.session, {}, connectionWords(stream, c.initiator, c.target)};
        rows.push_back(std::move(row));
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const LaneRow &a, const LaneRow &b) { return a.session < b.session; });
    for (LaneRow &row : rows) {
        row.label =
            sessions.size() > 1
                ? QCoreApplication::translate("Lanes", "session %1, conn %2").arg(row.session).arg(row.stream)
                : QCoreApplication::translate("Lanes", "connection %1").arg(row.stream);
        row.toolTip = QCoreApplication::translate("Lanes", "Session %1, connection %2")
                          .arg(row.session)
                          .arg(row.toolTip);
    }
    return rows;
}

QImage paintLanes(const Snapshot &s, const std::vector<LaneRow> &rows, Interval view,
                  const LanesLayout &layout, QSize size, double ratio, const Theme &theme) {
    const QSize device(std::max(1, static_cast<int>(size.width() * ratio)),
                       std::max(1, static_cast<int>(size.height() * ratio)));
    QImage image(device, QImage::Format_RGB32);
    image.setDevicePixelRatio(ratio);
    image.fill(theme.lane);
    if (view.empty())
        return image;
    Canvas canvas(image, ratio);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double top = layout.top(i);
        if (top + layout.height < 0 || top > size.height())
            continue;
        const QRgb background = (rows[i].session % 2 == 0 ? theme.lane : theme.otherLane).rgb();
        canvas.fill(0, device.width(), canvas.row(top), canvas.row(top + layout.height), background);
        LanePainter painter(canvas, s, view, background);
        const double air = layout.height * 0.04;
        if (const auto lane = s.lanes->cycles.find(rows[i].stream); lane != s.lanes->cycles.end())
            painter.cycles(lane->second, canvas.row(top + air), canvas.row(top + layout.barsHeight()));
        if (const auto lane = s.lanes->gaps.find(rows[i].stream); lane != s.lanes->gaps.end()) {
            painter.gaps(lane->second, canvas.row(top + layout.gapsTop()),
                         std::max(canvas.row(top + layout.gapsTop() + layout.gapsHeight()),
                                  canvas.row(top + layout.gapsTop()) + 1));
        }
        canvas.fill(0, device.width(), canvas.row(top + layout.height) - 1, canvas.row(top + layout.height),
                    theme.grid.rgb());
    }
    return image;
}

std::optional<LaneHit> hitLanes(const Snapshot &s, const std::vector<LaneRow> &rows, Interval view,
                                const LanesLayout &layout, QSize size, QPointF at) {
    const double y = at.y() + layout.scrolled;
    if (y < 0 || at.x() < 0 || at.x() > size.width() || layout.height <= 0)
        return std::nullopt;
    LaneHit hit;
    hit.lane = static_cast<std::size_t>(y / layout.height);
    if (hit.lane >= rows.size())
        return std::nullopt;
    const TimeScale scale{view, 0, static_cast<double>(size.width())};
    const std::int64_t t = scale.toTime(at.x());
    const std::uint64_t stream = rows[hit.lane].stream;
    const double inLane = y - static_cast<double>(hit.lane) * layout.height;
    if (const auto gaps = s.lanes->gaps.find(stream); gaps != s.lanes->gaps.end()) {
        const std::size_t place = gaps->second.at(t);
        if (place < gaps->second.rows.size())
            hit.gap = gaps->second.rows[place];
    }
    const auto lane = s.lanes->cycles.find(stream);
    if (lane == s.lanes->cycles.end() || inLane > layout.gapsTop())
        return hit;
    const LaneIndex &index = lane->second;
    const CycleStore &cycles = s.tables.cycles;
    const std::int64_t near = std::max<std::int64_t>(
        static_cast<std::int64_t>(2.0 * static_cast<double>(view.length()) / std::max(size.width(), 1)), 1);
    // Tasks at the same time share the height: the bar under the pointer, else the nearest in time.
    constexpr std::size_t farthest = 256;
    std::size_t place = index.placeBefore(cycles, t + near);
    std::vector<std::size_t> open;
    unsigned bars = 1;
    for (std::size_t n = 0; place < index.size() && n < farthest; ++n) {
        const Row row = index.row(place);
        if (cycles.end(row) >= t - near) {
            open.push_back(place);
            bars = std::max(bars, index.bar(place) + 1);
        }
        if (place-- == 0)
            break;
    }
    const auto wanted = static_cast<unsigned>(std::clamp(inLane / layout.barsHeight(), 0.0, 0.999) * bars);
    for (const std::size_t p : open) {
        if (!hit.cycle || (index.bar(p) == wanted && cycles.start(index.row(p)) <= t)) {
            hit.cycle = index.row(p);
            if (index.bar(p) == wanted && cycles.start(index.row(p)) <= t && cycles.end(index.row(p)) >= t)
                break;
        }
    }
    return hit;
}

} // namespace iscsiscope::gui

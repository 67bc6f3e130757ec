// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/timeline/tracks/lanes_picture.h"

#include "gui/views/timeline/tracks/lane_painter.h"

#include <algorithm>
#include <cmath>

namespace iscsiscope::gui {
namespace {

QImage imageFor(QSize size, double ratio, const Theme &theme) {
    const QSize device(std::max(1, static_cast<int>(size.width() * ratio)),
                       std::max(1, static_cast<int>(size.height() * ratio)));
    QImage image(device, QImage::Format_RGB32);
    image.setDevicePixelRatio(ratio);
    image.fill(theme.lane);
    return image;
}

void paintRow(Canvas &canvas, LanePainter &painter, const TrackRow &row, const TrackLayout &layout,
              std::size_t i, const Theme &theme) {
    const double top = layout.top(i), height = layout.places[i].height;
    const QRgb background =
        (row.isHeader() || row.session.number % 2 == 1 ? theme.otherLane : theme.lane).rgb();
    canvas.fill(0, canvas.width(), canvas.row(top), canvas.row(top + height), background);
    painter.setBackground(background);
    const double air = std::max(height * 0.04, 1.0);
    if (row.isHeader()) {
        painter.together(row.streams, canvas.row(top + 3), canvas.row(top + height - 2));
    } else {
        painter.cycles(row.streams.front(), canvas.row(top + air), canvas.row(top + layout.barsHeight(i)));
        painter.gaps(row.streams.front(), canvas.row(top + layout.gapsTop(i)),
                     std::max(canvas.row(top + layout.gapsTop(i) + layout.gapsHeight(i)),
                              canvas.row(top + layout.gapsTop(i)) + 1));
    }
    canvas.fill(0, canvas.width(), canvas.row(top + height) - 1, canvas.row(top + height), theme.grid.rgb());
}

} // namespace

QImage paintLanes(const LanesData &data, const std::vector<TrackRow> &rows, Interval view,
                  const TrackLayout &layout, QSize size, double ratio, const Theme &theme) {
    QImage image = imageFor(size, ratio, theme);
    if (view.empty())
        return image;
    Canvas canvas(image, ratio);
    LanePainter painter(canvas, data.snapshot, data.matched, view);
    for (const bool pinned : {false, true}) { // the pinned ones cover what scrolls below them
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const double top = layout.top(i), bottom = top + layout.places[i].height;
            if ((i < layout.pinnedRows) == pinned && bottom > (pinned ? 0 : layout.pinned) &&
                top < size.height())
                paintRow(canvas, painter, rows[i], layout, i, theme);
        }
    }
    if (layout.pinnedRows > 0)
        canvas.fill(0, canvas.width(), canvas.row(layout.pinned) - 1, canvas.row(layout.pinned) + 1,
                    theme.dim.rgb());
    return image;
}

QImage paintStrip(const LanesData &data, const std::vector<StreamId> &streams, Interval view, QSize size,
                  double ratio, const Theme &theme) {
    QImage image = imageFor(size, ratio, theme);
    if (view.empty() || streams.empty())
        return image;
    Canvas canvas(image, ratio);
    const double height = canvas.height(), each = height / static_cast<double>(streams.size());
    if (each >= 4) {
        LanePainter painter(canvas, data.snapshot, data.matched, view);
        painter.setBackground(theme.lane.rgb());
        for (std::size_t i = 0; i < streams.size(); ++i) {
            const auto top = static_cast<int>(static_cast<double>(i) * each),
                       bottom = static_cast<int>(static_cast<double>(i + 1) * each);
            painter.cycles(streams[i], top, bottom - 1);
        }
        return image;
    }
    // A row of pixels for each connection, or for several of them, drawn as high as the room allows. Two
    // columns of the picture are one: it shows where to look, and all of it is drawn anew when the order
    // changes.
    const auto rows = std::min<std::size_t>(streams.size(), static_cast<std::size_t>(height));
    QImage small(std::max(canvas.width() / 2, 1), static_cast<int>(rows), QImage::Format_RGB32);
    small.fill(theme.lane);
    Canvas smallCanvas(small, 1);
    LanePainter sums(smallCanvas, data.snapshot, data.matched, view);
    sums.setBackground(theme.lane.rgb());
    for (std::size_t r = 0; r < rows; ++r) {
        const auto first = static_cast<std::ptrdiff_t>(r * streams.size() / rows),
                   last = static_cast<std::ptrdiff_t>((r + 1) * streams.size() / rows);
        sums.together({streams.begin() + first, streams.begin() + last}, static_cast<int>(r));
    }
    QImage scaled = small.scaled(image.size(), Qt::IgnoreAspectRatio, Qt::FastTransformation);
    scaled.setDevicePixelRatio(ratio);
    return scaled;
}

std::optional<LaneHit> hitLanes(const Snapshot &s, const std::vector<TrackRow> &rows, Interval view,
                                const TrackLayout &layout, QSize size, QPointF at) {
    if (at.x() < 0 || at.x() > size.width())
        return std::nullopt;
    const auto track = layout.at(at.y());
    if (!track)
        return std::nullopt;
    LaneHit hit;
    hit.lane = *track;
    if (rows[*track].isHeader())
        return hit;
    const TimeScale scale{view, 0, static_cast<double>(size.width())};
    const Time t = scale.toTime(at.x());
    const StreamId stream = rows[hit.lane].streams.front();
    const double inLane = at.y() - layout.top(hit.lane);
    if (const auto gaps = s.lanes->gaps.find(stream); gaps != s.lanes->gaps.end()) {
        const std::size_t place = gaps->second.at(t);
        if (place < gaps->second.rows.size())
            hit.gap = gaps->second.rows[place];
    }
    const auto lane = s.lanes->cycles.find(stream);
    if (lane == s.lanes->cycles.end() || inLane > layout.gapsTop(hit.lane))
        return hit;
    const LaneIndex &index = lane->second;
    const CycleStore &cycles = s.tables.cycles;
    const Duration near =
        std::max(cutToNs(2.0 * inNs(view.length()) / std::max(size.width(), 1)), Duration{1});
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
    const auto wanted =
        static_cast<unsigned>(std::clamp(inLane / layout.barsHeight(hit.lane), 0.0, 0.999) * bars);
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

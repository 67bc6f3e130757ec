// SPDX-License-Identifier: GPL-2.0-or-later
// The timeline's lines under the pointer.
#include "gui/models/words.h"
#include "gui/views/timeline/lane_legend.h"
#include "gui/views/timeline/timeline_layers.h"
#include "gui/views/timeline/timeline_plot.h"

#include <cmath>

namespace iscsiscope::gui {
namespace {

constexpr double nearLine = 8; // pixels

double distanceToSegment(QPointF p, QPointF a, QPointF b) {
    const QPointF ab = b - a;
    const double length = QPointF::dotProduct(ab, ab);
    const double t = length > 0 ? std::clamp(QPointF::dotProduct(p - a, ab) / length, 0.0, 1.0) : 0.0;
    const QPointF d = p - (a + t * ab);
    return std::hypot(d.x(), d.y());
}

} // namespace

QRect TimelinePlot::lineRect(std::size_t lane) const {
    return lane < series_.size() ? series_[lane].rect->rect() : QRect();
}

std::optional<TimelinePlot::LineHit> TimelinePlot::lineAt(const QPoint &at) const {
    for (std::size_t lane = 0; lane < series_.size() && lane < contents_.size(); ++lane) {
        const SeriesRect &series = series_[lane];
        if (series.legend->outerRect().contains(at)) {
            const auto key = series.legend->at(at);
            if (!key)
                return std::nullopt;
            return LineHit{lane, key->lines, key->words, key->key};
        }
        if (!series.rect->rect().contains(at))
            continue;
        const QCPAxis *bottom = series.rect->axis(QCPAxis::atBottom),
                      *left = series.rect->axis(QCPAxis::atLeft);
        const double x = bottom->pixelToCoord(at.x()), reach = bottom->pixelToCoord(at.x() + nearLine) - x;
        double best = nearLine;
        std::optional<std::pair<std::size_t, qsizetype>> found; // line and its point
        const auto &lines = contents_[lane].lines;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const LaneLine &line = lines[i];
            if (lineHidden(series.kind, contents_[lane], i))
                continue;
            const auto pixel = [&](qsizetype k) {
                return QPointF(bottom->coordToPixel(line.x[k]), left->coordToPixel(line.y[k]));
            };
            auto from = std::lower_bound(line.x.begin(), line.x.end(), x - reach) - line.x.begin();
            from = std::max<qsizetype>(from - 1, 0); // a line that begins before and goes on
            for (qsizetype k = from; k < line.x.size() && line.x[k] <= x + reach; ++k) {
                if (std::isnan(line.y[k]))
                    continue;
                const bool joined =
                    line.style != LineStyle::points && k + 1 < line.x.size() && !std::isnan(line.y[k + 1]);
                const double d = distanceToSegment(at, pixel(k), joined ? pixel(k + 1) : pixel(k));
                if (d < best) {
                    best = d;
                    const bool next = joined && std::abs(line.x[k + 1] - x) < std::abs(line.x[k] - x);
                    found = {i, next ? k + 1 : k};
                }
            }
        }
        if (!found)
            return std::nullopt;
        const LaneLine &line = lines[found->first];
        return LineHit{lane,
                       {found->first},
                       tr("%1: %2 at %3 s")
                           .arg(line.name, laneValueWords(series.kind, line.y[found->second]))
                           .arg(line.x[found->second], 0, 'f', 6),
                       {}};
    }
    return std::nullopt;
}

QString TimelinePlot::lineWordsAt(const QPoint &at) const {
    const auto hit = lineAt(at);
    return hit ? hit->words : QString();
}

QString TimelinePlot::partWordsAt(const QPoint &at) const {
    const QRect lanes = lanesRect_->rect();
    if (borderAt(at))
        return tr("Drag the border to change the height of the track; double click: automatic height.");
    if (const auto row = trackAt(at))
        return rows()[*row].toolTip;
    if (const QString text = incidents_->wordsAt(at); !text.isEmpty())
        return text;
    if (lanes.contains(at)) {
        const auto row = layoutNow().at(at.y() - lanes.top());
        return row ? rows()[*row].toolTip : QString();
    }
    if (at.y() >= strip_->top() && at.y() <= strip_->bottom()) {
        return tr("The whole capture with all its %1 connections, in the order of the tracks. Where they are "
                  "more than "
                  "rows of pixels, several share one, and the colour is stronger the longer a task was "
                  "open.\nDrag the frame to move the view.")
            .arg(tracks_.connections());
    }
    for (std::size_t i = 0; i < series_.size() && i < contents_.size(); ++i) {
        const QRect r = series_[i].rect->rect();
        if (r.contains(at)) {
            const double x = series_[i].rect->axis(QCPAxis::atBottom)->pixelToCoord(at.x());
            const double reach = series_[i].rect->axis(QCPAxis::atBottom)->pixelToCoord(at.x() + 3) - x;
            for (const LanePart &p : contents_[i].parts)
                if (x >= p.from - reach && x <= p.to + reach)
                    return p.words;
            return {};
        }
        if (at.x() < r.left() && at.y() >= r.top() && at.y() <= r.bottom()) {
            return laneName(series_[i].kind) + '\n' + laneMeaning(series_[i].kind) + '\n' +
                   tr("Turn the wheel here, or with Ctrl over the lines, to zoom the values; double click: "
                      "all of them.");
        }
    }
    if (!series_.empty() && at.y() > series_.back().rect->bottom())
        return tr("Seconds since the first frame of the capture");
    return {};
}

void TimelinePlot::hover(const QPoint &at) {
    setCursor(borderAt(at) ? Qt::SplitVCursor : Qt::ArrowCursor);
    const auto hit = lineAt(at);
    const auto now = hit ? std::pair(hit->lane, hit->lines) : decltype(hovered_){};
    if (now == hovered_)
        return;
    hovered_ = now;
    for (std::size_t lane = 0; lane < series_.size(); ++lane) {
        std::vector<const LaneLine *> lines;
        if (lane == now.first && lane < contents_.size())
            for (const std::size_t i : now.second)
                if (!lineHidden(series_[lane].kind, contents_[lane], i))
                    lines.push_back(&contents_[lane].lines[i]);
        series_[lane].highlight->setLines(std::move(lines));
    }
    layer("chosen")->replot();
}

void TimelinePlot::leaveEvent(QEvent *e) {
    TimePlot::leaveEvent(e);
    hover({-1, -1});
}

} // namespace iscsiscope::gui

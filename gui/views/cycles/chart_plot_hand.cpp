// SPDX-License-Identifier: GPL-2.0-or-later
// What the pointer does in a chart of cycles: tips, selection, the box.
#include "gui/models/aggregates/response_classes.h"
#include "gui/models/words.h"
#include "gui/views/cycles/chart_plot.h"

#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace iscsiscope::gui {
namespace {

constexpr int nearPixels = 8, clickPixels = 4;

QString typeCount(TaskType type, std::uint64_t n) {
    return ChartPlot::tr("%1: %2 cycles").arg(words(name(type)), countWords(n));
}

} // namespace

double ChartPlot::yValue(double pixel) const {
    const double v = yAxis->pixelToCoord(pixel);
    if (kind_ == ChartKind::lba)
        return v;
    return (data_.grid.most > 0 ? std::pow(10.0, v) : v) * 1e6;
}

int ChartPlot::stepAt(int x) const {
    const int at = responseClassOf(Duration{std::llround(std::max(xAxis->pixelToCoord(x), 0.0) * 1e6)});
    return at / data_.classStep * data_.classStep;
}

CycleBox ChartPlot::boxOf(const QPoint &a, const QPoint &b) const {
    const QRect inside = axisRect()->rect();
    const auto clampX = [&](int x) { return std::clamp(x, inside.left(), inside.right()); };
    const auto clampY = [&](int y) { return std::clamp(y, inside.top(), inside.bottom()); };
    const int x0 = std::min(clampX(a.x()), clampX(b.x())), x1 = std::max(clampX(a.x()), clampX(b.x()));
    const int y0 = std::min(clampY(a.y()), clampY(b.y())), y1 = std::max(clampY(a.y()), clampY(b.y()));
    CycleBox box;
    if (isDistribution()) {
        box.response = ResponseRange{lowerEdgeOf(stepAt(x0)), lowerEdgeOf(stepAt(x1) + data_.classStep)};
        return box;
    }
    box.time = Interval{scale().toTime(x0), scale().toTime(x1 + 1)};
    const double low = std::max(yValue(y1 + 1), 0.0), high = std::max(yValue(y0), 0.0);
    if (kind_ == ChartKind::lba) {
        box.lba = {static_cast<std::uint64_t>(std::ceil(low)), static_cast<std::uint64_t>(std::floor(high))};
    } else {
        const Duration from = roundedDown(Duration{std::llround(low)});
        box.response =
            ResponseRange{from, std::max(roundedUp(Duration{std::llround(high)}), from + Duration{1})};
    }
    return box;
}

bool ChartPlot::takesDrag(const QPoint &at) {
    const bool control = (held_ & Qt::ControlModifier) != 0, shift = (held_ & Qt::ShiftModifier) != 0;
    drawing_ = isDistribution() || (axisRect()->rect().contains(at) && (control || (boxes_ && !shift)));
    from_ = at;
    return drawing_;
}

void ChartPlot::dragged(const QPoint &, const QPoint &to) {
    if ((to - from_).manhattanLength() >= clickPixels)
        brush_.setBox(boxOf(from_, to));
}

void ChartPlot::mousePressEvent(QMouseEvent *e) {
    held_ = e->modifiers();
    drawing_ = false;
    if (isDistribution() && e->button() != Qt::LeftButton)
        return; // there is no time to pan
    TimePlot::mousePressEvent(e);
}

void ChartPlot::mouseReleaseEvent(QMouseEvent *e) {
    TimePlot::mouseReleaseEvent(e);
    if (drawing_ && (e->pos() - from_).manhattanLength() < clickPixels) {
        // A click: on a class of the histogram it takes that class, elsewhere it takes the box away.
        if (isDistribution() && axisRect()->rect().contains(e->pos()))
            brush_.setBox(boxOf(e->pos(), e->pos()));
        else
            brush_.clear();
    }
    drawing_ = false;
}

void ChartPlot::wheelEvent(QWheelEvent *e) {
    if (isDistribution())
        e->ignore(); // it has no time to zoom
    else
        TimePlot::wheelEvent(e);
}

void ChartPlot::leaveEvent(QEvent *e) {
    QToolTip::hideText();
    TimePlot::leaveEvent(e);
}

std::optional<Row> ChartPlot::cycleAt(const QPoint &at) const {
    std::optional<Row> best;
    double distance = nearPixels;
    for (std::size_t type = 0; data_.asPoints && type < 3; ++type) {
        for (std::size_t i = 0; i < data_.rows[type].size(); ++i) {
            const auto place = static_cast<qsizetype>(i);
            const double away = std::hypot(xAxis->coordToPixel(data_.x[type][place]) - at.x(),
                                           yAxis->coordToPixel(data_.y[type][place]) - at.y());
            if (away < distance) {
                distance = away;
                best = data_.rows[type][i];
            }
        }
    }
    return best;
}

QString ChartPlot::pointTip(Row row) const {
    const Snapshot &s = *document_.snapshot();
    if (row >= s.tables.cycles.size())
        return {};
    const CycleRecord r = s.tables.cycles.record(row);
    QStringList lines{tr("cycle %1: %2 of %3, %4")
                          .arg(r.cycle.number)
                          .arg(words(name(r.type)), byteWords(r.bytes_expected.value_or(r.bytes_moved)),
                               words(name(r.outcome)).replace('_', ' '))};
    if (r.response_time)
        lines << tr("response time %1").arg(durationWords(*r.response_time));
    if (r.lba)
        lines << tr("LBA %1").arg(*r.lba);
    lines << tr("ended at %1, connection %2, frame %3")
                 .arg(secondWords(r.end - s.origin, std::chrono::microseconds{1}))
                 .arg(r.stream.number)
                 .arg(s.tables.cycles.firstFrame(row));
    return lines.join('\n');
}

QString ChartPlot::cellTip(const QPoint &at) const {
    const DensityGrid &g = data_.grid;
    const double x = (xAxis->pixelToCoord(at.x()) - g.x0) / (g.x1 - g.x0) * g.columns;
    const double y = (yAxis->pixelToCoord(at.y()) - g.y0) / (g.y1 - g.y0) * g.rows;
    if (x < 0 || y < 0 || x >= g.columns || y >= g.rows)
        return {};
    const int column = static_cast<int>(x), row = static_cast<int>(y);
    const std::uint32_t n = g.counts[static_cast<std::size_t>(row * g.columns + column)];
    if (n == 0)
        return {};
    const double width = (g.x1 - g.x0) / g.columns, height = (g.y1 - g.y0) / g.rows;
    const Duration step = cutToNs(width * 1e8) + Duration{1};
    const auto time = [&](int c) {
        return secondWords(Duration{std::llround((g.x0 + c * width) * 1e9)}, step);
    };
    const auto value = [&](int r) {
        const double v = g.y0 + r * height;
        return kind_ == ChartKind::lba ? QString::number(v, 'f', 0)
                                       : durationWords(Duration{std::llround(std::pow(10.0, v) * 1e6)});
    };
    return (kind_ == ChartKind::lba ? tr("%1 cycles\nLBA %2 to %3\nended from %4 to %5")
                                    : tr("%1 cycles\nresponse time %2 to %3\nended from %4 to %5"))
        .arg(countWords(n), value(row), value(row + 1), time(column), time(column + 1));
}

QString ChartPlot::classTip(const QPoint &at) const {
    const int responseClass = stepAt(at.x());
    const qsizetype i = (responseClass - data_.firstClass) / data_.classStep;
    const QString to = durationWords(lowerEdgeOf(responseClass + data_.classStep));
    QStringList lines;
    for (std::size_t type = 0; type < 3; ++type) {
        const auto t = static_cast<TaskType>(type);
        const bool histogram = kind_ == ChartKind::histogram;
        const qsizetype place = histogram ? i : i + 1; // the CDF begins with a point of its own
        if (responseClass < data_.firstClass || place >= data_.y[type].size())
            continue;
        const double y = data_.y[type][place];
        if (histogram && y > 0)
            lines << typeCount(t, static_cast<std::uint64_t>(y));
        else if (!histogram)
            lines << tr("%1: %2 of the cycles took less").arg(words(name(t)), shareWords(y));
    }
    if (lines.isEmpty())
        return {};
    lines.prepend(
        kind_ == ChartKind::histogram
            ? tr("response time from %1 to below %2").arg(durationWords(lowerEdgeOf(responseClass)), to)
            : tr("response time %1").arg(to));
    return lines.join('\n');
}

QString ChartPlot::tipAt(const QPoint &at) const {
    if (!axisRect()->rect().contains(at) || data_.cycles == 0)
        return {};
    if (isDistribution())
        return classTip(at);
    if (data_.grid.most > 0)
        return cellTip(at);
    const auto row = cycleAt(at);
    return row ? pointTip(*row) : QString();
}

void ChartPlot::placeBrush() {
    const auto &box = brush_.box();
    const auto scaled = [](QCPItemPosition *p, bool x, double value) {
        x ? p->setTypeX(QCPItemPosition::ptPlotCoords) : p->setTypeY(QCPItemPosition::ptPlotCoords);
        x ? p->setCoords(value, p->value()) : p->setCoords(p->key(), value);
    };
    const auto edge = [](QCPItemPosition *p, bool x, double ratio) {
        x ? p->setTypeX(QCPItemPosition::ptAxisRectRatio) : p->setTypeY(QCPItemPosition::ptAxisRectRatio);
        x ? p->setCoords(ratio, p->value()) : p->setCoords(p->key(), ratio);
    };
    const bool lba = kind_ == ChartKind::lba;
    // A box is drawn where the chart has one of its axes.
    const bool drawn =
        box && (isDistribution() ? box->response.has_value()
                                 : box->time || (lba ? box->lba.has_value() : box->response.has_value()));
    brushed_->setVisible(drawn);
    if (drawn) {
        const Theme t = theme();
        QColor fill = t.selection;
        fill.setAlpha(t.dark ? 36 : 22);
        brushed_->setBrush(fill);
        brushed_->setPen(QPen(t.selection, 1));
        QCPItemPosition *a = brushed_->topLeft, *b = brushed_->bottomRight;
        for (const bool x : {true, false}) {
            edge(a, x, 0);
            edge(b, x, 1);
        }
        const auto ms = [](Duration d) { return inNs(std::max(d, Duration{1})) / 1e6; };
        const auto y = [&](Duration d) { return data_.grid.most > 0 ? std::log10(ms(d)) : ms(d); };
        const auto seconds = [&](Time at) { return inSeconds(at - document_.snapshot()->origin); };
        if (isDistribution()) {
            scaled(a, true, ms(box->response->from));
            scaled(b, true, ms(box->response->to));
        } else {
            if (box->time) {
                scaled(a, true, seconds(box->time->from));
                scaled(b, true, seconds(box->time->to));
            }
            if (lba && box->lba) {
                scaled(a, false, static_cast<double>(box->lba->second));
                scaled(b, false, static_cast<double>(box->lba->first));
            } else if (!lba && box->response) {
                scaled(a, false, y(box->response->to));
                scaled(b, false, y(box->response->from));
            }
        }
    }
    if (isVisible())
        layer("chosen")->replot();
}

void ChartPlot::placeRing() {
    const auto cycle = document_.selection().cycle;
    ring_->setVisible(false);
    for (std::size_t type = 0; cycle && data_.asPoints && type < 3; ++type) {
        const auto at = std::find(data_.rows[type].begin(), data_.rows[type].end(), *cycle);
        if (at == data_.rows[type].end())
            continue;
        const qsizetype i = at - data_.rows[type].begin();
        ring_->position->setCoords(data_.x[type][i], data_.y[type][i]);
        ring_->setPen(QPen(theme().selection, 2));
        ring_->setVisible(true);
    }
    if (isVisible())
        layer("chosen")->replot();
}

} // namespace iscsiscope::gui

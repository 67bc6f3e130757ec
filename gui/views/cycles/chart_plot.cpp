// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/cycles/chart_plot.h"

#include "gui/models/words.h"

namespace iscsiscope::gui {
namespace {

QCPColorGradient gradientFor(const Theme &t) {
    // From the background to one dark (on dark: light) hue: readable without colour.
    QCPColorGradient g;
    g.clearColorStops();
    g.setColorStopAt(0, t.background);
    g.setColorStopAt(0.001, t.dark ? QColor(0x1d, 0x3a, 0x52) : QColor(0xc6, 0xdb, 0xef));
    g.setColorStopAt(0.5, QColor(0x2f, 0x7f, 0xc1));
    g.setColorStopAt(1, t.dark ? QColor(0xff, 0xf0, 0xa0) : QColor(0x08, 0x20, 0x4a));
    return g;
}

} // namespace

ChartPlot::ChartPlot(Document &document, QWidget *parent) : TimePlot(document, parent) {
    setObjectName("chart");
    setAccessibleName(tr("Chart of the cycles"));
    const auto stale = [this] {
        stale_ = true;
        if (isVisible())
            refresh();
    };
    connect(&document, &Document::matchesChanged, this, stale);
    connect(&document, &Document::viewChanged, this, stale);
    legend->setVisible(true);
    axisRect()->insetLayout()->setInsetAlignment(0, Qt::AlignTop | Qt::AlignRight);
    setKind(ChartKind::scatter);
}

void ChartPlot::setKind(ChartKind kind) {
    kind_ = kind;
    setTimeRects(kind == ChartKind::histogram || kind == ChartKind::cdf ? QList<QCPAxisRect *>{}
                                                                        : QList<QCPAxisRect *>{axisRect()});
    stale_ = true;
    data_ = {};
    data_.kind = kind;
    drawChart();
    if (isVisible())
        refresh();
}

void ChartPlot::showEvent(QShowEvent *e) {
    TimePlot::showEvent(e);
    if (stale_)
        refresh();
}

void ChartPlot::refresh() {
    stale_ = false;
    job_.run(
        this,
        [snapshot = document_.snapshot(), rows = document_.matches(), view = document_.view(), kind = kind_](
            const std::atomic<bool> &stop) { return makeChart(kind, *snapshot, *rows, view, stop); },
        [this](ChartData d) {
            data_ = std::move(d);
            drawChart();
            emit changed();
        });
}

void ChartPlot::drawChart() {
    const Theme t = theme();
    clearGraphs();
    if (map_ != nullptr) {
        removePlottable(map_);
        map_ = nullptr;
    }
    applyTheme(*this, t);
    const bool lba = kind_ == ChartKind::lba,
               distribution = kind_ == ChartKind::histogram || kind_ == ChartKind::cdf;
    const bool logarithmic = !distribution && !lba && (data_.asPoints || data_.grid.most == 0);
    const QSharedPointer<QCPAxisTicker> plain(new QCPAxisTicker), logTicker(new QCPAxisTickerLog),
        secondTicker(new SecondsTicker);
    secondTicker->setTickCount(4);
    xAxis->setScaleType(distribution ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    xAxis->setTicker(distribution ? logTicker : secondTicker);
    xAxis->setLabel(distribution ? tr("response time, ms") : tr("time since the first frame, s"));
    xAxis->setNumberFormat("gb");
    xAxis->setNumberPrecision(distribution ? 3 : 6);
    yAxis->setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    yAxis->setTicker(logarithmic ? logTicker : plain);
    yAxis->setNumberFormat("gb");
    yAxis->setNumberPrecision(lba ? 10 : 4);
    yAxis->setLabel(lba                             ? tr("logical block address")
                    : kind_ == ChartKind::histogram ? tr("cycles in the class")
                    : kind_ == ChartKind::cdf       ? tr("share of cycles")
                    : logarithmic                   ? tr("response time, ms")
                                                    : tr("response time, ms (log10)"));
    double least = 1e300, most = -1e300, first = 1e300, last = -1e300;
    for (std::size_t type = 0; type < 3; ++type) {
        if (data_.x[type].isEmpty())
            continue;
        QCPGraph *g = addGraph();
        const QColor color = t.legible(colorOf(static_cast<TaskType>(type)));
        g->setName(words(name(static_cast<TaskType>(type))));
        g->setData(data_.x[type], data_.y[type], false);
        g->setPen(QPen(color, 1));
        if (data_.asPoints) {
            g->setLineStyle(QCPGraph::lsNone);
            // Shape as well as colour tells reads, writes and control apart.
            const QCPScatterStyle::ScatterShape shapes[] = {
                QCPScatterStyle::ssDisc, QCPScatterStyle::ssSquare, QCPScatterStyle::ssTriangle};
            g->setScatterStyle(QCPScatterStyle(shapes[type], color, color, 4));
        } else {
            g->setLineStyle(kind_ == ChartKind::histogram ? QCPGraph::lsStepLeft : QCPGraph::lsLine);
            if (kind_ == ChartKind::histogram) {
                QColor fill = color;
                fill.setAlpha(70);
                g->setBrush(fill);
            }
        }
        for (qsizetype i = 0; i < data_.x[type].size(); ++i) {
            first = std::min(first, data_.x[type][i]);
            last = std::max(last, data_.x[type][i]);
            least = std::min(least, data_.y[type][i]);
            most = std::max(most, data_.y[type][i]);
        }
    }
    legend->setVisible(graphCount() > 0);
    if (data_.grid.most > 0) {
        const DensityGrid &g = data_.grid;
        map_ = new QCPColorMap(xAxis, yAxis);
        map_->removeFromLegend();
        const double halfX = (g.x1 - g.x0) / g.columns / 2, halfY = (g.y1 - g.y0) / g.rows / 2;
        map_->data()->setSize(g.columns, g.rows);
        map_->data()->setRange({g.x0 + halfX, g.x1 - halfX}, {g.y0 + halfY, g.y1 - halfY});
        for (int c = 0; c < g.columns; ++c) {
            for (int r = 0; r < g.rows; ++r) {
                // The square root, so that single cycles are seen beside crowded cells.
                map_->data()->setCell(c, r, std::sqrt(g.counts[static_cast<std::size_t>(r * g.columns + c)]));
            }
        }
        map_->setInterpolate(false);
        map_->setGradient(gradientFor(t));
        map_->setDataRange({0, std::sqrt(g.most)});
        yAxis->setRange(g.y0, g.y1);
    } else if (least <= most) {
        const double bottom = kind_ == ChartKind::histogram || kind_ == ChartKind::cdf ? 0 : least;
        if (logarithmic)
            yAxis->setRange(least / 1.3, most * 1.5);
        else
            yAxis->setRange(bottom, most + (most - bottom) * 0.08 + (most == bottom ? 1 : 0));
        if (distribution)
            xAxis->setRange(first / 1.05, last * data_.classRatio * 1.05);
    } else {
        yAxis->setRange(logarithmic ? 0.1 : 0, 1);
        if (distribution)
            xAxis->setRange(0.1, 10);
    }
    setAccessibleDescription(tr("%1 cycles").arg(countWords(data_.cycles)));
    follow();
    replot(QCustomPlot::rpQueuedReplot);
}

} // namespace iscsiscope::gui

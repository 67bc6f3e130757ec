// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/cycles/chart_plot.h"

#include "gui/models/words.h"
#include "gui/views/cycles/chart_tickers.h"

#include <QToolTip>

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

ChartPlot::ChartPlot(Document &document, CycleBrush &brush, QWidget *parent)
    : TimePlot(document, parent), brush_(brush), margins_(new QCPMarginGroup(this)),
      brushed_(new QCPItemRect(this)), ring_(new QCPItemTracer(this)), empty_(new QCPItemText(this)) {
    setObjectName("chart");
    setAccessibleName(tr("Chart of the cycles"));
    const auto stale = [this](bool zoomed) {
        if (zoomed && isDistribution())
            return; // of all cycles, whatever the view shows
        stale_ = true;
        if (isVisible())
            refresh();
    };
    connect(
        &document, &Document::matchesChanged, this, [stale] { stale(false); });
    connect(&document, &Document::viewChanged, this, [stale] { stale(true); });
    connect(&document, &Document::selectionChanged, this, &ChartPlot::placeRing);
    connect(&brush, &CycleBrush::changed, this, &ChartPlot::placeBrush);
    connect(this, &TimePlot::clicked, this, [this](const QPoint &at) {
        if (const auto row = cycleAt(at))
            document_.selectCycle(*row);
    });
    connect(this, &TimePlot::hovered, this, [this](const QPoint &at) {
        const QString tip = tipAt(at);
        if (tip.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(mapToGlobal(at + QPoint(2, 2)), tip, this);
    });
    legendBelow(*this);
    // An empty legend would else limit the width of all above it to its own.
    legend->layout()->setMaximumSize(QWIDGETSIZE_MAX - 1, QWIDGETSIZE_MAX);
    for (QCPAbstractItem *item :
         {static_cast<QCPAbstractItem *>(brushed_), static_cast<QCPAbstractItem *>(ring_)})
        item->setLayer("chosen");
    ring_->setStyle(QCPItemTracer::tsCircle);
    ring_->setSize(11);
    empty_->position->setType(QCPItemPosition::ptAxisRectRatio);
    empty_->position->setCoords(0.5, 0.5);
    ring_->position->setType(QCPItemPosition::ptPlotCoords);
    setKind(ChartKind::scatter);
}

void ChartPlot::setKind(ChartKind kind) {
    kind_ = kind;
    setTimeRects(isDistribution() ? QList<QCPAxisRect *>{} : QList<QCPAxisRect *>{axisRect()});
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

void ChartPlot::removeMap() {
    if (map_ == nullptr)
        return;
    removePlottable(map_);
    plotLayout()->remove(scale_);
    plotLayout()->simplify();
    map_ = nullptr;
    scale_ = nullptr;
}

void ChartPlot::drawChart() {
    const Theme t = theme();
    clearGraphs();
    removeMap();
    setAxes();
    drawGraphs(t);
    if (data_.grid.most > 0)
        drawMap(t);
    setRanges();
    legend->setVisible(graphCount() > 0);
    const bool nothing = data_.cycles == 0 && !job_.running();
    empty_->setVisible(nothing);
    empty_->setColor(t.dim);
    empty_->setText(kind_ == ChartKind::lba ? tr("no cycle with an LBA here")
                                            : tr("no cycle with a response time here"));
    applyTheme(*this, t);
    legend->setBorderPen(Qt::NoPen);
    setAccessibleDescription(tr("%1 cycles").arg(countWords(data_.cycles)));
    placeBrush();
    placeRing();
    follow();
    replot(QCustomPlot::rpQueuedReplot);
}

void ChartPlot::setAxes() {
    const bool lba = kind_ == ChartKind::lba, logarithms = !lba && data_.grid.most > 0;
    const bool logarithmic = !isDistribution() && !lba && !logarithms;
    const QSharedPointer<QCPAxisTicker> plain(kind_ == ChartKind::cdf ? new QCPAxisTicker : new CountTicker),
        logTicker(new QCPAxisTickerLog), secondTicker(new SecondsTicker);
    secondTicker->setTickCount(4);
    xAxis->setScaleType(isDistribution() ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    xAxis->setTicker(isDistribution() ? logTicker : secondTicker);
    xAxis->setLabel(isDistribution() ? tr("response time, ms")
                                     : tr("end of the cycle: time since the first frame, s"));
    xAxis->setNumberFormat("gb");
    xAxis->setNumberPrecision(6);
    yAxis->setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    yAxis->setTicker(logarithms ? logarithmTicker() : logarithmic ? logTicker : plain);
    yAxis->setNumberFormat("gb");
    yAxis->setNumberPrecision(lba ? 10 : 4);
    yAxis->setLabel(lba                             ? tr("logical block address")
                    : kind_ == ChartKind::histogram ? tr("cycles in the class")
                    : kind_ == ChartKind::cdf       ? tr("share of the cycles")
                                                    : tr("response time, ms"));
}

void ChartPlot::drawGraphs(const Theme &t) {
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
            // Shape as well as colour distinguishes reads, writes and control.
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
    }
}

void ChartPlot::drawMap(const Theme &t) {
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
    scale_ = new QCPColorScale(this);
    plotLayout()->addElement(0, 1, scale_);
    plotLayout()->setColumnStretchFactor(1, 0.001);
    scale_->setBarWidth(10);
    scale_->setType(QCPAxis::atRight);
    scale_->axis()->setTicker(rootTicker());
    scale_->setLabel(tr("cycles in a cell"));
    scale_->axis()->setTickLabelColor(t.text);
    scale_->axis()->setLabelColor(t.text);
    for (QCPLayoutElement *e :
         {static_cast<QCPLayoutElement *>(scale_), static_cast<QCPLayoutElement *>(axisRect())})
        e->setMarginGroup(QCP::msTop | QCP::msBottom, margins_);
    map_->setColorScale(scale_);
    map_->setGradient(gradientFor(t));
    map_->setDataRange({0, std::sqrt(g.most)});
}

void ChartPlot::setRanges() {
    double least = 1e300, most = -1e300, first = 1e300, last = -1e300;
    for (std::size_t type = 0; type < 3; ++type) {
        for (qsizetype i = 0; i < data_.x[type].size(); ++i) {
            first = std::min(first, data_.x[type][i]);
            last = std::max(last, data_.x[type][i]);
            least = std::min(least, data_.y[type][i]);
            most = std::max(most, data_.y[type][i]);
        }
    }
    const bool logarithmic = yAxis->scaleType() == QCPAxis::stLogarithmic;
    if (data_.grid.most > 0) {
        yAxis->setRange(data_.grid.y0, data_.grid.y1);
    } else if (least <= most) {
        const double bottom = isDistribution() ? 0 : least;
        if (logarithmic)
            yAxis->setRange(least / 1.3, most * 1.5);
        else if (kind_ == ChartKind::cdf)
            yAxis->setRange(0, 1.02);
        else
            yAxis->setRange(bottom, most + (most - bottom) * 0.08 + (most == bottom ? 1 : 0));
        if (isDistribution())
            xAxis->setRange(first / 1.05, last * data_.classRatio * 1.05);
    } else {
        yAxis->setRange(logarithmic ? 0.1 : 0, 1);
        if (isDistribution())
            xAxis->setRange(0.1, 10);
    }
}

} // namespace iscsiscope::gui

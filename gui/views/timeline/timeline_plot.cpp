// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/timeline/timeline_plot.h"

#include "gui/models/words.h"
#include "gui/views/timeline/lane_legend.h"
#include "gui/views/timeline/timeline_layers.h"

#include <QKeyEvent>

#include <cmath>

namespace iscsiscope::gui {
namespace {

constexpr int stripHeight = 34, leastLane = 18, mostLane = 64;

} // namespace

TimelinePlot::TimelinePlot(Document &document, QWidget *parent) : TimePlot(document, parent) {
    setObjectName("timelinePlot");
    setAccessibleName(tr("Timeline of cycles and gaps"));
    plotLayout()->clear();
    margins_ = new QCPMarginGroup(this);
    const auto rectFor = [this](int row) {
        auto *rect = new QCPAxisRect(this);
        plotLayout()->addElement(row, 0, rect);
        rect->setMarginGroup(QCP::msLeft | QCP::msRight, margins_);
        rect->axis(QCPAxis::atBottom)->setTickLabels(false);
        rect->axis(QCPAxis::atBottom)->grid()->setVisible(false);
        rect->axis(QCPAxis::atLeft)->grid()->setVisible(false);
        return rect;
    };
    strip_ = rectFor(0);
    strip_->setMaximumSize(QWIDGETSIZE_MAX, stripHeight);
    strip_->setMinimumSize(10, stripHeight);
    strip_->setAutoMargins(QCP::msLeft | QCP::msRight);
    strip_->setMargins({0, 2, 8, 2});
    strip_->axis(QCPAxis::atLeft)->setTicks(false);
    strip_->axis(QCPAxis::atLeft)->setLabel(tr("all"));
    strip_->axis(QCPAxis::atBottom)->setTicks(false);
    lanesRect_ = rectFor(1);
    lanesRect_->setMinimumSize(10, 80);
    lanesRect_->axis(QCPAxis::atLeft)->setTicker(QSharedPointer<QCPAxisTickerText>(new QCPAxisTickerText));
    lanesRect_->axis(QCPAxis::atLeft)->setRangeReversed(true);
    lanesRect_->axis(QCPAxis::atLeft)->setTickLength(0);
    lanesRect_->axis(QCPAxis::atLeft)->setSubTicks(false);
    const LanesPaint paint{document_, rows_, [this] { return layoutNow(); }, [this] { return theme(); }};
    stripImage_ = new LanesPlottable(strip_, paint, true);
    lanesImage_ = new LanesPlottable(lanesRect_, paint, false);
    (new OutlinePlottable(lanesRect_, paint))->setLayer("chosen");
    plotLayout()->setRowSpacing(0);
    kinds_ = {LaneKind::throughput, LaneKind::cwnd};
    connect(&document, &Document::snapshotChanged, this, &TimelinePlot::rebuild);
    connect(
        &document, &Document::throughputChanged, this,
        [this] {
            dirty_ = true;
            follow();
        });
    connect(&document, &Document::viewChanged, this, [this] { dirty_ = true; });
    connect(this, &QCustomPlot::beforeReplot, this, &TimelinePlot::refreshLines);
    rebuild();
}

void TimelinePlot::setLanes(std::vector<LaneKind> kinds) {
    kinds_ = std::move(kinds);
    rebuild();
}

void TimelinePlot::rebuild() {
    rows_ = laneRows(*document_.snapshot());
    stripImage_->forget();
    lanesImage_->forget();
    for (const SeriesRect &s : series_) {
        for (QCPGraph *g : s.graphs)
            removeGraph(g);
        removePlottable(s.highlight);
    }
    setTimeRects({});
    for (const SeriesRect &s : series_) {
        plotLayout()->remove(s.legend);
        plotLayout()->remove(s.rect);
    }
    series_.clear();
    contents_.clear();
    hovered_ = {};
    plotLayout()->simplify();
    QList<QCPAxisRect *> all{lanesRect_};
    for (const LaneKind kind : kinds_) {
        auto *key = new LaneLegend(this);
        plotLayout()->addElement(plotLayout()->rowCount(), 0, key);
        key->setMarginGroup(QCP::msLeft | QCP::msRight, margins_);
        auto *rect = new QCPAxisRect(this);
        plotLayout()->addElement(plotLayout()->rowCount(), 0, rect);
        rect->setMarginGroup(QCP::msLeft | QCP::msRight, margins_);
        rect->setMinimumSize(10, 70);
        rect->axis(QCPAxis::atLeft)->setLabel(laneTitle(kind));
        rect->axis(QCPAxis::atLeft)->ticker()->setTickCount(3);
        rect->axis(QCPAxis::atBottom)->setTickLabels(false);
        auto *highlight = new HighlightPlottable(rect);
        highlight->setLayer("chosen");
        series_.push_back({rect, kind, {}, key, highlight});
        all << rect;
    }
    QSharedPointer<QCPAxisTicker> ticker(new SecondsTicker);
    for (QCPAxisRect *rect : all) {
        QCPAxis *bottom = rect->axis(QCPAxis::atBottom);
        const bool last = rect == all.back();
        bottom->setTicker(ticker);
        bottom->setTickLabels(last);
        bottom->setLabel(last ? tr("time since the first frame, s") : QString());
        rect->setAutoMargins(last ? QCP::msLeft | QCP::msRight | QCP::msBottom : QCP::msLeft | QCP::msRight);
        rect->setMargins({0, 2, 8, 2});
        ticker->setTickCount(7);
    }
    lanesRect_->setMaximumSize(QWIDGETSIZE_MAX, std::max<int>(static_cast<int>(rows_.size()), 1) * mostLane +
                                                    (kinds_.empty() ? 48 : 8));
    auto *names = static_cast<QCPAxisTickerText *>(lanesRect_->axis(QCPAxis::atLeft)->ticker().data());
    names->clear();
    applyTheme(*this, theme());
    dirty_ = true;
    setTimeRects(all);
    emit lanesChanged();
}

LanesLayout TimelinePlot::layoutNow() const {
    const double room = lanesRect_->height();
    const double each = rows_.empty() ? room : room / static_cast<double>(rows_.size());
    return {std::clamp(each, static_cast<double>(leastLane), static_cast<double>(mostLane)),
            static_cast<double>(scrolled_)};
}

int TimelinePlot::lanesHeight() const {
    return static_cast<int>(layoutNow().height * static_cast<double>(rows_.size()));
}

int TimelinePlot::lanesVisible() const {
    return lanesRect_->height();
}

void TimelinePlot::scrollTo(int pixels) {
    scrolled_ = std::clamp(pixels, 0, std::max(lanesHeight() - lanesVisible(), 0));
    dirty_ = true;
    replot(QCustomPlot::rpQueuedReplot);
}

std::optional<LaneHit> TimelinePlot::hit(const QPoint &at) const {
    const QRect r = lanesRect_->rect();
    if (!r.contains(at))
        return std::nullopt;
    return hitLanes(*document_.snapshot(), rows_, document_.view(), layoutNow(), r.size(), at - r.topLeft());
}

bool TimelinePlot::takesDrag(const QPoint &at) {
    if (!strip_->rect().contains(at))
        return false;
    const QRect r = strip_->rect();
    const TimeScale whole{document_.snapshot()->whole, static_cast<double>(r.left()),
                          static_cast<double>(r.width())};
    const std::int64_t t = whole.toTime(at.x());
    if (!document_.view().contains(t))
        document_.stepView({t - document_.view().length() / 2, t + document_.view().length() / 2});
    return true;
}

void TimelinePlot::dragged(const QPoint &from, const QPoint &to) {
    const QRect r = strip_->rect();
    const TimeScale whole{document_.snapshot()->whole, static_cast<double>(r.left()),
                          static_cast<double>(r.width())};
    document_.pan(whole.toTime(to.x()) - whole.toTime(from.x()));
}

void TimelinePlot::refreshLines() {
    // Lane names stand at the middle of their lanes.
    const LanesLayout layout = layoutNow();
    auto *left = lanesRect_->axis(QCPAxis::atLeft);
    left->setRange(0, std::max(lanesRect_->height(), 1));
    QMap<double, QString> ticks;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const double middle = layout.top(i) + layout.height / 2;
        if (middle > 0 && middle < lanesRect_->height())
            ticks.insert(middle, rows_[i].label);
    }
    static_cast<QCPAxisTickerText *>(left->ticker().data())->setTicks(ticks);
    if (!dirty_)
        return;
    dirty_ = false;
    for (const SeriesRect &series : series_)
        series.highlight->setLines({}); // they go now
    hovered_ = {};
    contents_.clear();
    const Snapshot &s = *document_.snapshot();
    const auto &sessions = document_.throughputReport()->session_figures;
    const Theme t = theme();
    for (SeriesRect &series : series_) {
        const int width = std::max(series.rect->width(), 100);
        LaneContent content =
            laneContent(series.kind, s, sessions ? &*sessions : nullptr, document_.view(), width);
        while (series.graphs.size() < content.lines.size()) {
            series.graphs.push_back(
                addGraph(series.rect->axis(QCPAxis::atBottom), series.rect->axis(QCPAxis::atLeft)));
        }
        series.legend->setContent(content.keys, content.leftOut, t, width);
        series.highlight->setTheme(t);
        double most = 0;
        for (std::size_t i = 0; i < series.graphs.size(); ++i) {
            QCPGraph *g = series.graphs[i];
            if (i >= content.lines.size()) {
                g->data()->clear();
                continue;
            }
            const LaneLine &line = content.lines[i];
            g->setData(line.x, line.y, true);
            g->setName(line.name);
            const QColor color = t.legible(line.color);
            const bool points = line.style == LineStyle::points;
            g->setPen(QPen(color, 1, penStyleOf(line.style)));
            g->setLineStyle(points ? QCPGraph::lsNone : QCPGraph::lsLine);
            g->setScatterStyle(points ? QCPScatterStyle(QCPScatterStyle::ssSquare, 2)
                                      : QCPScatterStyle(QCPScatterStyle::ssNone));
            for (const double y : line.y)
                most = y > most ? y : most; // false for NaN
        }
        series.rect->axis(QCPAxis::atLeft)->setRange(0, most > 0 ? most * 1.08 : 1);
        contents_.push_back(std::move(content));
    }
}

// Connections further up and down; sideways are actions of the window.
void TimelinePlot::keyPressEvent(QKeyEvent *e) {
    const int page = std::max(lanesVisible() - leastLane, leastLane);
    const int by = e->key() == Qt::Key_Up         ? -leastLane
                   : e->key() == Qt::Key_Down     ? leastLane
                   : e->key() == Qt::Key_PageUp   ? -page
                   : e->key() == Qt::Key_PageDown ? page
                                                  : 0;
    if (by != 0 && lanesHeight() > lanesVisible()) {
        scrollTo(scrolled_ + by);
        emit lanesChanged();
        return;
    }
    TimePlot::keyPressEvent(e);
}

void TimelinePlot::render() {
    follow();
    replot(QCustomPlot::rpImmediateRefresh);
}

void TimelinePlot::resizeEvent(QResizeEvent *e) {
    dirty_ = true;
    TimePlot::resizeEvent(e);
    emit lanesChanged();
}

void TimelinePlot::showEvent(QShowEvent *e) {
    TimePlot::showEvent(e);
    follow();
}

} // namespace iscsiscope::gui

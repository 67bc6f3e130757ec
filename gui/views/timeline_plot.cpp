// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/timeline_plot.h"

#include "gui/models/words.h"

namespace iscsiscope::gui {
namespace {

constexpr int stripHeight = 34, leastLane = 18, mostLane = 64;

} // namespace

// An image of lanes that fills its axis rect.
class LanesPlottable : public QCPAbstractPlottable {
public:
    LanesPlottable(QCPAxisRect *rect, TimelinePlot &plot, bool whole)
        : QCPAbstractPlottable(rect->axis(QCPAxis::atBottom), rect->axis(QCPAxis::atLeft)), timeline_(plot),
          whole_(whole) {}

    void forget() { key_ = {}; } // another snapshot may lie where the old one lay
    double selectTest(const QPointF &, bool, QVariant *) const override { return -1; }
    QCPRange getKeyRange(bool &found, QCP::SignDomain) const override {
        found = false;
        return {};
    }
    QCPRange getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const override {
        found = false;
        return {};
    }

protected:
    void drawLegendIcon(QCPPainter *, const QRectF &) const override {}
    void draw(QCPPainter *painter) override {
        const QRect r = mKeyAxis->axisRect()->rect();
        const Snapshot &s = *timeline_.document_.snapshot();
        LanesLayout layout = timeline_.layoutNow();
        if (whole_) {
            layout = {static_cast<double>(r.height()) /
                          static_cast<double>(std::max<std::size_t>(timeline_.rows_.size(), 1)),
                      0};
        }
        const Interval view = whole_ ? s.whole : timeline_.document_.view();
        const double ratio = painter->device()->devicePixelRatioF();
        const auto key = std::tuple(&s, view.from, view.to, r.size().width(), r.size().height(), ratio,
                                    layout.scrolled, timeline_.theme().dark);
        if (key != key_) {
            image_ = paintLanes(s, timeline_.rows_, view, layout, r.size(), ratio, timeline_.theme());
            key_ = key;
        }
        painter->drawImage(r.topLeft(), image_);
        if (whole_) {
            const TimeScale scale{s.whole, static_cast<double>(r.left()), static_cast<double>(r.width())};
            const Interval v = timeline_.document_.view();
            const double a = std::clamp(scale.toPixel(v.from), static_cast<double>(r.left()),
                                        static_cast<double>(r.right()));
            const double b = std::clamp(scale.toPixel(v.to), a + 2, static_cast<double>(r.right()) + 2);
            QColor veil = timeline_.theme().background;
            veil.setAlpha(190);
            painter->fillRect(QRectF(r.left(), r.top(), a - r.left(), r.height()), veil);
            painter->fillRect(QRectF(b, r.top(), r.right() - b + 1, r.height()), veil);
            painter->setPen(QPen(timeline_.theme().text, 1));
            painter->setBrush(Qt::NoBrush);
            painter->drawRect(QRectF(a, r.top(), b - a - 1, r.height() - 1));
        }
    }

private:
    TimelinePlot &timeline_;
    bool whole_;
    QImage image_;
    std::tuple<const Snapshot *, std::int64_t, std::int64_t, int, int, double, double, bool> key_{};
};

// A frame around the selected cycle, on the layer that is drawn without the rest.
class OutlinePlottable : public QCPAbstractPlottable {
public:
    OutlinePlottable(QCPAxisRect *rect, TimelinePlot &plot)
        : QCPAbstractPlottable(rect->axis(QCPAxis::atBottom), rect->axis(QCPAxis::atLeft)), timeline_(plot) {}
    double selectTest(const QPointF &, bool, QVariant *) const override { return -1; }
    QCPRange getKeyRange(bool &found, QCP::SignDomain) const override {
        found = false;
        return {};
    }
    QCPRange getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const override {
        found = false;
        return {};
    }

protected:
    void drawLegendIcon(QCPPainter *, const QRectF &) const override {}
    void draw(QCPPainter *painter) override {
        const auto cycle = timeline_.document_.selection().cycle;
        if (!cycle) {
            return;
        }
        const QRect r = mKeyAxis->axisRect()->rect();
        const CycleStore &cycles = timeline_.document_.snapshot()->tables.cycles;
        const LanesLayout layout = timeline_.layoutNow();
        const TimeScale scale{timeline_.document_.view(), static_cast<double>(r.left()),
                              static_cast<double>(r.width())};
        for (std::size_t i = 0; i < timeline_.rows_.size(); ++i) {
            if (timeline_.rows_[i].stream == cycles.stream(*cycle)) {
                const double a =
                    std::clamp(scale.toPixel(cycles.start(*cycle)), r.left() - 3.0, r.right() + 3.0);
                const double b =
                    std::clamp(scale.toPixel(cycles.end(*cycle)), r.left() - 3.0, r.right() + 3.0);
                painter->setPen(QPen(timeline_.theme().selection, 1));
                painter->setBrush(Qt::NoBrush);
                painter->drawRect(
                    QRectF(a, r.top() + layout.top(i), std::max(b - a, 2.0), layout.barsHeight() + 1));
            }
        }
    }

private:
    TimelinePlot &timeline_;
};

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
    stripImage_ = new LanesPlottable(strip_, *this, true);
    lanesImage_ = new LanesPlottable(lanesRect_, *this, false);
    (new OutlinePlottable(lanesRect_, *this))->setLayer("chosen");
    plotLayout()->setRowSpacing(0);
    kinds_ = {LaneKind::throughput, LaneKind::cwnd};
    connect(&document, &Document::snapshotChanged, this, &TimelinePlot::rebuild);
    connect(&document, &Document::throughputChanged, this, [this] {
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
        s.legend->clearItems();
        for (QCPGraph *g : s.graphs) {
            removeGraph(g);
        }
    }
    setTimeRects({});
    for (const SeriesRect &s : series_) {
        plotLayout()->remove(s.rect);
    }
    series_.clear();
    plotLayout()->simplify();
    QList<QCPAxisRect *> all{lanesRect_};
    for (const LaneKind kind : kinds_) {
        auto *rect = new QCPAxisRect(this);
        plotLayout()->addElement(plotLayout()->rowCount(), 0, rect);
        rect->setMarginGroup(QCP::msLeft | QCP::msRight, margins_);
        rect->setMinimumSize(10, 70);
        rect->axis(QCPAxis::atLeft)->setLabel(laneTitle(kind));
        rect->axis(QCPAxis::atLeft)->ticker()->setTickCount(3);
        rect->axis(QCPAxis::atBottom)->setTickLabels(false);
        auto *key = new QCPLegend;
        rect->insetLayout()->addElement(key, Qt::AlignTop | Qt::AlignLeft);
        key->setLayer("legend");
        key->setRowSpacing(-3);
        key->setMargins({4, 1, 4, 1});
        QFont small = font();
        small.setPointSizeF(small.pointSizeF() * 0.85);
        key->setFont(small);
        key->setIconSize(14, 10);
        series_.push_back({rect, kind, {}, key});
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
        rect->setMargins({0, 4, 8, 2});
        ticker->setTickCount(7);
    }
    lanesRect_->setMaximumSize(QWIDGETSIZE_MAX,
                               std::max<int>(static_cast<int>(rows_.size()), 2) * mostLane + 40);
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
    if (!r.contains(at)) {
        return std::nullopt;
    }
    return hitLanes(*document_.snapshot(), rows_, document_.view(), layoutNow(), r.size(), at - r.topLeft());
}

bool TimelinePlot::takesDrag(const QPoint &at) {
    if (!strip_->rect().contains(at)) {
        return false;
    }
    const QRect r = strip_->rect();
    const TimeScale whole{document_.snapshot()->whole, static_cast<double>(r.left()),
                          static_cast<double>(r.width())};
    const std::int64_t t = whole.toTime(at.x());
    if (!document_.view().contains(t)) {
        document_.setView({t - document_.view().length() / 2, t + document_.view().length() / 2});
    }
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
        if (middle > 0 && middle < lanesRect_->height()) {
            ticks.insert(middle, rows_[i].label);
        }
    }
    static_cast<QCPAxisTickerText *>(left->ticker().data())->setTicks(ticks);
    if (!dirty_) {
        return;
    }
    dirty_ = false;
    lines_.clear();
    const Snapshot &s = *document_.snapshot();
    const auto &sessions = document_.throughputReport()->session_figures;
    const Theme t = theme();
    for (SeriesRect &series : series_) {
        auto lines = laneLines(series.kind, s, sessions ? &*sessions : nullptr, document_.view(),
                               std::max(series.rect->width(), 100));
        while (series.graphs.size() < lines.size()) {
            series.graphs.push_back(
                addGraph(series.rect->axis(QCPAxis::atBottom), series.rect->axis(QCPAxis::atLeft)));
        }
        constexpr std::size_t mostNamed = 6; // more would hide the lines; the colours then go by connection
        series.legend->clearItems();
        series.legend->setBrush(
            QBrush(QColor(t.background.red(), t.background.green(), t.background.blue(), 200)));
        series.legend->setTextColor(t.text);
        series.legend->setBorderPen(Qt::NoPen);
        series.legend->setVisible(!lines.empty() && lines.size() <= mostNamed);
        double most = 0;
        for (std::size_t i = 0; i < series.graphs.size(); ++i) {
            QCPGraph *g = series.graphs[i];
            if (i >= lines.size()) {
                g->data()->clear();
                continue;
            }
            const LaneLine &line = lines[i];
            g->setData(line.x, line.y, true);
            g->setName(line.name);
            if (lines.size() <= mostNamed) {
                g->addToLegend(series.legend);
            }
            g->setPen(QPen(t.legible(line.color), 1,
                           line.style == LineStyle::dashed ? Qt::DashLine : Qt::SolidLine));
            g->setLineStyle(line.style == LineStyle::points ? QCPGraph::lsNone : QCPGraph::lsLine);
            g->setScatterStyle(line.style == LineStyle::points ? QCPScatterStyle(QCPScatterStyle::ssSquare, 2)
                                                               : QCPScatterStyle::ssNone);
            for (const double y : line.y) {
                most = y > most ? y : most; // false for NaN
            }
        }
        series.rect->axis(QCPAxis::atLeft)->setRange(0, most > 0 ? most * 1.08 : 1);
        lines_.push_back(std::move(lines));
    }
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

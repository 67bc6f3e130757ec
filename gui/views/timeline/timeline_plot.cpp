// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/timeline/timeline_plot.h"

#include "gui/models/words.h"
#include "gui/views/timeline/lane_legend.h"
#include "gui/views/timeline/timeline_layers.h"
#include "gui/views/timeline/tracks/track_column.h"

#include <cmath>

namespace iscsiscope::gui {
namespace {

constexpr int stripHeight = 40, rightMargin = 14;

} // namespace

TimelinePlot::TimelinePlot(Document &document, QWidget *parent) : TimePlot(document, parent) {
    setObjectName("timelinePlot");
    setAccessibleName(tr("Timeline of cycles and gaps"));
    plotLayout()->clear();
    const auto rectFor = [this](int row) {
        auto *rect = new QCPAxisRect(this);
        plotLayout()->addElement(row, 0, rect);
        rect->setAutoMargins(QCP::msNone);
        rect->axis(QCPAxis::atBottom)->setTickLabels(false);
        rect->axis(QCPAxis::atBottom)->grid()->setVisible(false);
        rect->axis(QCPAxis::atLeft)->grid()->setVisible(false);
        return rect;
    };
    strip_ = rectFor(0);
    strip_->setMaximumSize(QWIDGETSIZE_MAX, stripHeight);
    strip_->setMinimumSize(10, stripHeight);
    strip_->axis(QCPAxis::atLeft)->setTicks(false);
    strip_->axis(QCPAxis::atBottom)->setTicks(false);
    lanesRect_ = rectFor(1);
    lanesRect_->setMinimumSize(10, 48);
    lanesRect_->axis(QCPAxis::atLeft)->setTicks(false);
    const LanesPaint paint{
        document_, tracks_, matched_, pending_, [this] { return layoutNow(); }, [this] { return theme(); }};
    stripImage_ = new LanesPlottable(strip_, paint, true);
    lanesImage_ = new LanesPlottable(lanesRect_, paint, false);
    incidents_ = new IncidentsPlottable(lanesRect_, paint);
    (new OutlinePlottable(lanesRect_, paint))->setLayer("chosen");
    column_ = new TrackColumn(
        this, {tracks_.rows(), [this] { return layoutNow(); }, [this] { return lanesRect_->rect(); },
               [this] { return theme(); }, [this] { return current_; },
               [this] {
                   std::vector<TrackColumn::Heading> list{{strip_->rect(), tr("all connections")}};
                   for (std::size_t i = 0; i < series_.size(); ++i) {
                       QString text = laneTitle(series_[i].kind);
                       if (i < contents_.size() && contents_[i].interval)
                           text += '\n' + tr("each %1").arg(durationWords(*contents_[i].interval));
                       list.push_back({series_[i].rect->rect(), text});
                   }
                   return list;
               }});
    plotLayout()->setRowSpacing(0);
    kinds_ = {LaneKind::throughput, LaneKind::cwnd};
    connect(&document, &Document::snapshotChanged, this, [this] {
        tracks_.setSnapshot(*document_.snapshot(), false);
        rebuild();
    });
    connect(&document, &Document::opened, this, [this] {
        tracks_.setSnapshot(*document_.snapshot(), true);
        current_.reset();
        yZoom_.clear();
        hidden_.clear();
        scrolled_ = 0;
        rebuild();
    });
    connect(
        &document, &Document::throughputChanged, this,
        [this] {
            dirty_ = true;
            follow();
        });
    connect(&document, &Document::viewChanged, this, [this] { dirty_ = true; });
    for (const auto signal : {&Document::rangeChanged, &Document::filtersChanged, &Document::matchesChanged})
        connect(&document, signal, this, &TimelinePlot::updateMatched);
    connect(this, &QCustomPlot::beforeReplot, this, &TimelinePlot::refresh);
    tracks_.setSnapshot(*document.snapshot(), true);
    rebuild();
}

void TimelinePlot::setLanes(std::vector<LaneKind> kinds) {
    kinds_ = std::move(kinds);
    rebuild();
}

void TimelinePlot::setThroughput(const ThroughputChoice &c) {
    throughput_ = c;
    dirty_ = true;
    replot(QCustomPlot::rpQueuedReplot);
}

void TimelinePlot::setIncidentsShown(const std::array<bool, incidentKinds> &shown) {
    incidentsShown_ = shown;
    incidents_->setShown(shown);
    replot(QCustomPlot::rpQueuedReplot);
}

void TimelinePlot::rebuild() {
    stripImage_->forget();
    lanesImage_->forget();
    updateMatched();
    for (const SeriesRect &s : series_) {
        for (QCPGraph *g : s.graphs)
            removeGraph(g);
        removePlottable(s.highlight);
        removePlottable(s.parts);
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
        auto *rect = new QCPAxisRect(this);
        plotLayout()->addElement(plotLayout()->rowCount(), 0, rect);
        rect->setMinimumSize(10, 44);
        rect->axis(QCPAxis::atLeft)->ticker()->setTickCount(3);
        rect->axis(QCPAxis::atBottom)->setTickLabels(false);
        auto *parts = new PartsPlottable(rect);
        auto *highlight = new HighlightPlottable(rect);
        highlight->setLayer("chosen");
        series_.push_back({rect, kind, {}, key, highlight, parts});
        all << rect;
    }
    QSharedPointer<QCPAxisTicker> ticker(new SecondsTicker);
    ticker->setTickCount(7);
    for (QCPAxisRect *rect : all) {
        QCPAxis *bottom = rect->axis(QCPAxis::atBottom);
        const bool last = rect == all.back();
        bottom->setTicker(ticker);
        bottom->setTickLabels(last);
        bottom->setLabel(last ? tr("time since the first frame, s") : QString());
        rect->setAutoMargins(QCP::msNone);
    }
    plotLayout()->setRowStretchFactor(1, tracks_.rows().size() > 8 ? 2 : 1);
    applyTheme(*this, theme());
    column_->forgetNames();
    columnWidth_ = 0;
    dirty_ = true;
    setTimeRects(all);
    tracksMoved();
}

// Rows of tracks have come, gone or changed their heights.
void TimelinePlot::tracksMoved() {
    const TrackLayout most = tracks_.layout(1'000'000, 0);
    lanesRect_->setMaximumSize(QWIDGETSIZE_MAX,
                               std::max(static_cast<int>(most.total), 80) + (kinds_.empty() ? 1 : 0));
    lanesImage_->forget();
    if (auto streams = tracks_.allStreams(); streams != stripStreams_) {
        stripImage_->forget(); // it has the order of the tracks
        stripStreams_ = std::move(streams);
    }
    scrolled_ = std::clamp(scrolled_, 0, std::max(lanesHeight() - lanesVisible(), 0));
    emit lanesChanged();
    emit tracksChanged();
    replot(QCustomPlot::rpQueuedReplot);
}

void TimelinePlot::changeTracks(const std::function<void(TrackList &)> &change) {
    change(tracks_);
    if (current_ && !tracks_.rowOf(*current_))
        current_.reset();
    tracksMoved();
}

TrackLayout TimelinePlot::layoutNow() const {
    return tracks_.layout(lanesRect_->height(), scrolled_);
}

int TimelinePlot::lanesHeight() const {
    return static_cast<int>(layoutNow().total);
}

int TimelinePlot::lanesVisible() const {
    return lanesRect_->height();
}

void TimelinePlot::scrollTo(int pixels) {
    scrolled_ = std::clamp(pixels, 0, std::max(lanesHeight() - lanesVisible(), 0));
    replot(QCustomPlot::rpQueuedReplot);
}

// What matches range and filters, for the lanes; worked out beside the window.
void TimelinePlot::updateMatched() {
    const SnapshotPtr s = document_.snapshot();
    const bool limited = document_.range().has_value() || !document_.filters().isEmpty();
    if (matched_ && (!limited || matched_->rows.size() != s->tables.cycles.size()))
        discard(std::exchange(matched_, nullptr));
    pending_ = limited;
    if (limited) {
        matchedJob_.run(
            this,
            [s, matches = document_.matches()](const std::atomic<bool> &stop) {
                return MatchedLanes::build(s->tables, *matches, stop);
            },
            [this](std::shared_ptr<const MatchedLanes> m) {
                pending_ = false;
                if (m && m->rows.size() == document_.snapshot()->tables.cycles.size())
                    discard(std::exchange(matched_, std::move(m)));
                replot(QCustomPlot::rpQueuedReplot);
            });
    } else {
        matchedJob_.stop();
    }
    replot(QCustomPlot::rpQueuedReplot);
}

// All are fixed: the same at any zoom, whatever the labels of the axes.
void TimelinePlot::setMargins() {
    const QCPAxis *time = lanesRect_->axis(QCPAxis::atBottom);
    const int labels =
        QFontMetrics(time->tickLabelFont()).height() + QFontMetrics(time->labelFont()).height() + 14;
    strip_->setMargins({columnWidth_, 2, rightMargin, 2});
    lanesRect_->setMargins({columnWidth_, 2, rightMargin, kinds_.empty() ? labels : 4});
    for (const SeriesRect &s : series_) {
        const bool last = &s == &series_.back();
        s.legend->setMargins({columnWidth_, 0, rightMargin, 0});
        s.rect->setMargins({columnWidth_, 2, rightMargin, last ? labels : 4});
    }
}

// Before each drawing: the lines need the width that they are drawn in, so the layout comes first. The widths
// depend on the names of the tracks alone, never on the lines.
void TimelinePlot::refresh() {
    const int column = column_->widthFor(width());
    if (column != columnWidth_) {
        columnWidth_ = column;
        setMargins();
        dirty_ = true;
    }
    if (!dirty_)
        return;
    dirty_ = false;
    updateLayout();
    for (const SeriesRect &series : series_)
        series.highlight->setLines({}); // they go now
    hovered_ = {};
    contents_.clear();
    const Snapshot &s = *document_.snapshot();
    const auto &sessions = document_.throughputReport()->session_figures;
    const Theme t = theme();
    for (SeriesRect &series : series_) {
        LaneContent content = laneContent(series.kind, s, sessions ? &*sessions : nullptr, document_.view(),
                                          std::max(series.rect->width(), 1), throughput_);
        refreshLines(series, content, t);
        contents_.push_back(std::move(content));
    }
}

void TimelinePlot::refreshLines(SeriesRect &series, LaneContent &content, const Theme &t) {
    while (series.graphs.size() < content.lines.size()) {
        series.graphs.push_back(
            addGraph(series.rect->axis(QCPAxis::atBottom), series.rect->axis(QCPAxis::atLeft)));
    }
    std::vector<bool> hiddenKeys;
    for (const LaneKey &k : content.keys)
        hiddenKeys.push_back(hidden(series.kind, k.text));
    series.legend->setContent(content.keys, hiddenKeys, content.leftOut, t, series.rect->width());
    series.highlight->setTheme(t);
    series.parts->setParts(content.parts, t);
    double most = 0;
    for (std::size_t i = 0; i < series.graphs.size(); ++i) {
        QCPGraph *g = series.graphs[i];
        if (i >= content.lines.size() || lineHidden(series.kind, content, i)) {
            g->data()->clear();
            continue;
        }
        const LaneLine &line = content.lines[i];
        g->setData(line.x, line.y, true);
        g->setName(line.name);
        const bool points = line.style == LineStyle::points;
        g->setAntialiased(false); // steps
        g->setPen(QPen(t.legible(line.color), 1, penStyleOf(line.style)));
        g->setLineStyle(points ? QCPGraph::lsNone : QCPGraph::lsLine);
        g->setScatterStyle(points ? QCPScatterStyle(QCPScatterStyle::ssSquare, 2)
                                  : QCPScatterStyle(QCPScatterStyle::ssNone));
        for (const double y : line.y)
            most = y > most ? y : most; // false for NaN
    }
    const auto zoom = yZoom_.find(series.kind);
    const double factor = zoom == yZoom_.end() ? 1 : zoom->second;
    series.rect->axis(QCPAxis::atLeft)->setRange(0, (most > 0 ? most * 1.08 : 1) / factor);
}

bool TimelinePlot::hidden(LaneKind kind, const QString &key) const {
    const auto keys = hidden_.find(kind);
    return keys != hidden_.end() && keys->second.contains(key);
}

void TimelinePlot::setHidden(LaneKind kind, const QString &key, bool hide) {
    if (hide)
        hidden_[kind].insert(key);
    else
        hidden_[kind].erase(key);
    dirty_ = true;
    replot(QCustomPlot::rpQueuedReplot);
}

bool TimelinePlot::lineHidden(LaneKind kind, const LaneContent &content, std::size_t line) const {
    return std::any_of(
        content.keys.begin(), content.keys.end(),
        [&](const LaneKey &k) {
            return hidden(kind, k.text) && std::find(k.lines.begin(), k.lines.end(), line) != k.lines.end();
        });
}

double TimelinePlot::greatestShown(std::size_t lane) const {
    return lane < series_.size() ? series_[lane].rect->axis(QCPAxis::atLeft)->range().upper : 0;
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

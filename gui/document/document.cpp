// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/document/document.h"

#include "gui/document/file_state.h"
#include "gui/document/frame_search.h"

#include <algorithm>
#include <cmath>

namespace iscsiscope::gui {

using namespace std::chrono_literals;

QThreadPool &workers() {
    static QThreadPool pool;
    return pool;
}

namespace {

// Ends a reading where that of the snapshot had been cancelled, if it was.
StopObserver readAsFar(const Snapshot &s, const std::atomic<bool> &stop) {
    return s.cancelled ? StopObserver(stop, s.report->capture.info.frames) : StopObserver(stop);
}

} // namespace

Document::Document(QObject *parent) : QObject(parent) {
    workers().setMaxThreadCount(std::max(4, QThread::idealThreadCount()));
    clock_.start();
    watch_.setInterval(lookEvery);
    connect(&watch_, &QTimer::timeout, this, &Document::watchFiles);
    watch_.start();
}

Document::~Document() {
    if (looking_)
        *looking_ = true;
    rememberState();
    discard(std::move(snapshot_));
}

void Document::open(const QStringList &files, FileUnion are) {
    reloading_ = false;
    startReading({files, are});
}

void Document::startReading(const CaptureFiles &capture) {
    loading_ = capture.files;
    shownOfThisLoad_ = false;
    loader_ = std::make_unique<CaptureLoader>(); // abandons the one before
    connect(loader_.get(), &CaptureLoader::progressed, this, &Document::progressed);
    if (!reloading_)
        connect(loader_.get(), &CaptureLoader::partial, this, &Document::take);
    connect(loader_.get(), &CaptureLoader::finished, this, [this](const SnapshotPtr &s) {
        loader_.release()->deleteLater();
        if (reloading_)
            takeAgain(s);
        else
            take(s);
        emit loadingChanged();
    });
    connect(loader_.get(), &CaptureLoader::failed, this, [this](const QString &sentence) {
        loader_.release()->deleteLater();
        reloading_ = false;
        emit loadingChanged();
        emit failed(sentence);
    });
    FigureRequest request;
    static_cast<CaptureFiles &>(request) = capture;
    loader_->start(request);
    emit loadingChanged();
}

void Document::cancelLoading() {
    if (loader_)
        loader_->cancel();
}

void Document::show(SnapshotPtr s) {
    loader_.reset();
    shownOfThisLoad_ = false;
    take(std::move(s));
}

void Document::take(SnapshotPtr s) {
    const bool fresh = !shownOfThisLoad_;
    if (fresh)
        rememberState(); // of what was open
    const bool whole = fresh || view_ == kept(snapshot_->whole, snapshot_->whole);
    discard(std::exchange(snapshot_, std::move(s)));
    shownOfThisLoad_ = true;
    if (whole)
        view_ = snapshot_->whole;
    if (fresh) {
        history_.clear();
        range_.reset();
        selection_ = {};
        filters_.clear();
        marks_.clear();
        changes_ = {};
        ignored_.clear();
        recallState();
    }
    // Rows keep their numbers from snapshot to snapshot of one load, so the selection stays valid.
    emit snapshotChanged();
    if (fresh) {
        emit opened();
        emit rangeChanged();
        emit selectionChanged();
        emit filtersChanged();
        emit marksChanged();
        emit fileChangesChanged();
    }
    emit viewChanged();
    updateMatches();
    updateFigures();
    chooseInterval();
    if (wantedFrame_)
        findFrame(*wantedFrame_);
}

void Document::setView(Interval v, bool remember) {
    const Interval next = kept(v, snapshot_->whole);
    if (next == view_)
        return;
    if (remember)
        history_.leave(view_);
    view_ = next;
    emit viewChanged();
}

void Document::stepView(Interval v) {
    const Interval next = kept(v, snapshot_->whole);
    if (next == view_)
        return;
    history_.step(view_, clock_.elapsed());
    setView(next, false);
}

void Document::zoomAt(Time fixed, double factor) {
    stepView(zoomed(view_, fixed, factor, snapshot_->whole));
}

void Document::pan(Duration by) {
    stepView(panned(view_, by, snapshot_->whole));
}

void Document::fitAll() {
    setView(snapshot_->whole);
}

void Document::fitSelection() {
    if (selection_.cycle) {
        const Time from = snapshot_->tables.cycles.start(*selection_.cycle);
        const Time to = snapshot_->tables.cycles.end(*selection_.cycle);
        const Duration margin = std::max((to - from) / 10, shortestView);
        setView({from - margin, to + margin});
    } else if (range_) {
        setView(*range_);
    } else {
        fitAll();
    }
}

void Document::goBack() {
    if (const auto v = history_.back(view_))
        setView(*v, false);
}

void Document::goForward() {
    if (const auto v = history_.forward(view_))
        setView(*v, false);
}

void Document::setRange(std::optional<Interval> r) {
    if (r && r->empty())
        r.reset();
    if (r == range_)
        return;
    range_ = r;
    emit rangeChanged();
    updateMatches();
    updateFigures();
}

Time Document::snapped(Time t, Duration within) const {
    Time best = t;
    Duration distance = within + 1ns;
    for (const auto &[stream, lane] : snapshot_->lanes->cycles) {
        const auto [first, last] = lane.placesIn(snapshot_->tables.cycles, {t - within, t + within + 1ns});
        for (std::size_t i = first; i < std::min(last, first + 64); ++i) {
            for (const Time edge :
                 {snapshot_->tables.cycles.start(lane.row(i)), snapshot_->tables.cycles.end(lane.row(i))}) {
                if (std::chrono::abs(edge - t) < distance) {
                    distance = std::chrono::abs(edge - t);
                    best = edge;
                }
            }
        }
    }
    return best;
}

void Document::selectCycle(std::optional<Row> row) {
    selection_ = {};
    if (row && *row < snapshot_->tables.cycles.size()) {
        selection_.cycle = row;
        selection_.frame = snapshot_->tables.cycles.firstFrame(*row);
        selection_.time = snapshot_->tables.cycles.start(*row);
    }
    emit selectionChanged();
}

void Document::selectFrame(FrameNumber frame, Time time) {
    selection_.frame = frame;
    selection_.time = time;
    emit selectionChanged();
}

void Document::findFrame(FrameNumber frame) {
    wantedFrame_ = snapshot_->complete ? std::nullopt : OptionalFrame(frame);
    frameJob_.run(
        this,
        [snapshot = snapshot_, frame](const std::atomic<bool> &stop) {
            return frameIn(*snapshot, frame, stop);
        },
        [this, frame](const std::optional<FoundFrame> &found) {
            if (!found) {
                if (snapshot_->complete)
                    emit frameNotFound(frame);
                return;
            }
            wantedFrame_.reset();
            selectCycle(found->cycle);
            selection_.frame = frame;
            const auto list = steps();
            for (std::size_t i = 0; i < list.size(); ++i)
                if (list[i].frame == frame)
                    selection_.step = i;
            if (found->time)
                selection_.time = *found->time;
            emit selectionChanged();
            if (found->cycle)
                fitSelection();
            else if (!view_.contains(selection_.time))
                setView({selection_.time - view_.length() / 2, selection_.time + view_.length() / 2});
        });
}

void Document::moveCycle(int by) {
    const CycleStore &cycles = snapshot_->tables.cycles;
    if (cycles.size() == 0)
        return;
    if (!selection_.cycle) {
        // The first that begins in the view.
        for (const auto &[stream, lane] : snapshot_->lanes->cycles) {
            const auto [first, last] = lane.placesIn(cycles, view_);
            if (first < last) {
                selectCycle(lane.row(first));
                return;
            }
        }
        selectCycle(0);
        return;
    }
    const auto lane = snapshot_->lanes->cycles.find(cycles.stream(*selection_.cycle));
    if (lane == snapshot_->lanes->cycles.end())
        return;
    std::size_t place = lane->second.placeBefore(cycles, cycles.start(*selection_.cycle));
    while (place > 0 && place < lane->second.size() && lane->second.row(place) != *selection_.cycle)
        --place; // several begin at the same nanosecond
    const auto next = static_cast<std::ptrdiff_t>(place) + by;
    if (next >= 0 && next < static_cast<std::ptrdiff_t>(lane->second.size())) {
        selectCycle(lane->second.row(static_cast<std::size_t>(next)));
        const Time t = selection_.time;
        if (!view_.contains(t))
            setView({t - view_.length() / 2, t + view_.length() / 2});
    }
}

std::vector<CycleStep> Document::steps() const {
    return selection_.cycle ? stepsOf(snapshot_->tables, *selection_.cycle) : std::vector<CycleStep>{};
}

void Document::moveStep(int by) {
    const auto list = steps();
    if (list.empty()) {
        moveCycle(1);
        return;
    }
    const auto last = static_cast<std::ptrdiff_t>(list.size()) - 1;
    const auto next = std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(selection_.step) + by, 0, last);
    selection_.step = static_cast<std::size_t>(next);
    selection_.frame = list[selection_.step].frame;
    selection_.time = list[selection_.step].time;
    emit selectionChanged();
}

std::optional<QString> Document::addFilter(const QString &expression) {
    const std::string text = expression.trimmed().toStdString();
    const auto result = Expression::compile(text, ColumnNames(cycle_table()));
    if (!result.ok())
        return QString::fromStdString(result.failure().show(text));
    filters_ << QString::fromStdString(text);
    emit filtersChanged();
    updateMatches();
    updateFigures();
    return std::nullopt;
}

void Document::removeFilter(int index) {
    if (index >= 0 && index < filters_.size()) {
        filters_.removeAt(index);
        emit filtersChanged();
        updateMatches();
        updateFigures();
    }
}

std::string Document::filterExpression() const {
    if (filters_.size() == 1)
        return filters_.front().toStdString();
    std::string all;
    for (const QString &f : filters_)
        all += (all.empty() ? "(" : " and (") + f.toStdString() + ")";
    return all;
}

void Document::updateMatches() {
    const auto range = range_;
    matchesJob_.run(
        this,
        [snapshot = snapshot_, range, filter = filterExpression()](const std::atomic<bool> &stop) {
            auto rows = std::make_shared<std::vector<Row>>();
            const CycleStore &cycles = snapshot->tables.cycles;
            std::optional<Expression> expression;
            if (!filter.empty()) {
                auto compiled = Expression::compile(filter, ColumnNames(cycle_table()));
                if (compiled.ok())
                    expression = std::move(compiled.value());
            }
            rows->reserve(range || expression ? 0 : cycles.size());
            for (std::size_t i = 0; i < cycles.size(); ++i) {
                if (i % 4096 == 0 && stop)
                    break;
                const auto row = static_cast<Row>(i);
                if (range && !range->contains(cycles.end(row)))
                    continue; // a cycle belongs to a range by its end
                if (expression) {
                    const CycleRecord record = cycles.record(row);
                    if (!expression->holds(&record))
                        continue;
                }
                rows->push_back(row);
            }
            return Matches(std::move(rows));
        },
        [this](const Matches &m) {
            discard(std::exchange(matches_, m));
            emit matchesChanged();
        });
}

void Document::updateFigures() {
    if (!range_ && filters_.isEmpty()) {
        figuresJob_.stop();
        figures_ = snapshot_->report;
        emit figuresChanged();
        return;
    }
    FigureRequest request;
    static_cast<CaptureFiles &>(request) = *snapshot_;
    request.filter = filterExpression();
    if (range_)
        request.range = rangeOf(range_->from, range_->to, snapshot_->origin);
    figuresJob_.run(
        this,
        [request, snapshot = snapshot_](const std::atomic<bool> &stop) {
            // From the file, so that frames, PDUs and TCP are counted too.
            StopObserver stopper = readAsFar(*snapshot, stop);
            if (!request.files.isEmpty() && snapshot->complete &&
                changesOf(snapshot->states, statesOf(request.files)).changed.empty()) {
                auto made = makeReport(request, nullptr, &stopper);
                if (auto *report = std::get_if<ReportPtr>(&made))
                    return *report;
            }
            return replayReport(snapshot->tables, *snapshot->report, request.range, request.filter, stop);
        },
        [this](const ReportPtr &report) {
            figures_ = report;
            emit figuresChanged();
        });
    emit figuresChanged(); // figuresPending() has become true
}

void Document::setThroughputInterval(Duration interval) {
    interval_ = interval;
    if (snapshot_->files.isEmpty() || !snapshot_->complete)
        return;
    FigureRequest request;
    static_cast<CaptureFiles &>(request) = *snapshot_;
    request.interval = interval;
    intervalJob_.run(
        this,
        [request, snapshot = snapshot_](const std::atomic<bool> &stop) {
            if (!changesOf(snapshot->states, statesOf(request.files)).changed.empty())
                return std::make_shared<const Report>();
            StopObserver stopper = readAsFar(*snapshot, stop);
            auto made = makeReport(request, nullptr, &stopper);
            auto *report = std::get_if<ReportPtr>(&made);
            return report != nullptr ? *report : std::make_shared<const Report>();
        },
        [this](const ReportPtr &report) {
            intervalReport_ = report;
            emit throughputChanged();
        });
}

void Document::chooseInterval() {
    // 5 s are too long for a capture of ten: then about forty intervals of a round length.
    const double length = inNs(snapshot_->whole.length());
    intervalReport_ = snapshot_->report;
    interval_ = std::chrono::seconds{5};
    emit throughputChanged();
    if (snapshot_->complete && length < 50e9) {
        const double wanted = std::max(length / 40, 1e6);
        const double power = std::pow(10.0, std::floor(std::log10(wanted)));
        const double digit = wanted / power;
        setThroughputInterval(Duration{std::llround(power * (digit < 2 ? 2 : digit < 5 ? 5 : 10))});
    }
}

bool Document::clear() {
    if (selection_.cycle || selection_.frame) {
        selectCycle(std::nullopt);
        return true;
    }
    const bool had = range_.has_value();
    setRange(std::nullopt);
    return had;
}

void Document::rememberState() {
    if (remembers_ && snapshot_ && !snapshot_->files.isEmpty() && snapshot_->complete)
        saveView(snapshot_->files.front(), view_);
}

void Document::recallState() {
    if (snapshot_->files.isEmpty())
        return;
    marks_ = loadMarks(snapshot_->files.front());
    if (const auto view = loadView(snapshot_->files.front()); remembers_ && view && snapshot_->complete)
        view_ = kept(*view, snapshot_->whole);
}

} // namespace iscsiscope::gui

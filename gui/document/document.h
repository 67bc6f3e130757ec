// SPDX-License-Identifier: GPL-2.0-or-later
// Document holds the open capture with selection, range, filters, marks and view. Views show and change it
// and know no other view. It is used in the thread of the windows; jobs run in the background.
#pragma once

#include "gui/document/capture_loader.h"
#include "gui/document/snapshot.h"
#include "gui/document/stores/cycle_steps.h"
#include "gui/document/view_history.h"

#include "analyzer/query/expression.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <memory>
#include <optional>
#include <vector>

namespace iscsiscope::gui {

struct Mark {
    Time time;
    QString text;
};

struct Selection {
    std::optional<Row> cycle;
    std::size_t step = 0; // of stepsOf(cycle)
    OptionalFrame frame;
    Time time; // of the frame, or of the cycle's start
};

// The rows of cycles that filters and range select, in order of arrival.
using Matches = std::shared_ptr<const std::vector<Row>>;

class Document : public QObject {
    Q_OBJECT
public:
    explicit Document(QObject *parent = nullptr);
    ~Document() override;

    // Opens a capture; several files make one. The old one stays until the first snapshot of the new one.
    void open(const QStringList &files, FileUnion = FileUnion::joined);
    void cancelLoading();
    bool loading() const { return loader_ != nullptr; }
    // Shows a snapshot that has no file.
    void show(SnapshotPtr);
    const SnapshotPtr &snapshot() const { return snapshot_; } // never null
    bool empty() const { return snapshot_->files.isEmpty() && snapshot_->tables.cycles.size() == 0; }

    // The interval of time that views show.
    Interval view() const { return view_; }
    void setView(Interval, bool remember = true);
    // Like setView(), as a step of a gesture (ViewHistory): goBack() undoes the whole gesture.
    void stepView(Interval);
    void zoomAt(Time fixed, double factor);
    void pan(Duration by);
    // Between these two, as while a mouse button is held, all steps are one gesture.
    void beginGesture() { history_.hold(); }
    void endGesture() { history_.release(); }
    bool inGesture() const { return history_.inGesture(clock_.elapsed()); }
    void fitAll();
    void fitSelection(); // the selected cycle, else the range, else all
    void goBack();
    void goForward();

    // The interval of time that figures are made for; empty: the whole capture.
    const std::optional<Interval> &range() const { return range_; }
    void setRange(std::optional<Interval>);
    // Returns the nearest begin or end of a cycle within this distance, else t itself.
    Time snapped(Time t, Duration within) const;

    const Selection &selection() const { return selection_; }
    void selectCycle(std::optional<Row>);
    void selectFrame(FrameNumber, Time time);
    // Searches the frame in the background (frame_search.h) and selects it, with its cycle if it has one;
    // frameNotFound(): nothing is known of it.
    void findFrame(FrameNumber);
    void moveCycle(int by); // next (1) or previous (-1) of its connection
    void moveStep(int by);
    std::vector<CycleStep> steps() const; // of the selected cycle

    const QStringList &filters() const { return filters_; }
    // Adds a filter. Returns three lines that show the place of a mistake; the filter is then not added.
    std::optional<QString> addFilter(const QString &expression);
    void removeFilter(int index);
    std::string filterExpression() const;               // all of them, joined; empty: none
    const Matches &matches() const { return matches_; } // never null

    // The report of range and filters, or of the whole capture without them. Never null.
    const ReportPtr &figures() const { return figures_; }
    bool figuresPending() const { return figuresJob_.running(); }

    // Session figures for the throughput lanes, by intervals of this length (T_m). Never null.
    const ReportPtr &throughputReport() const { return intervalReport_; }
    Duration throughputInterval() const { return interval_; }
    void setThroughputInterval(Duration);

    const std::vector<Mark> &marks() const { return marks_; }
    // Sets a mark there, or removes the one within this distance. Returns the mark that was set.
    std::optional<Mark> toggleMark(Time time, Duration within);
    void renameMark(std::size_t index, const QString &);
    void removeMark(std::size_t index);
    // Moves the view, its length kept, so that the time is at its middle.
    void showTime(Time time);

    // What became of the files since they were read: looked for every second or so, in the background.
    const FileChanges &fileChanges() const { return changes_; }
    // Those of them that the user has not been content with: a file that grows on is no news.
    FileChanges fileNews() const;
    void ignoreFileChanges();
    // Reads the files again. Range, filters, view, marks and the selected cycle, found by its number and its
    // command's frame, are kept; what was read before stays in sight until the reading has ended.
    void reload();
    // Whether the files, as far as known, are those that were read: if not, figures come from memory, without
    // what only the file holds.
    bool filesAsRead() const { return changes_.changed.empty(); }

    // Whether the view of each file is remembered in the settings (default: yes).
    void setRemembers(bool yes) { remembers_ = yes; }
    bool remembers() const { return remembers_; }

    // Removes the selection, else the range; filters stay. Returns false if neither was set.
    bool clear();

signals:
    void snapshotChanged();
    void opened(); // another capture than before
    void viewChanged();
    void rangeChanged();
    void selectionChanged();
    void filtersChanged();
    void matchesChanged();
    void figuresChanged();
    void throughputChanged();
    void marksChanged();
    void fileChangesChanged();
    void loadingChanged();
    void progressed(const iscsiscope::gui::LoadProgress &);
    void failed(const QString &sentence);
    void frameNotFound(quint64 frame);

private:
    void startReading(const CaptureFiles &);
    void take(SnapshotPtr);
    void updateMatches();
    void updateFigures();
    void chooseInterval();
    void takeAgain(SnapshotPtr);
    void watchFiles();
    void noteStates(const std::vector<FileState> &now);
    void keepMarks();
    void rememberState();
    void recallState();

    SnapshotPtr snapshot_ = std::make_shared<Snapshot>();
    std::unique_ptr<CaptureLoader> loader_;
    bool shownOfThisLoad_ = false;
    QStringList loading_;
    Interval view_ = spanOfNothing;
    ViewHistory history_;
    QElapsedTimer clock_; // of the gestures
    std::optional<Interval> range_;
    Selection selection_;
    QStringList filters_;
    Matches matches_ = std::make_shared<std::vector<Row>>();
    ReportPtr figures_ = std::make_shared<Report>();
    ReportPtr intervalReport_ = std::make_shared<Report>();
    Duration interval_ = std::chrono::seconds{5};
    std::vector<Mark> marks_;
    FileChanges changes_;
    std::vector<FileChange> ignored_;
    bool reloading_ = false;
    QTimer watch_;
    StopFlag looking_; // null: no look at the files is under way
    bool remembers_ = true;
    OptionalFrame wantedFrame_;
    LatestJob matchesJob_, figuresJob_, frameJob_, intervalJob_;
};

} // namespace iscsiscope::gui

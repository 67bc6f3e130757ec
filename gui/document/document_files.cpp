// SPDX-License-Identifier: GPL-2.0-or-later
// The document's files after they were read: looked at again and again, and read anew.
#include "gui/document/document.h"

#include <QCoreApplication>

#include <algorithm>

namespace iscsiscope::gui {

void Document::watchFiles() {
    if (looking_ || loading() || snapshot_->states.empty() || !snapshot_->complete)
        return;
    looking_ = std::make_shared<std::atomic<bool>>(false);
    // Not one of the workers: nothing that waits for the capture's jobs waits for a look at a file.
    QThreadPool::globalInstance()->start(
        [guard = QPointer<Document>(this), stop = looking_, snapshot = snapshot_] {
            auto now = statesOf(snapshot->files);
            QMetaObject::invokeMethod(
                qApp,
                [guard, stop, snapshot, now = std::move(now)] {
                    if (!guard || *stop)
                        return;
                    guard->looking_.reset();
                    if (guard->snapshot_ == snapshot) // and no other capture was opened meanwhile
                        guard->noteStates(now);
                },
                Qt::QueuedConnection);
        });
}

void Document::noteStates(const std::vector<FileState> &now) {
    FileChanges changes = changesOf(snapshot_->states, now);
    if (changes == changes_)
        return;
    const bool first = changes_.changed.empty();
    changes_ = std::move(changes);
    emit fileChangesChanged();
    if (first && (range_ || !filters_.isEmpty()))
        updateFigures(); // from memory from now on
}

FileChanges Document::fileNews() const {
    FileChanges news;
    for (const FileChange &c : changes_.changed)
        if (std::none_of(ignored_.begin(), ignored_.end(),
                         [&c](const FileChange &i) { return i.path == c.path && i.fate == c.fate; }))
            news.changed.push_back(c);
    return news;
}

void Document::ignoreFileChanges() {
    ignored_ = changes_.changed;
    emit fileChangesChanged();
}

void Document::reload() {
    if (snapshot_->files.isEmpty() || loading())
        return;
    reloading_ = true;
    startReading(*snapshot_);
}

void Document::takeAgain(SnapshotPtr s) {
    reloading_ = false;
    const SnapshotPtr old = snapshot_;
    const Selection chosen = selection_;
    const auto range = range_;
    const bool whole = view_ == kept(old->whole, old->whole);
    snapshot_ = std::move(s);
    changes_ = {};
    ignored_.clear();
    view_ = whole ? snapshot_->whole : kept(view_, snapshot_->whole);
    if (range_) // what is left of it, if another capture has the name now
        range_ = Interval{std::max(range_->from, snapshot_->whole.from),
                          std::min(range_->to, snapshot_->whole.to)};
    if (range_ && range_->empty())
        range_.reset();
    selection_ = {};
    if (chosen.cycle) {
        // The cycle of the same number whose command is in the same frame.
        const CycleRecord wanted = old->tables.cycles.record(*chosen.cycle);
        const CycleStore &cycles = snapshot_->tables.cycles;
        for (std::size_t i = 0; i < cycles.size(); ++i) {
            const auto row = static_cast<Row>(i);
            if (cycles.firstFrame(row) != old->tables.cycles.firstFrame(*chosen.cycle))
                continue;
            const CycleRecord r = cycles.record(row);
            if (r.cycle == wanted.cycle && r.start == wanted.start) {
                selection_ = chosen;
                selection_.cycle = row;
                break;
            }
        }
    } else if (chosen.frame && snapshot_->whole.contains(chosen.time)) {
        selection_ = chosen;
    }
    emit snapshotChanged();
    emit fileChangesChanged();
    if (range_ != range)
        emit rangeChanged();
    emit selectionChanged();
    emit viewChanged();
    updateMatches();
    updateFigures();
    chooseInterval();
    discard(old);
}

} // namespace iscsiscope::gui

// SPDX-License-Identifier: GPL-2.0-or-later
// ExportJob writes a file in a worker thread; it is a widget of the status bar with progress and Cancel.
#pragma once

#include "gui/document/background.h"

#include <QTimer>
#include <QWidget>

#include <functional>
#include <optional>

class QLabel;
class QProgressBar;

namespace iscsiscope::gui {

class ExportJob : public QWidget {
    Q_OBJECT
public:
    // Runs in the worker. Returns a sentence if the file was not written. share: progress, 0 to 1.
    using Work =
        std::function<std::optional<QString>(const std::atomic<bool> &stop, std::atomic<double> &share)>;

    explicit ExportJob(QWidget *parent = nullptr);
    ~ExportJob() override;
    // Starts the work. Returns false if another is under way.
    bool start(const QString &path, Work);
    bool running() const { return stop_ != nullptr; }
    // finished() is emitted once the worker has cleaned up.
    void cancel();

signals:
    void finished(const QString &path, const QString &mistake); // empty: none

private:
    QLabel *text_;
    QProgressBar *bar_;
    QTimer clock_;
    StopFlag stop_; // null: nothing under way
    std::shared_ptr<std::atomic<double>> share_;
};

} // namespace iscsiscope::gui

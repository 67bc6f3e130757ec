// SPDX-License-Identifier: GPL-2.0-or-later
// A file that is written in a worker thread, with progress and Cancel; lives in the status bar.
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
    // In the worker: a sentence if the file is not there in the end. share: 0 to 1.
    using Work =
        std::function<std::optional<QString>(const std::atomic<bool> &stop, std::atomic<double> &share)>;

    explicit ExportJob(QWidget *parent = nullptr);
    ~ExportJob() override;
    // One at a time; false: one is under way.
    bool start(const QString &path, Work);
    bool running() const { return stop_ != nullptr; }
    // finished() tells when the worker has cleaned up.
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

// SPDX-License-Identifier: GPL-2.0-or-later
// The page shown while no capture is open: the captures opened last, the bundled samples, a place to drop
// files on and a button to open some. It opens nothing itself.
#pragma once

#include "gui/views/start/capture_entries.h"

#include <QWidget>

class QFrame;
class QLabel;
class QPushButton;

namespace iscsiscope::gui {

class CaptureList;

class StartPage : public QWidget {
    Q_OBJECT
public:
    explicit StartPage(QWidget *parent = nullptr);
    // Reads the lists anew, in the background.
    void refresh();
    QWidget *firstFocus() const; // the widget that takes keys first
    CaptureList &recent() { return *recent_; }
    CaptureList &samples() { return *samples_; }

signals:
    void openWanted(const QString &path);
    void askWanted(); // for files

protected:
    void showEvent(QShowEvent *) override;
    void changeEvent(QEvent *) override;

private:
    void take(const std::vector<CaptureEntry> &recent, const std::vector<CaptureEntry> &samples);
    void forget(const QString &path);
    void colour();

    QFrame *drop_;
    QPushButton *open_;
    CaptureList *recent_, *samples_;
    QLabel *none_, *hint_;
    QWidget *sampleBox_;
    bool placed_ = false; // the focus has been put somewhere once
};

} // namespace iscsiscope::gui

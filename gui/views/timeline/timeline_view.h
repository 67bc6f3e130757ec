// SPDX-License-Identifier: GPL-2.0-or-later
// The timeline view: the plot with its legend, menu of lines and scroll bar.
#pragma once

#include "gui/document/document.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QMenu;
class QScrollBar;

namespace iscsiscope::gui {

class TimelinePlot;

class TimelineView : public QWidget {
    Q_OBJECT
public:
    explicit TimelineView(Document &, QWidget *parent = nullptr);
    TimelinePlot &plot() { return *plot_; }
    QMenu *lanesMenu() { return menu_; } // actions that show and hide lines
    QLineEdit *find() { return find_; }  // of a track by its name

    // Describes what is at a point of the plot; empty: nothing is.
    QString wordsAt(const QPoint &) const;

signals:
    void packetWanted(OptionalFrame);
    void pointedAt(const QString &time); // time under the pointer, with its unit

protected:
    bool eventFilter(QObject *, QEvent *) override;

private:
    void hover(const QPoint &);
    QMenu *linesMenu();
    QWidget *tracksBar();
    void showCount();

    Document &document_;
    TimelinePlot *plot_;
    QScrollBar *scroll_;
    QMenu *menu_;
    QLineEdit *find_;
    QLabel *count_;
};

} // namespace iscsiscope::gui

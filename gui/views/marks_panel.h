// SPDX-License-Identifier: GPL-2.0-or-later
// The list of marks: time and name. A click or Enter shows the time in the views, F2 or a double click on the
// name renames, Delete removes.
#pragma once

#include "gui/document/document.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QTableWidget;

namespace iscsiscope::gui {

class MarksPanel : public QWidget {
    Q_OBJECT
public:
    explicit MarksPanel(Document &, QWidget *parent = nullptr);
    QTableWidget &list() { return *list_; }

protected:
    bool eventFilter(QObject *, QEvent *) override;

private:
    void fill();
    void showMark(int row);
    void rename();
    void remove();

    Document &document_;
    QTableWidget *list_;
    QLabel *none_;
    QPushButton *rename_, *remove_;
    bool filling_ = false;
};

} // namespace iscsiscope::gui

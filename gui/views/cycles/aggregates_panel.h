// SPDX-License-Identifier: GPL-2.0-or-later
// The panel below table and chart with the aggregates of the selected cycles: which cycles these are, what
// they are grouped by, and what can be done with a box that is drawn over them.
#pragma once

#include "gui/models/aggregates/aggregates_model.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;
class QTableView;

namespace iscsiscope::gui {

class AggregatesPanel : public QWidget {
    Q_OBJECT
public:
    AggregatesPanel(Document &, CycleBrush &, QWidget *parent = nullptr);
    AggregatesModel &model() { return *model_; }
    QComboBox &groupings() { return *groupings_; }
    QPushButton &keepButton() { return *keep_; }
    QTableView &table() { return *table_; }
    QString heading() const; // what the cycles are, and their sums

private:
    void showHeading();
    void showMenu(const QPoint &);

    Document &document_;
    CycleBrush &brush_;
    AggregatesModel *model_;
    QLabel *heading_;
    QComboBox *groupings_;
    QPushButton *keep_, *clear_;
    QTableView *table_;
};

} // namespace iscsiscope::gui

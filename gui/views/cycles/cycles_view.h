// SPDX-License-Identifier: GPL-2.0-or-later
// The cycles view: the table of cycles and a chart of them.
#pragma once

#include "gui/document/document.h"

#include <QWidget>

class QComboBox;
class QLabel;

namespace iscsiscope::gui {

class ChartPlot;
class CycleGrid;
class CycleTableModel;

class CyclesView : public QWidget {
    Q_OBJECT
public:
    explicit CyclesView(Document &, QWidget *parent = nullptr);
    CycleTableModel &model() { return *model_; }
    CycleGrid &grid() { return *grid_; }
    ChartPlot &chart() { return *chart_; }
    QComboBox &kinds() { return *kinds_; }

signals:
    void packetWanted(quint64 frame);

private:
    void followSelection();
    void showCount();

    Document &document_;
    CycleTableModel *model_;
    CycleGrid *grid_;
    ChartPlot *chart_;
    QComboBox *kinds_;
    QLabel *count_;
};

} // namespace iscsiscope::gui

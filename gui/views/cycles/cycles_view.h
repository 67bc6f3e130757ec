// SPDX-License-Identifier: GPL-2.0-or-later
// The cycles view: the table of cycles, a chart of them, and below both the aggregates of those selected.
#pragma once

#include "gui/document/document.h"
#include "gui/models/aggregates/cycle_brush.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QToolButton;

namespace iscsiscope::gui {

class AggregatesPanel;
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
    QToolButton &boxButton() { return *boxes_; }
    AggregatesPanel &aggregates() { return *aggregates_; }
    CycleBrush &brush() { return brush_; }

    // Adds the filter of the cycles like the selected one. Returns false if no cycle is selected.
    bool filterLikeSelected();

signals:
    void packetWanted(OptionalFrame);

protected:
    bool event(QEvent *) override;
    void keyPressEvent(QKeyEvent *) override;

private:
    void followSelection();
    void showCount();
    void showCycleMenu(const QPoint &global);

    Document &document_;
    CycleBrush brush_;
    CycleTableModel *model_;
    CycleGrid *grid_;
    ChartPlot *chart_;
    AggregatesPanel *aggregates_;
    QComboBox *kinds_;
    QToolButton *boxes_;
    QLabel *count_;
};

} // namespace iscsiscope::gui

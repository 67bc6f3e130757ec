// SPDX-License-Identifier: GPL-2.0-or-later
// Chart of the cycles that filters and range select: scatter, heat map, histogram, CDF or LBAs. A drag with
// Ctrl, or in boxes() mode, draws the brush's box; over the distributions, which have no time axis, every
// drag does.
#pragma once

#include "gui/models/aggregates/cycle_brush.h"
#include "gui/models/cycles/cycle_charts.h"
#include "gui/views/time_plot.h"

namespace iscsiscope::gui {

class ChartPlot : public TimePlot {
    Q_OBJECT
public:
    ChartPlot(Document &, CycleBrush &, QWidget *parent = nullptr);
    void setKind(ChartKind);
    ChartKind kind() const { return kind_; }
    bool isDistribution() const { return kind_ == ChartKind::histogram || kind_ == ChartKind::cdf; }
    const ChartData &data() const { return data_; }
    bool pending() const { return job_.running(); }

    void setBoxes(bool on) { boxes_ = on; } // whether a plain drag draws a box
    // Describes what is drawn there; empty: nothing.
    QString tipAt(const QPoint &) const;
    std::optional<Row> cycleAt(const QPoint &) const; // of the nearest point; none: charts without points

signals:
    void changed();

protected:
    void themeChanged() override { drawChart(); }
    void showEvent(QShowEvent *) override;
    void mousePressEvent(QMouseEvent *) override;
    void mouseReleaseEvent(QMouseEvent *) override;
    void wheelEvent(QWheelEvent *) override;
    void leaveEvent(QEvent *) override;
    bool takesDrag(const QPoint &) override;
    void dragged(const QPoint &from, const QPoint &to) override;

private:
    void refresh();
    void drawChart();
    void drawGraphs(const Theme &);
    void drawMap(const Theme &);
    void setAxes();
    void setRanges();
    void removeMap();
    void placeBrush();
    void placeRing();
    // The box between two points of this widget, in the units of the chart.
    CycleBox boxOf(const QPoint &, const QPoint &) const;
    int stepAt(int x) const;           // the first response class of the bar there
    double yValue(double pixel) const; // response time in ns, or LBA
    QString pointTip(Row) const;
    QString cellTip(const QPoint &) const;
    QString classTip(const QPoint &) const;

    CycleBrush &brush_;
    ChartKind kind_ = ChartKind::scatter;
    ChartData data_;
    LatestJob job_;
    QCPColorMap *map_ = nullptr;
    QCPColorScale *scale_ = nullptr; // beside the map, with it
    QCPMarginGroup *margins_;
    QCPItemRect *brushed_;
    QCPItemTracer *ring_; // around the selected cycle's point
    QCPItemText *empty_;  // in place of cycles
    bool stale_ = true, boxes_ = false, drawing_ = false;
    Qt::KeyboardModifiers held_;
    QPoint from_;
};

} // namespace iscsiscope::gui

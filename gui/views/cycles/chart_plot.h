// SPDX-License-Identifier: GPL-2.0-or-later
// Chart of the cycles that filters and range select: scatter, heat map, histogram, CDF or LBAs.
#pragma once

#include "gui/models/cycle_charts.h"
#include "gui/views/time_plot.h"

namespace iscsiscope::gui {

class ChartPlot : public TimePlot {
    Q_OBJECT
public:
    explicit ChartPlot(Document &, QWidget *parent = nullptr);
    void setKind(ChartKind);
    ChartKind kind() const { return kind_; }
    const ChartData &data() const { return data_; }
    bool pending() const { return job_.running(); }

signals:
    void changed();

protected:
    void themeChanged() override { drawChart(); }
    void showEvent(QShowEvent *) override;

private:
    void refresh();
    void drawChart();

    ChartKind kind_ = ChartKind::scatter;
    ChartData data_;
    LatestJob job_;
    QCPColorMap *map_ = nullptr;
    bool stale_ = true;
};

} // namespace iscsiscope::gui

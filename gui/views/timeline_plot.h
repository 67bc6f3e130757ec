// SPDX-License-Identifier: GPL-2.0-or-later
// The timeline's picture: overview strip, lanes, and lines below on the same time axis.
#pragma once

#include "gui/models/lane_series.h"
#include "gui/views/lanes_picture.h"
#include "gui/views/time_plot.h"

namespace iscsiscope::gui {

class LanesPlottable;

class TimelinePlot : public TimePlot {
    Q_OBJECT
public:
    explicit TimelinePlot(Document &, QWidget *parent = nullptr);

    const std::vector<LaneKind> &lanes() const { return kinds_; }
    void setLanes(std::vector<LaneKind>);
    // Pixels of all lanes, of those in sight, and where the first begins.
    int lanesHeight() const;
    int lanesVisible() const;
    void scrollTo(int pixels);
    std::optional<LaneHit> hit(const QPoint &) const;
    const std::vector<LaneRow> &rows() const { return rows_; }
    // The lines that are drawn, as they are drawn; for tests and benchmarks.
    const std::vector<std::vector<LaneLine>> &lines() const { return lines_; }
    void render(); // lines and lanes for the present view, then replot at once

signals:
    void lanesChanged();

protected:
    void themeChanged() override { dirty_ = true; }
    bool takesDrag(const QPoint &) override;
    void dragged(const QPoint &from, const QPoint &to) override;
    void resizeEvent(QResizeEvent *) override;
    void showEvent(QShowEvent *) override;

private:
    friend class LanesPlottable;
    friend class OutlinePlottable;
    void rebuild();
    void refreshLines();
    LanesLayout layoutNow() const;

    QCPAxisRect *strip_, *lanesRect_;
    LanesPlottable *stripImage_, *lanesImage_;
    QCPMarginGroup *margins_;
    std::vector<LaneKind> kinds_;
    std::vector<LaneRow> rows_;
    struct SeriesRect {
        QCPAxisRect *rect;
        LaneKind kind;
        std::vector<QCPGraph *> graphs;
        QCPLegend *legend = nullptr;
    };
    std::vector<SeriesRect> series_;
    std::vector<std::vector<LaneLine>> lines_;
    int scrolled_ = 0;
    bool dirty_ = true;
};

} // namespace iscsiscope::gui

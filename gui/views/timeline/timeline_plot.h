// SPDX-License-Identifier: GPL-2.0-or-later
// The plot of the timeline: overview strip, lanes of connections, and lines below them on the same time axis.
#pragma once

#include "gui/models/timeline/lane_series.h"
#include "gui/views/time_plot.h"
#include "gui/views/timeline/lanes_picture.h"

namespace iscsiscope::gui {

class HighlightPlottable;
class LaneLegend;
class LanesPlottable;

class TimelinePlot : public TimePlot {
    Q_OBJECT
public:
    explicit TimelinePlot(Document &, QWidget *parent = nullptr);

    const std::vector<LaneKind> &lanes() const { return kinds_; }
    void setLanes(std::vector<LaneKind>);
    // Heights in pixels of all lanes and of the visible part.
    int lanesHeight() const;
    int lanesVisible() const;
    void scrollTo(int pixels);
    int scrolled() const { return scrolled_; }
    std::optional<LaneHit> hit(const QPoint &) const;
    const std::vector<LaneRow> &rows() const { return rows_; }
    // The lines drawn below the lanes of connections, in the order of lanes().
    const std::vector<LaneContent> &contents() const { return contents_; }
    // Describes the line or legend entry at this point; empty: none. hover() also highlights it.
    QString lineWordsAt(const QPoint &) const;
    void hover(const QPoint &);
    QRect lineRect(std::size_t lane) const;
    void render(); // computes lines and lanes for the present view and draws at once

signals:
    void lanesChanged();

protected:
    void themeChanged() override { dirty_ = true; }
    bool takesDrag(const QPoint &) override;
    void dragged(const QPoint &from, const QPoint &to) override;
    void keyPressEvent(QKeyEvent *) override;
    void leaveEvent(QEvent *) override;
    void resizeEvent(QResizeEvent *) override;
    void showEvent(QShowEvent *) override;

private:
    struct LineHit {
        std::size_t lane = 0;
        std::vector<std::size_t> lines;
        QString words;
    };
    void rebuild();
    void refreshLines();
    std::optional<LineHit> lineAt(const QPoint &) const;
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
        LaneLegend *legend = nullptr;
        HighlightPlottable *highlight = nullptr;
    };
    std::vector<SeriesRect> series_;
    std::vector<LaneContent> contents_;
    std::pair<std::size_t, std::vector<std::size_t>> hovered_; // lane and its highlighted lines
    int scrolled_ = 0;
    bool dirty_ = true;
};

} // namespace iscsiscope::gui

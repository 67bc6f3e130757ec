// SPDX-License-Identifier: GPL-2.0-or-later
// LanePainter paints the cycles and gaps of connections into rows of pixels.
#pragma once

#include "gui/document/lanes/matched_lanes.h"
#include "gui/document/snapshot.h"
#include "gui/views/timeline/tracks/canvas.h"

namespace iscsiscope::gui {

// All rows are in device pixels. What it refers to must outlive it.
class LanePainter {
public:
    // matched: the cycles that are not dimmed; null: all of them.
    LanePainter(Canvas &, const Snapshot &, const MatchedLanes *matched, Interval view);
    void setBackground(QRgb);

    // The cycles of one connection: each by itself where there is room, else sums.
    void cycles(StreamId stream, int top, int bottom);
    void gaps(StreamId stream, int top, int bottom);
    // Several connections in one, in columns of two pixels: the height of a bar is the mean share of them
    // with a task open.
    void together(const std::vector<StreamId> &streams, int top, int bottom);
    // The same in a single row of pixels: the stronger the colour, the longer a task was open.
    void together(const std::vector<StreamId> &streams, int row);

private:
    using Colors = std::array<QRgb, laneClasses>;
    using Spent = std::vector<std::array<float, laneClasses>>; // ns by column and class

    int column(Time t) const;
    QRgb colorOfRow(Row, std::size_t c) const;
    void gap(GapKind, int x0, int x1, int top, int bottom);
    void bars(const LaneIndex &, std::size_t first, std::size_t last, int top, int bottom);
    void bar(Row, int y0, int y1);
    void withBursts(Row, int y0, int y1);
    void edge(int x0, int x1, int y0, int y1);
    // Makes spent_ (and matchedSpent_) the sum of these connections, in columns of so many pixels.
    void sum(const std::vector<StreamId> &streams, int pixels);
    void add(const LaneIndex &, Spent &) const;
    void add(const LaneNode &, Spent &) const;
    void paintSpent(std::size_t connections, int top, int bottom);

    Canvas &canvas_;
    const Snapshot &snapshot_;
    const MatchedLanes *matched_;
    Interval view_;
    TimeScale scale_;
    QRgb background_ = 0;
    Colors colors_{}, dimmed_{}; // dimmed: over this background
    Spent spent_, matchedSpent_;
    int columnPixels_ = 1; // of a column of spent_
};

} // namespace iscsiscope::gui

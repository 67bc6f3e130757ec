// SPDX-License-Identifier: GPL-2.0-or-later
// Paints lanes of cycles and gaps into an image: each cycle by itself where there is room, sums of many
// cycles elsewhere. The cost depends on the number of pixels, not of cycles.
#pragma once

#include "gui/document/snapshot.h"
#include "gui/views/theme.h"

#include <QImage>

#include <vector>

namespace iscsiscope::gui {

struct LaneRow {
    std::uint64_t stream = 0, session = 0;
    QString label, toolTip;
};
// Returns a row for each connection, those of one session beside each other.
std::vector<LaneRow> laneRows(const Snapshot &);

struct LanesLayout {
    double height = 24;  // of a lane, pixels
    double scrolled = 0; // pixels above the picture
    // Places within a lane: bars of cycles above, gaps below.
    double top(std::size_t lane) const { return static_cast<double>(lane) * height - scrolled; }
    double barsHeight() const { return height * 0.7; }
    double gapsTop() const { return height * 0.74; }
    double gapsHeight() const { return height * 0.18; }
};

// size is in logical pixels; pixelRatio: device pixels in one of them.
QImage paintLanes(const Snapshot &, const std::vector<LaneRow> &, Interval view, const LanesLayout &,
                  QSize size, double pixelRatio, const Theme &);

// The lane at a point, and the cycle and gap there as rows of the stores; empty: none.
struct LaneHit {
    std::size_t lane = 0;
    std::optional<Row> cycle, gap;
};
std::optional<LaneHit> hitLanes(const Snapshot &, const std::vector<LaneRow> &, Interval view,
                                const LanesLayout &, QSize size, QPointF at);

} // namespace iscsiscope::gui

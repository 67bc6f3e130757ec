// SPDX-License-Identifier: GPL-2.0-or-later
// Paints tracks of cycles and gaps into an image: each cycle by itself where there is room, sums of many
// cycles elsewhere. The cost depends on the number of pixels, not of cycles.
#pragma once

#include "gui/document/lanes/matched_lanes.h"
#include "gui/models/timeline/track_list.h"
#include "gui/views/theme.h"

#include <QImage>

#include <vector>

namespace iscsiscope::gui {

struct LanesData {
    const Snapshot &snapshot;
    const MatchedLanes *matched = nullptr; // cycles that are not dimmed; null: all
};

// size is in logical pixels; pixelRatio: device pixels in one of them.
QImage paintLanes(const LanesData &, const std::vector<TrackRow> &, Interval view, const TrackLayout &,
                  QSize size, double pixelRatio, const Theme &);
// All of these connections, from top to bottom, however many there are: where they are more than rows of
// pixels, several share one.
QImage paintStrip(const LanesData &, const std::vector<StreamId> &streams, Interval view, QSize size,
                  double pixelRatio, const Theme &);

// The track at a point, and the cycle and gap there as rows of the stores; empty: none.
struct LaneHit {
    std::size_t lane = 0;
    std::optional<Row> cycle, gap;
};
std::optional<LaneHit> hitLanes(const Snapshot &, const std::vector<TrackRow> &, Interval view,
                                const TrackLayout &, QSize size, QPointF at);

} // namespace iscsiscope::gui

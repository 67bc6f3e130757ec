// SPDX-License-Identifier: GPL-2.0-or-later
// MatchedLanes: the cycles that range and filters select, by lane, so that a lane shows what matches at any
// zoom.
#pragma once

#include "gui/document/lanes/lane_index.h"

#include <atomic>
#include <memory>

namespace iscsiscope::gui {

struct MatchedLanes {
    std::vector<bool> rows;               // by row of the cycles
    std::map<StreamId, LaneIndex> cycles; // by stream, those that match alone

    // matches: rows in ascending order. Null when stopped.
    static std::shared_ptr<const MatchedLanes> build(const Tables &, const std::vector<Row> &matches,
                                                     const std::atomic<bool> &stop);
};

} // namespace iscsiscope::gui

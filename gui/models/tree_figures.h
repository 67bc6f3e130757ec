// SPDX-License-Identifier: GPL-2.0-or-later
// Sums and distributions for each session, connection and LUN over the cycles that filters and range select.
#pragma once

#include "analyzer/tallies/tally.h"
#include "gui/document/document.h"

#include <array>
#include <map>

namespace iscsiscope::gui {

inline constexpr std::size_t sparkPoints = 48;

struct TreeTally : Tally {
    TaskCounts data;                                // of Reads and Writes
    std::array<std::uint64_t, sparkPoints> spark{}; // bytes by time of end, evenly over the interval
    void add(const CycleStore &, Row, Interval);
};

struct TreeFigures {
    std::map<SessionId, TreeTally> sessions;
    std::map<StreamId, TreeTally> streams;
    std::map<std::pair<StreamId, std::uint64_t>, TreeTally> luns; // by stream and LUN
    Interval interval = spanOfNothing;

    static std::shared_ptr<const TreeFigures> build(const Snapshot &, const std::vector<Row> &, Interval,
                                                    const std::atomic<bool> &stop);
};

} // namespace iscsiscope::gui

// SPDX-License-Identifier: GPL-2.0-or-later
// LaneIndex holds the cycles of one connection in order of time, with sums over runs of 8, 64, 512 … of them,
// from which a lane of the timeline is painted at any zoom.
#pragma once

#include "gui/document/lanes/incidents.h"
#include "gui/document/stores/record_stores.h"
#include "gui/document/stores/time_scale.h"

#include <array>
#include <memory>
#include <vector>

namespace iscsiscope::gui {

// Classes by which a lane is coloured: the phases of Phases in their order, then tasks without phases.
inline constexpr std::size_t laneClasses = phaseCount + 1;

struct LaneNode {
    Time start, end;                        // first start, last end
    std::array<float, laneClasses> spent{}; // ns
};

// The node of a single cycle.
LaneNode nodeOf(const CycleStore &, Row);

class LaneIndex {
public:
    // rows: of one connection, in any order.
    LaneIndex(const CycleStore &, std::vector<Row> rows);

    std::size_t size() const { return rows_.size(); }
    Row row(std::size_t place) const { return rows_[place]; }
    // Row of bars in which the cycle lies, from 0: tasks at the same time lie in different rows.
    unsigned bar(std::size_t place) const { return bars_[place]; }
    unsigned maxBars() const { return maxBars_; }
    Duration longest() const { return longest_; }  // of all cycles
    std::uint64_t bytes() const { return bytes_; } // moved by the tasks

    // Places whose cycles reach into the interval (some at the front may not).
    std::pair<std::size_t, std::size_t> placesIn(const CycleStore &, Interval) const;
    std::size_t levels() const { return levels_.size(); }
    const std::vector<LaneNode> &level(std::size_t i) const { return levels_[i]; }
    std::pair<std::size_t, std::size_t> nodesIn(std::size_t level, Interval) const;
    // The last place that begins at or before t; size(): none.
    std::size_t placeBefore(const CycleStore &, Time t) const;
    std::size_t memory() const;

private:
    std::vector<Row> rows_;
    std::vector<std::uint8_t> bars_;
    std::vector<std::vector<LaneNode>> levels_;
    std::vector<Duration> longestOfLevel_; // node length, to look back by
    Duration longest_{};
    std::uint64_t bytes_ = 0;
    unsigned maxBars_ = 1;
};

// The gaps of one connection in order of time.
struct GapLane {
    std::vector<Row> rows;
    std::vector<Time> starts, ends;
    std::vector<GapKind> kinds;
    Duration idle{}; // sum of those in the active life
    // Returns the place of the gap that contains t, searching from a place before it; rows.size(): none.
    std::size_t at(Time t, std::size_t from = 0) const;
};

struct Lanes {
    std::map<StreamId, LaneIndex> cycles; // by stream
    std::map<StreamId, GapLane> gaps;
    // By stream, in order of time: when no task was open at the initiator.
    std::map<StreamId, std::vector<Interval>> without_task;
    std::map<StreamId, Incidents> incidents; // by stream

    static std::shared_ptr<const Lanes> build(const Tables &);
    std::size_t memory() const;
};

} // namespace iscsiscope::gui

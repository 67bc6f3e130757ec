// SPDX-License-Identifier: GPL-2.0-or-later
// Counts, sums and quantiles of selected cycles by group, with the distributions of analyzer/base, so that
// they equal the report's of the same filter.
#pragma once

#include "gui/models/aggregates/cycle_box.h"

#include <array>
#include <atomic>
#include <optional>
#include <vector>

namespace iscsiscope::gui {

// What cycles are grouped by. Reads, writes and control tasks are never in one group.
enum class Grouping : std::uint8_t { type, lun, connection, session, size, outcome };

// Minimum, median, 90 %, 99 %, maximum.
inline constexpr std::array aggregateQuantiles{0.0, 0.5, 0.9, 0.99, 1.0};

struct AggregateRow {
    TaskType type{};
    std::uint64_t key = 0,
                  session = 0; // the group's LUN, stream, session, size class or outcome; LUN: its session
    std::uint64_t count = 0, bytes = 0; // cycles; bytes moved
    std::uint64_t answered = 0;         // cycles whose response time is known: the times are of these
    Duration time{};                    // sum of the response times
    std::array<std::optional<Duration>, aggregateQuantiles.size()> quantiles; // of the response times
};

struct Aggregates {
    Grouping grouping{};
    std::vector<AggregateRow> rows; // by key and type
    std::uint64_t of = 0;           // cycles that range and filters select
    std::uint64_t count = 0, bytes = 0;
    Duration time{};
};

// Sums up those of the rows that the box holds; no box: all. For a worker thread.
Aggregates aggregate(const Snapshot &, const std::vector<Row> &, const std::optional<CycleBox> &, Grouping,
                     const std::atomic<bool> &stop);

// The filter of a group's cycles among those that were summed up.
QString expressionOf(Grouping, const AggregateRow &);

} // namespace iscsiscope::gui

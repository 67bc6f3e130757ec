// SPDX-License-Identifier: GPL-2.0-or-later
// Sums tasks and bytes by connection and interval. Intervals count from the session's first command, so tasks
// wait until that is known (settle); sessions without a login share one clock.
#pragma once

#include "analyzer/sessions/figures/grouping_figures.h"
#include "analyzer/sessions/figures/throughput_figures.h"
#include "analyzer/sessions/grouping/member_table.h"

#include <memory>
#include <optional>
#include <vector>

namespace iscsiscope {

class ThroughputTracker {
public:
    // Cells of all connections together, 16 bytes each.
    static constexpr std::size_t most_rows = std::size_t{1} << 20;
    // Ended tasks of a session that are kept before its first command is taken as known: the first task to
    // end need not be the first to begin.
    static constexpr std::size_t most_waiting = 256;

    explicit ThroughputTracker(Duration interval) : interval_(interval) {}

    void command(const Member &, Time first_seen);
    void task(const Member &, const CycleRecord &);

    // Called when the last connection of the unit has closed: its first command is known then.
    void close(const MemberUnit &unit);

    // groups: by number. To be called once.
    std::vector<ThroughputFigures> take(MemberTable &, const std::vector<SessionGroup> &);

private:
    struct Ended {
        std::uint32_t member;
        Time start, end;
        std::uint64_t bytes;
    };
    // The start of a session's intervals. Sessions without a login share one, so that they can be joined.
    struct Clock {
        std::optional<Time> first;
        bool settled = false;
        std::vector<Ended> waiting;
    };
    struct Sums {
        std::vector<ThroughputCell> rows;
        std::uint64_t bytes = 0, tasks = 0, left_out = 0;
        std::optional<Time> start, end;
    };
    Clock &clock_of(const MemberUnit &);
    void settle(Clock &);
    void add(Clock &, const Ended &);
    std::uint64_t interval_of(const Clock &, Time) const;

    Duration interval_;
    std::vector<std::unique_ptr<Clock>> clocks_; // by unit
    Clock shared_;
    std::vector<Sums> sums_; // by member
    std::size_t rows_ = 0;
};

} // namespace iscsiscope

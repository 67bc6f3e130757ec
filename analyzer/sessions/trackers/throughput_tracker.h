// SPDX-License-Identifier: GPL-2.0-or-later
// Bytes by connection and interval.
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
    // Rows of all connections together: 16 bytes each.
    static constexpr std::size_t most_rows = std::size_t{1} << 20;
    // Tasks of a session that wait for its first command to be known for certain: the first to end need
    // not have been the first to begin.
    static constexpr std::size_t most_waiting = 256;

    explicit ThroughputTracker(Duration interval) : interval_(interval) {}

    void command(const Member &, Time first_seen);
    void task(const Member &, const CycleRecord &);

    // The last connection of the unit has closed: its first command is known.
    void close(const MemberUnit &unit);

    // groups: by number; their units' rows add up. Call once.
    std::vector<ThroughputFigures> take(MemberTable &, const std::vector<SessionGroup> &);

private:
    struct Ended {
        std::uint32_t member;
        Time start, end;
        std::uint64_t bytes;
    };
    // One session of the engine; those without a login share one, so that they can be joined later.
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

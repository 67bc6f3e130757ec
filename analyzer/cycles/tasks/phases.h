// SPDX-License-Identifier: GPL-2.0-or-later
// Partitions a cycle, [start, end], into phases (docs/figures.md, "Phases"), exact in integer nanoseconds.
#pragma once

#include "analyzer/cycles/records/records.h"

#include <optional>
#include <vector>

namespace iscsiscope {

// The phases of a read: command, first_data_wait, data, status_wait; without data (no first_data) command and
// status_wait. A boundary earlier than its predecessor is raised to it; the end is the limit of all.
struct ReadTimes {
    Time start{}, command_delivered{};
    std::optional<Time> first_data; // earliest first_seen of a Data-In
    Time last_data{};               // delivered of the last one
    Time end{};
};
Phases read_phases(const ReadTimes &);

// One R2T and its Data-Out PDUs, as intervals. An empty member was not seen.
struct BurstTimes {
    std::optional<Time> r2t;   // delivered
    std::optional<Time> first; // first_seen of the first Data-Out
    Time last{};               // delivered of its last byte so far; with `first`
};
struct WriteTimes {
    Time start{}, command_delivered{};
    std::optional<Time> unsolicited_end; // delivered of the last unsolicited byte
    Time end{};
};

// The phases of a write: at each instant the first that applies of unsolicited, burst_data, burst_response,
// r2t_wait, status_wait. The object keeps its scratch space between calls.
class WritePhases {
public:
    void clear() { bursts_.clear(); }
    void add(const BurstTimes &burst) { bursts_.push_back(burst); }
    Phases partition(const WriteTimes &);

private:
    struct Edge {
        Time at;
        std::uint8_t layer; // 0: burst data, 1: burst response
        std::int8_t step;   // +1: an interval begins, -1: one ends
    };
    void add_interval(Time from, Time to, std::uint8_t layer);

    std::vector<BurstTimes> bursts_;
    std::vector<Edge> edges_;
};

} // namespace iscsiscope

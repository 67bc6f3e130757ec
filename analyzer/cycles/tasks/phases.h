// SPDX-License-Identifier: GPL-2.0-or-later
// A cycle cut into phases: integer partitions of [start, end], exact by construction.
#pragma once

#include "analyzer/cycles/records/records.h"

#include <optional>
#include <vector>

namespace iscsiscope {

// definitions.md, "Phases": command, first_data_wait, data, status_wait. Without data (no first_data)
// command and status_wait. A boundary before the one before it is raised to it, one behind the end is
// the end.
struct ReadTimes {
    Time start{}, command_delivered{};
    std::optional<Time> first_data; // earliest first_seen of a Data-In
    Time last_data{};               // delivered of the last one
    Time end{};
};
Phases read_phases(const ReadTimes &);

// One R2T and its Data-Out, as intervals. Absent: not seen.
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

// At each instant the first that holds of unsolicited, burst_data, burst_response, r2t_wait,
// status_wait. Keeps its scratch space between calls.
class WritePhases {
public:
    void clear() { bursts_.clear(); }
    void add(const BurstTimes &burst) { bursts_.push_back(burst); }
    Phases partition(const WriteTimes &);

private:
    struct Edge {
        Time at;
        std::uint8_t layer; // 0 burst data, 1 burst response
        std::int8_t step;   // begins +1, ends -1
    };
    void add_interval(Time from, Time to, std::uint8_t layer);

    std::vector<BurstTimes> bursts_;
    std::vector<Edge> edges_;
};

} // namespace iscsiscope

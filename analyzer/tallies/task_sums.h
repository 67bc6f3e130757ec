// SPDX-License-Identifier: GPL-2.0-or-later
// TaskSums: plain sums over the tasks of one type, or of all types together.
#pragma once

#include "analyzer/base/ratio.h"
#include "analyzer/tallies/tally.h"

#include <array>

namespace iscsiscope {

struct TaskSums : TaskCounts {
    std::uint64_t complete = 0;        // all bytes are in the capture
    std::uint64_t lost_beyond_tap = 0; // hit by a loss between the tap and the receiver
    std::uint64_t retransmitted_segments = 0, data_pdus = 0, r2ts = 0;
    std::uint32_t max_r2ts = 0; // of a task
    Duration response{};        // sum of the known response times
    // Tasks outstanding on the connection when a command was sent, itself included: greatest, sum, and number
    // of the tasks whose command is in the capture.
    std::uint32_t deepest_queue = 0;
    std::uint64_t depth_sum = 0, commands = 0;
    std::array<std::uint64_t, task_outcome_count> outcomes{};

    void add(const CycleRecord &);
    void merge(const TaskSums &);
    std::uint64_t of(TaskOutcome o) const { return outcomes[static_cast<std::size_t>(o)]; }
    std::optional<double> mean_queue_depth() const { return quotient(depth_sum, commands); }
    double r2ts_per_task() const { return ratio(r2ts, count); }
};

// The tasks that ended with one kind of sense data.
struct SenseSums {
    std::uint64_t count = 0, of_transfers = 0; // of_transfers: Reads and Writes
    OptionalFrame first_frame;                 // the status of the first; empty: the capture has none
    std::uint64_t lun = 0;                     // of the first
    std::uint64_t of_work = 0; // commands that work on the medium otherwise (is_work of cdb.h)

    // A host tries a command that not every target supports (discards, copies) once or twice for each unit,
    // and does without it afterwards. More of them are no trial.
    static constexpr std::uint64_t trial = 3;
    // Those that a device scan may send.
    std::uint64_t of_scan() const { return count - of_transfers - (of_work > trial ? of_work : 0); }

    void add(const CycleRecord &);
};

} // namespace iscsiscope

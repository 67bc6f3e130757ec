// SPDX-License-Identifier: GPL-2.0-or-later
// Tally: what is counted of the tasks of one key, whatever the key: a LUN, a size, a command, a connection.
#pragma once

#include "analyzer/base/histogram.h"
#include "analyzer/cycles/records/records.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

inline constexpr std::size_t task_type_count = 3;
inline constexpr std::size_t task_outcome_count = static_cast<std::size_t>(TaskOutcome::no_command) + 1;

// Classes of sizes: class 0 is 0 bytes, class n + 1 is (2^(n-1), 2^n] bytes.
inline constexpr std::size_t size_class_count = 34; // 0, 1, 2, 4 ... 4 GiB
std::size_t size_class(std::uint64_t bytes);
// Returns the bytes that a task asked for; a task whose command does not show it asked for what it moved if
// it moved all and was good. Empty: nothing shows it.
std::optional<std::uint64_t> asked_bytes(const CycleRecord &);

// What a command is: of the SCSI commands with service actions, each is one of its own.
struct CommandKey {
    std::uint8_t opcode = 0;
    std::optional<std::uint16_t> service_action;
    friend auto operator<=>(const CommandKey &, const CommandKey &) = default;
};

struct TaskCounts {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;    // moved
    std::uint64_t not_good = 0; // with any outcome but good

    void add(std::uint64_t moved, TaskOutcome outcome) {
        ++count;
        bytes += moved;
        not_good += outcome == TaskOutcome::good ? 0 : 1;
    }
    void merge(const TaskCounts &);
};

struct Tally : TaskCounts {
    Histogram response_time; // ns, of the tasks whose response time is known

    void add(const CycleRecord &r) { add(r.bytes_moved, r.outcome, r.response_time); }
    void add(std::uint64_t moved, TaskOutcome, std::optional<Duration> response);
    void merge(const Tally &);
};

} // namespace iscsiscope

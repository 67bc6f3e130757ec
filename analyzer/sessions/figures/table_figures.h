// SPDX-License-Identifier: GPL-2.0-or-later
// Tables of tasks by initiator, target, portal, LUN, size, connection and session (TaskTables), and
// the access patterns of Reads and Writes on each LUN (AccessFigures).
#pragma once

#include "analyzer/base/extent.h"
#include "analyzer/capture/segment.h"
#include "analyzer/tallies/tally.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace iscsiscope {

// Sums over the tasks of one row of a table, control commands included.
struct TaskRow : Tally {
    std::uint64_t reads = 0, writes = 0;
    Extent active; // first command to last end of a task: the row's active life
    Histogram service_time;

    void add(const CycleRecord &);

    // Per second of the active life; empty for fewer than two tasks.
    std::optional<double> iops() const;
    std::optional<double> rate() const; // bytes per second
    void merge(const TaskRow &);
};

struct LunKey {
    GroupId session;       // group's number
    std::uint64_t lun = 0; // 8 bytes as on the wire
    friend auto operator<=>(const LunKey &, const LunKey &) = default;
};

// An initiator or target whose name is not known is listed by its address.
struct TaskTables {
    std::map<std::string, TaskRow> by_initiator, by_target;
    std::map<Endpoint, TaskRow> by_portal; // the target's address and port
    std::map<LunKey, TaskRow> by_lun;
    std::map<std::size_t, TaskRow> by_size;    // size_class of asked_bytes(); Reads and Writes
    std::map<StreamId, TaskRow> by_connection; // stream
    std::map<GroupId, TaskRow> by_session;     // group's number
};

// The access pattern of the Reads or of the Writes of one LUN, in the order of the commands.
struct AccessFigures {
    LunKey lun;
    TaskType type = TaskType::read; // read or write
    std::uint64_t commands = 0;     // commands with LBA and length
    std::uint64_t blocks = 0;
    std::optional<std::uint32_t> block_length; // bytes, from READ CAPACITY, else from bytes over blocks

    // `followers` counts the commands after the first. Of these, continue_last counts those that begin where
    // the command before ended, continue_stream those that begin where one of the last eight streams ended.
    std::uint64_t followers = 0, continue_last = 0, continue_stream = 0;
    double sequential_share() const { return share(continue_last); }
    double stream_share() const { return share(continue_stream); }
    double share(std::uint64_t n) const {
        return followers == 0 ? 0 : static_cast<double>(n) / static_cast<double>(followers);
    }

    // Requests of the host that arrive split into several commands: a run of commands of one length, each
    // continuing the one before, ended by a shorter one, a jump, or a moment without an open command after
    // commands that were all open at once. Set only if half of the runs have the same total, and there are at
    // least 8 of two commands or more, or 16 commands in runs of four or more that were open at once.
    struct Split {
        std::uint64_t piece_bytes = 0; // length at which requests are split
        std::uint64_t asked_bytes = 0; // most frequent total of a run
        std::uint64_t last_bytes = 0;  // last command of a run of that total
        std::uint64_t pieces = 0;      // commands in a run of that total
        std::uint64_t requests = 0;    // runs of that total
        std::uint64_t runs = 0;        // all runs
        FrameNumber first_frame = 0;   // first command of the first run of that total
        bool at_once = false;          // most of these runs had all their commands open at once
    };
    std::optional<Split> split;
    std::uint64_t runs = 0; // runs of two commands or more that could have been one command

    std::uint64_t misaligned = 0; // commands whose start or length is no multiple of 4 KiB
    std::array<FrameNumber, 3> misaligned_frames{};
};

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// Tasks by initiator, target, portal, LUN, size and opcode; access patterns of LUNs.
#pragma once

#include "analyzer/base/histogram.h"
#include "analyzer/capture/segment.h"
#include "analyzer/cycles/records/records.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace iscsiscope {

// Tasks that are alike in one respect. All tasks: a row of control commands has count and times as well.
struct TaskRow {
    std::uint64_t count = 0, reads = 0, writes = 0;
    std::uint64_t bytes = 0; // moved
    std::uint64_t not_good = 0;
    Time start{}, end{}; // first command to last end: its active life
    Histogram response_time, service_time;

    Duration active() const { return end - start; }
    // Per second of its active life; none for a single task, of which that would say nothing.
    std::optional<double> iops() const;
    std::optional<double> rate() const; // bytes per second
    void merge(const TaskRow &);
};

struct LunKey {
    std::uint64_t session = 0; // group's number
    std::uint64_t lun = 0;     // 8 bytes as on the wire
    friend auto operator<=>(const LunKey &, const LunKey &) = default;
};

// (2^(n-1), 2^n] bytes asked for; 0 is its own class.
inline constexpr std::size_t task_size_class_count = 34; // 0, 1, 2, 4 ... 4 GiB
std::size_t task_size_class(std::uint64_t bytes);

struct OpcodeKey {
    std::uint8_t opcode = 0;
    std::optional<std::uint16_t> service_action;
    friend auto operator<=>(const OpcodeKey &, const OpcodeKey &) = default;
};

// Where the name of an initiator or target is not known its address stands for it.
struct TaskTables {
    std::map<std::string, TaskRow> by_initiator, by_target;
    std::map<Endpoint, TaskRow> by_portal; // the target's address and port
    std::map<LunKey, TaskRow> by_lun;
    std::map<std::size_t, TaskRow> by_size; // task_size_class; Reads and Writes
    std::map<OpcodeKey, TaskRow> by_opcode;
    std::map<std::uint64_t, TaskRow> by_connection; // stream
    std::map<std::uint64_t, TaskRow> by_session;    // group's number
    std::uint64_t tasks_left_out = 0; // beyond the bound on kinds of task: in none of the tables
};

inline constexpr std::size_t alignment_class_count = 13;

// How one type of command walks over one LUN. In order of the commands.
struct AccessFigures {
    LunKey lun;
    TaskType type = TaskType::read; // read or write
    std::uint64_t commands = 0;     // with LBA and length
    std::uint64_t blocks = 0;
    std::optional<std::uint32_t> block_length; // told by the LUN, else by bytes over blocks

    // Of `followers`, commands with one before them on this LUN, those that continue its range; or that of
    // one of the last eight streams.
    std::uint64_t followers = 0, continue_last = 0, continue_stream = 0;
    double sequential_share() const { return share(continue_last); }
    double stream_share() const { return share(continue_stream); }
    double share(std::uint64_t n) const {
        return followers == 0 ? 0 : static_cast<double>(n) / static_cast<double>(followers);
    }

    // A request of the host that arrives cut: commands of one length, each continuing the one before, then
    // a shorter one or a jump. Only where at least 8 such runs of two commands or more were met and one
    // total makes up half of them.
    struct Split {
        std::uint64_t piece_bytes = 0; // the length at which it is cut
        std::uint64_t asked_bytes = 0; // the most frequent total
        std::uint64_t last_bytes = 0;  // of the last piece of that total
        std::uint64_t pieces = 0;      // commands of such a request
        std::uint64_t requests = 0;    // with that total
        std::uint64_t runs = 0;        // all
        FrameNumber first_frame = 0;   // command that begins the first with that total
    };
    std::optional<Split> split;
    std::uint64_t runs = 0;          // of two commands or more that could have been one
    std::uint64_t run_commands = 0;  // in them
    std::uint64_t largest_bytes = 0; // asked by one command

    // By the greatest power of two that divides it: class n is 512 << n bytes, the last one 2 MiB and more
    // (an LBA of 0 among them).
    std::array<std::uint64_t, alignment_class_count> lba_alignment{}, length_alignment{};
    std::uint64_t misaligned_lba = 0, misaligned_length = 0, misaligned = 0; // to 4 KiB; either
    std::array<FrameNumber, 3> misaligned_frames{};
};

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// Reads and Writes that ended with GOOD although data of them were not moved: records in, sums out (docs/
// findings.md, short_data). Only tasks that the capture holds whole are counted.
#pragma once

#include "analyzer/cycles/records/records.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace iscsiscope {

// Short tasks of one LUN of a session, of one direction and of one expected length per block.
struct ShortTasks {
    SessionId session;
    std::uint64_t lun = 0;
    StreamId stream; // of the first
    TaskType type = TaskType::read;
    bool stated = false;     // their residual counts state what is missing
    bool sure = false;       // data is missing whatever the length of the LUN's blocks
    std::uint64_t block = 0; // ExpectedDataTransferLength over the blocks that the CDB asks for, bytes
    std::uint64_t count = 0, bytes = 0, longest = 0; // tasks, bytes missing, and the most of one task
    OptionalFrame first_command, first_status;
};

class ShortData {
public:
    static constexpr std::size_t max_rows = 256, max_units = 1024;

    void on_cycle(const CycleRecord &);
    void on_lun(const LunRecord &);

    // Rows of tasks of which data is missing: the CDB asks for as much as the command expects. That follows
    // from the block length of the LUN, or from the amount of data, which is that of no block length.
    std::vector<ShortTasks> missing() const;

private:
    using SessionLun = std::pair<SessionId, std::uint64_t>;
    // What is known of a LUN: 0 is not known.
    struct Unit {
        std::uint64_t block = 0;
        bool no_disk = false; // sequential devices move blocks of any length (SSC)
    };

    std::map<SessionLun, Unit> units_;
    std::vector<ShortTasks> rows_;
};

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// Failover: Reads and Writes that got no answer on one connection, and that their host sent again on another
// one: the same blocks of the same logical unit.
#pragma once

#include "analyzer/cycles/records/records.h"

#include <optional>

namespace iscsiscope {

struct Failover {
    StreamId from{}, to{};
    std::uint64_t lun = 0;             // on `from`
    bool guess = false;                // one logical unit by target name and LUN alone
    bool host_guess = false;           // the names of the host are not in the capture
    std::uint64_t commands = 0;        // that were sent again
    TaskType type = TaskType::control; // of the one that waited longest, like:
    OptionalFrame lost_frame{}, again_frame{};
    Time lost{}, again{};           // first_seen of the command, and of the one that repeats it
    std::optional<Time> given_up{}; // its connection ended
    Duration quiet{};               // before `again` the host began no Read or Write for so long

    Duration length() const { return again - lost; }
};

} // namespace iscsiscope

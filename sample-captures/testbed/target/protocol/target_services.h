// SPDX-License-Identifier: GPL-2.0-or-later
// What every connection, session and task of one target uses: its configuration, disks, timers, truth log
// and counters of faults.
#pragma once

#include "sample-captures/testbed/target/config/target_config.h"
#include "sample-captures/testbed/target/protocol/timers.h"
#include "sample-captures/testbed/target/protocol/truth_log.h"
#include "sample-captures/testbed/target/scsi/logical_units.h"

#include <cstdint>
#include <string_view>

namespace iscsiscope::testbed {

// Counts calls; true on every n-th, never where n is 0.
struct Every {
    std::uint64_t count = 0;
    bool operator()(std::uint32_t n) { return n != 0 && ++count % n == 0; }
};

// Of the faults made on purpose (Faults), over all connections.
struct FaultCounters {
    Every task_set_full, busy, reservation_conflict, check_condition, drop_response, spoil_header, spoil_data;
};

// The references outlive it.
struct TargetServices {
    const TargetConfig &config;
    LogicalUnits &units;
    Timers &timers;
    TruthLog &truth;
    FaultCounters counters{};
    std::uint32_t next_target_transfer_tag = 0;

    // A line on standard error where --verbose is given.
    void log(std::string_view line) const;
};

} // namespace iscsiscope::testbed

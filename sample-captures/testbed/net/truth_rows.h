// SPDX-License-Identifier: GPL-2.0-or-later
// The shim's part of a run's truth file: one JSON object a line, each with a member "row".
#pragma once

#include "sample-captures/testbed/net/shim.h"

#include <string>
#include <vector>

namespace iscsiscope::testbed::shim {

// `host_names` and the shim's hosts are in the same order. Rows: "drop", "disturbance",
// "in_flight_at_end", then one "link" per link direction and one "shim".
std::vector<std::string> shim_truth_rows(const Shim &shim, const std::vector<std::string> &host_names);

struct Validity {
    bool valid = true;
    std::vector<std::string> reasons;  // why not
    std::vector<std::string> warnings; // what the reader should know though the run counts
};
// The gate: a run in which the shim was away longer than `stall_bound`, or the kernel lost packets
// that the captures do not show, does not count.
Validity judge(Shim &shim, const std::vector<std::string> &host_names, Duration stall_bound);

} // namespace iscsiscope::testbed::shim

// SPDX-License-Identifier: GPL-2.0-or-later
// A run in virtual time, from the host: boots a Linux kernel whose clock is simulated as a process of the
// user's, lets this same program run the scenario in it, and takes what it made.
#pragma once

#include "sample-captures/testbed/run/run_scenario.h"

#include <string>
#include <vector>

namespace iscsiscope::testbed::run {

struct VirtualRun {
    std::string kernel;            // a program: tests/stacks/virtual/kernel.sh builds it
    std::string scenario_file;     // must lie where the guest sees it: not below /dev, /proc, /run, /sys
    std::vector<std::string> sets; // changed values, as given
};

// Runs one scenario to its end in a guest of its own. The guest sees the host's files, which it cannot
// change, and writes into the hidden folder of the run. Prints what the run printed, then the virtual time,
// the time and the processor time that it took. Returns the run's exit code; exit_error where the guest did
// not get so far.
int run_virtual(const scenario::Scenario &scenario, const VirtualRun &virtual_run, const RunOptions &options);

} // namespace iscsiscope::testbed::run

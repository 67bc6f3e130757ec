// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sample-captures/testbed/common/kind_of_clock.h"
#include "sample-captures/testbed/run/progress.h"
#include "sample-captures/testbed/scenario/scenario.h"

#include <functional>
#include <optional>
#include <string>

namespace iscsiscope::testbed::run {

enum ExitCode : int { exit_done = 0, exit_not_valid = 1, exit_error = 2, exit_interrupted = 130 };

// Prints the failure on standard error; returns exit_error.
int report(const Failure &);

struct RunOptions {
    std::string folder = "."; // for the results
    ProgressStyle progress = ProgressStyle::none;
    bool force_user_namespace = false; // even as root, for tests
    bool quiet = false;                // do not name the files written
    std::optional<KindOfClock> clock;  // nothing: it is found out
};

// Runs one scenario, once, to its end. It turns the calling process into the shim: the process must
// have a single thread and be good for nothing else afterwards (it stays in its private network).
// Prints on standard error why a run failed or does not count.
int run_scenario(const scenario::Scenario &scenario, const RunOptions &options);

// Calls `run` in a process of its own, with a session of its own: Linux shares the processor out between
// sessions first (sched(7), autogroup), and only so does the shim stand apart from what else runs in
// the user's terminal. Signals are passed on; if the caller is killed the run gets SIGTERM, cleans up and
// ends. Returns the exit code that `run` returned.
int run_apart(const std::function<int()> &run);
int run_apart(const scenario::Scenario &scenario, const RunOptions &options);

} // namespace iscsiscope::testbed::run

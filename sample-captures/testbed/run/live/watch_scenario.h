// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sample-captures/testbed/run/live/watch_point.h"

#include <string>

namespace iscsiscope::testbed::run {

struct WatchOptions {
    std::string output = "-";  // a FIFO, or - for standard output
    shim::PacketFilter filter; // may be empty
    bool quiet = false;        // remarks on the run's times only in the capture
    bool force_user_namespace = false;
};

// Runs a scenario once and writes the capture of one place to a stream while the run goes on, each packet
// within some 20 ms; no file is made and nothing is kept. Ends with the scenario, with SIGINT, SIGTERM or
// SIGHUP, or when the reader closes the stream: all are a good end. Like run_scenario it turns the calling
// process into the shim. Returns the exit code: exit_error with a message on standard error, exit_not_valid
// where a program of the scenario failed.
int watch_scenario(const scenario::Scenario &scenario, const WatchPoint &point, const WatchOptions &options);

} // namespace iscsiscope::testbed::run

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sample-captures/testbed/run/run_scenario.h"

#include <string>
#include <vector>

namespace iscsiscope::testbed::run {

// Runs the scenario once for every combination of the values in `sets` ("key=a,b,c" each), every run a
// process of its own, into folder/<n>/, and writes folder/sweep.csv: the values and exit code of each run.
// Commas inside brackets or quotes do not separate. The worst exit code of the runs.
int sweep(const std::string &scenario, const std::vector<std::string> &sets, const RunOptions &options);

} // namespace iscsiscope::testbed::run

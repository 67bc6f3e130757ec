// SPDX-License-Identifier: GPL-2.0-or-later
// What `report` does, apart from its command line.
#pragma once

#include "analyzer/cli/common_options.h"
#include "analyzer/cli/program.h"

#include <string>
#include <vector>

namespace iscsiscope::cli {

struct ReportOptions : CommonOptions {
    std::vector<std::string> files;
    std::string format = "text", fail_on;
    std::vector<double> quantiles; // empty: the format's own
    int jobs = 1;
    bool hash = false, join = false, anonymize = false;
};

// Gives the exit code.
int run_report(const ReportOptions &, Program &);

} // namespace iscsiscope::cli

// SPDX-License-Identifier: GPL-2.0-or-later
// Runs `report` over one or many captures: checks the options, plans the captures and their outputs, and
// reads several captures at once (--jobs).
#pragma once

#include "analyzer/cli/common_options.h"
#include "analyzer/cli/program.h"

#include <string>
#include <vector>

namespace iscsiscope::cli {

struct ReportOptions : CommonOptions {
    std::vector<std::string> files;
    std::string format = "text", fail_on;
    std::vector<double> quantiles; // empty: the default of the format
    int jobs = 1;
    bool hash = false, anonymize = false;
    bool brief = false, all = false; // of the text report: how much it shows
};

// Returns the exit code.
int run_report(const ReportOptions &, Program &);

} // namespace iscsiscope::cli

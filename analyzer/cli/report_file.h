// SPDX-License-Identifier: GPL-2.0-or-later
// One capture of `report`: read, and written in the format asked for.
#pragma once

#include "analyzer/cli/progress_line.h"
#include "analyzer/cli/report_job.h"
#include "analyzer/pipeline/anonymizer.h"
#include "analyzer/query/expression.h"
#include "analyzer/report/html/batch_index.h"
#include "analyzer/report/text/text_page.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace iscsiscope::cli {

// Everything that is the same for all captures.
struct ReportPlan {
    const ReportOptions &options;
    CommonSettings settings;
    std::optional<Expression> filter;
    std::vector<double> quantiles;
    TextStyle style;
    bool into_folder = false;                       // a file each below options.output
    std::vector<std::vector<std::string>> captures; // the files of each
    Anonymizer *anonymizer = nullptr;
    Program &program;
    ProgressLine &line;
};

struct FileResult {
    std::string text;                        // of the report; empty: none, or written elsewhere
    std::function<void(OutputFile &)> write; // instead of text: writes the only report as it makes it
    std::vector<std::string> complaints;     // for standard error
    int code = exit_done;
    bool done = false;
    BatchEntry entry; // for the index of many
};

// May be called for several captures at once.
FileResult report_capture(const ReportPlan &, std::size_t capture);

} // namespace iscsiscope::cli

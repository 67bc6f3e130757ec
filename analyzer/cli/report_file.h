// SPDX-License-Identifier: GPL-2.0-or-later
// Reads one capture of `report` and writes its report in the requested format.
#pragma once

#include "analyzer/cli/progress_line.h"
#include "analyzer/cli/report_job.h"
#include "analyzer/pipeline/anonymizer.h"
#include "analyzer/query/expression.h"
#include "analyzer/report/formats/report_format.h"
#include "analyzer/report/html/batch_index.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace iscsiscope::cli {

// The settings common to all captures. Read-only while captures are read, except for the objects behind the
// pointers and the last two references, which are thread-safe.
struct ReportPlan {
    const ReportOptions &options;
    CommonSettings settings;
    std::optional<Expression> filter;
    const ReportFormat &format;
    ReportSettings report;
    bool into_folder = false;                       // one file or folder per capture in options.output
    std::vector<std::vector<std::string>> captures; // the files of each capture
    std::vector<std::string> names;                 // of each one's file or folder there
    Anonymizer *anonymizer = nullptr;
    Program &program;
    ProgressLine &line;
    const OutputFile *output = nullptr; // of all captures together; null: each has its own
};

// False if nobody will see the reports of further captures: the reader of standard output has closed it, and
// the exit code depends on no condition.
bool still_wanted(const ReportPlan &);

struct FileResult {
    std::string text;                        // the report; empty: none, or already written to a file
    std::function<void(OutputFile &)> write; // instead of text: writes the report of a single capture
    std::vector<std::string> complaints;     // messages for standard error
    int code = exit_done;
    bool done = false;
    std::size_t tables = 0; // ReportWriter::tables()
    BatchEntry entry;       // for the index of several captures
};

// The name of a capture in an anonymous report.
std::string anonymous_name(std::size_t capture);

// Thread-safe for different captures. An exception is a failure of this capture alone: it becomes its result.
FileResult report_capture(const ReportPlan &, std::size_t capture);

} // namespace iscsiscope::cli

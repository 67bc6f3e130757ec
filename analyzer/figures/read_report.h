// SPDX-License-Identifier: GPL-2.0-or-later
// read_report: makes a Report of one capture in one pass. Every front end uses it.
#pragma once

#include "analyzer/base/result.h"
#include "analyzer/figures/report.h"

#include <optional>
#include <string>
#include <vector>

namespace iscsiscope {

class Anonymizer;
class Expression;
struct Effort;
struct Facts;

struct ReportRequest {
    std::vector<std::string> files; // several are read as one capture
    FileUnion files_are = FileUnion::joined;
    EngineOptions engine;
    TimeRange range;                    // will be anchored at the first frame; Report::range holds the result
    const Expression *filter = nullptr; // of cycles; null: all
    std::string filter_text;            // the filter as the user wrote it
    Duration interval = std::chrono::seconds{5}; // T_m of the throughput's deviation
    bool charts = false;                         // fill Report::timeline and ladders
    Anonymizer *anonymizer = nullptr;            // null: real names
    std::size_t number = 1;                      // of this capture, from 1, for its anonymized name
    ReadObserver *observer = nullptr;
    UnpackBounds unpack;
    int threads = 1;                // ReadOptions::threads
    Effort *effort = nullptr;       // likewise
    std::vector<RecordSink *> more; // further sinks for all records; must outlive the call
    std::size_t max_listed = 1024;  // as CollectorOptions::max_listed
};

// The failure is a sentence that begins with the file's path. The sinks in `more` get records outside the
// range too; `range` is anchored before their first record.
Result<Report> read_report(ReportRequest &);

// Makes the findings and models of a report whose other figures are there, from the facts of the same
// capture. read_report() has called it; a front end that reads the capture itself calls it.
void add_findings(Report &, const Facts &);

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// One capture → a whole Report, in one pass: the one road that every front end takes.
#pragma once

#include "analyzer/base/result.h"
#include "analyzer/figures/report.h"

#include <optional>
#include <string>
#include <vector>

namespace iscsiscope {

class Anonymizer;
class Expression;

struct ReportRequest {
    std::vector<std::string> files; // several: the files of a ring buffer, read as one capture
    EngineOptions engine;
    TimeRange range;                             // anchored at the first frame; the report says to what
    const Expression *filter = nullptr;          // of cycles; null: all
    std::string filter_text;                     // as the user wrote it
    Duration interval = std::chrono::seconds{5}; // T_m of the throughput's deviation
    bool charts = false;                         // fill Report::timeline and ladders
    Anonymizer *anonymizer = nullptr;            // null: real names
    std::size_t number = 1;                      // of the capture among several, for its made-up name
    ReadObserver *observer = nullptr;
    std::vector<RecordSink *> more; // told everything too, behind the report's own; must outlive the call
    std::size_t most_listed = 1024; // connections, sessions, LUNs kept apart
};

// A mistake is a sentence that begins with the file's path. The range of `more` sinks is their own matter:
// `range` is anchored before they are told anything.
Result<Report> read_report(ReportRequest &);

} // namespace iscsiscope

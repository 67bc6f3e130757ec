// SPDX-License-Identifier: GPL-2.0-or-later
// batch_index(): an HTML page that lists many captures, one line each, sortable by its columns.
#pragma once

#include "analyzer/figures/report.h"

#include <string>
#include <vector>

namespace iscsiscope {

struct BatchEntry {
    std::string file, link; // link: to the capture's report, relative to the index; empty: none
    std::string problem;    // the reason why there is no report
    bool condition = false; // the --fail-on condition holds
    bool complete = true;
    std::uint64_t tasks = 0, not_good = 0;
    struct Figure {
        std::string text, detail;
        std::optional<double> key; // by which it sorts; empty: by its text
    };
    Figure throughput, median, p99, in_flight, busy; // headline numbers; p99: of the type that `median` is of
    std::string first_time, verdict;
    Severity severity = Severity::info; // of the verdict

    void fill(const Report &);
};

std::string batch_index(const std::vector<BatchEntry> &, const std::string &version);

} // namespace iscsiscope

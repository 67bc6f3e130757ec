// SPDX-License-Identifier: GPL-2.0-or-later
// batch_index(): an HTML page that lists many captures, one line each.
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
    struct Part {
        std::uint64_t count = 0;
        double rate = 0; // bytes per second
        std::optional<std::int64_t> median, p99;
    };
    Part reads, writes;
    double idle = 0; // share of the connections' active life
    std::string first_time, verdict;
    Severity severity = Severity::info; // of the verdict

    void fill(const Report &);
};

std::string batch_index(const std::vector<BatchEntry> &, const std::string &version);

} // namespace iscsiscope

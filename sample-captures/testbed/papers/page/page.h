// SPDX-License-Identifier: GPL-2.0-or-later
// A study's outcome as one HTML page, complete in itself, and as JSON.
#pragma once

#include "sample-captures/testbed/papers/lab/lab.h"
#include "sample-captures/testbed/papers/lab/study.h"
#include "sample-captures/testbed/papers/page/published.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iscsiscope::testbed::papers {

struct Circumstances {
    std::string version, kernel, machine; // machine: processors and architecture
    std::string date;                     // UTC
    bool quick = false;
};

struct StudyOutcome {
    const Study *study = nullptr;
    Published published;
    StudyPage page;
    std::vector<Run> runs;
    double took_s = 0;
};

std::string html_page(const StudyOutcome &, const Circumstances &);
// Claims, curves, tables and runs, as they stand on the page.
std::string json_of(const StudyOutcome &, const Circumstances &);

} // namespace iscsiscope::testbed::papers

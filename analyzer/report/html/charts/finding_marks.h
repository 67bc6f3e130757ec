// SPDX-License-Identifier: GPL-2.0-or-later
// Where the charts show the findings: at the times of their evidence.
#pragma once

#include "analyzer/figures/report.h"

#include <string>
#include <utility>
#include <vector>

namespace iscsiscope::html {

struct FindingMark {
    std::size_t finding = 0;                      // index in the list of findings
    std::vector<double> at;                       // seconds in the capture, ascending, each once
    std::vector<std::pair<double, double>> spans; // from, to: the longest waits that the evidence names
};

// Returns a mark for each finding with evidence in the time of the charts, in the order of the findings.
// Times are as precise as the charts are wide: two that fall into the same interval are one.
std::vector<FindingMark> finding_marks(const Report &);
// [{"number":1,"title":…,"severity":…,"at":[…],"spans":[[…,…]]}]
std::string finding_marks_json(const Report &);

// "finding-1": the id of its card.
std::string finding_id(std::size_t index);

} // namespace iscsiscope::html

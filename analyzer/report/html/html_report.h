// SPDX-License-Identifier: GPL-2.0-or-later
// A report as one HTML file that needs nothing beside it: no network, no other file.
#pragma once

#include "analyzer/figures/report.h"

#include <string>
#include <vector>

namespace iscsiscope {

// The report should have been filled with charts (ReportRequest::charts); without, the page has none.
std::string html_report(const Report &, const std::vector<double> &quantiles, const std::string &version);

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// html_report(): a report as one HTML file that needs no network and no other file.
#pragma once

#include "analyzer/figures/report.h"

#include <string>
#include <vector>

namespace iscsiscope {

// The page has charts only if the report was made with ReportRequest::charts.
std::string html_report(const Report &, const std::vector<double> &quantiles, const std::string &version);

} // namespace iscsiscope

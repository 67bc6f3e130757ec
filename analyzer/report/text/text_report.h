// SPDX-License-Identifier: GPL-2.0-or-later
// text_report(): the report as plain text; write_report(): the same on any page.
#pragma once

#include "analyzer/figures/report.h"
#include "analyzer/report/text/text_page.h"
#include "analyzer/report/text/text_sections.h"

#include <string>

namespace iscsiscope {

void write_report(Page &, const Report &, ReportDetail);
std::string text_report(const Report &, const TextStyle &, ReportDetail = ReportDetail::ordinary);

} // namespace iscsiscope

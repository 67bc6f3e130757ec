// SPDX-License-Identifier: GPL-2.0-or-later
// text_report(): the report as plain text.
#pragma once

#include "analyzer/figures/report.h"
#include "analyzer/report/text/text_page.h"
#include "analyzer/report/text/text_sections.h"

#include <string>

namespace iscsiscope {

std::string text_report(const Report &, const TextStyle &, ReportDetail = ReportDetail::ordinary);

} // namespace iscsiscope

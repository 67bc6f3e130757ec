// SPDX-License-Identifier: GPL-2.0-or-later
// The report formats, an object each; they live as long as the program.
#pragma once

#include "analyzer/report/formats/report_format.h"

namespace iscsiscope {

const ReportFormat &text_reports();
const ReportFormat &json_reports();
const ReportFormat &html_reports();
const ReportFormat &sqlite_reports();
const ReportFormat &csv_reports();

} // namespace iscsiscope

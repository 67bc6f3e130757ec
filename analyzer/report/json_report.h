// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/report/report.h"

#include <string>
#include <vector>

namespace iscsiscope {

// As report.schema.json says. Indented; ends with a line feed. quantiles: 0..1.
std::string json_report(const Report &, const std::vector<double> &quantiles, const std::string &version);

} // namespace iscsiscope

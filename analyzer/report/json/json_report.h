// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/figures/report.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

// As report.schema.json says. Indented; ends with a line feed. quantiles: 0..1. out: is given the text part
// by part, as it is made: that of thousands of sessions is larger than all that the report is made of.
void write_json_report(const Report &, const std::vector<double> &quantiles, const std::string &version,
                       const std::function<void(std::string_view)> &out);

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// write_json_report(): the report as JSON.
#pragma once

#include "analyzer/figures/report.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

// Writes the report according to report.schema.json, indented, with a line feed at the end. quantiles: from 0
// to 1. `out` gets the text in parts, since it may be larger than the report. Throws std::bad_alloc if memory
// ran out; `out` has got the beginning of the text then.
void write_json_report(const Report &, const std::vector<double> &quantiles, const std::string &version,
                       const std::function<void(std::string_view)> &out);

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// summary_tables(): a report's sums as tables, for both the CSV folder and the SQLite file.
#pragma once

#include "analyzer/figures/report.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace iscsiscope {

using Cell = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double,
                          std::string>; // monostate: not known

struct SummaryTable {
    std::string name;
    std::vector<std::string> columns; // as in the row tables: _ns, _bytes
    std::vector<std::vector<Cell>> rows;
};

std::vector<SummaryTable> summary_tables(const Report &, const std::vector<double> &quantiles);

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// summary_tables(): a report's sums as tables, for both the CSV folder and the SQLite file.
#pragma once

#include "analyzer/base/value.h"
#include "analyzer/figures/report.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace iscsiscope {

using Cell = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double,
                          std::string>; // monostate: not known

struct SummaryColumn {
    std::string name;                    // as in the row tables: _ns, _bytes
    ValueType type = ValueType::unknown; // of every cell that is known; unknown: each cell has its own
    std::string_view since = "0.1";      // the first version that has the column
};

struct SummaryTable {
    std::string name;
    std::vector<SummaryColumn> columns;
    std::vector<std::vector<Cell>> rows;
};

// The table `report`: facts about the file and counts of what was read. It is of the SQLite report only.
SummaryTable facts_table(const Report &, const std::string &version);

std::vector<SummaryTable> summary_tables(const Report &, const std::vector<double> &quantiles);

} // namespace iscsiscope

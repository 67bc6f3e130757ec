// SPDX-License-Identifier: GPL-2.0-or-later
// What the columns of all tables are: of the row commands, of the CSV folder and of the SQLite report.
#pragma once

#include "analyzer/report/text/text_page.h"

#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

// Texts of the glossary and of the tables live as long as the program.
struct DescribedColumn {
    std::string name;
    std::string_view type;    // "integer", "real", "text", "boolean"; "any": each value has its own
    std::string_view unit;    // "ns", "ns since 1970", "bytes", "frame" ...; empty: none
    std::string_view meaning; // a sentence
    std::string_view since;   // the first version that has it
    std::vector<std::string_view> values; // of a column of fixed names; empty: any
};

struct DescribedTable {
    std::string name;
    bool command = false, csv = false, sqlite = false; // where it is: a row command, the two reports
    std::vector<DescribedColumn> columns;
};

// All tables, in the order of the documentation. The columns of quantiles are those of `quantiles`, 0 to 1.
std::vector<DescribedTable> described_tables(const std::vector<double> &quantiles);

std::string columns_json(const std::vector<DescribedTable> &);
std::string columns_text(const std::vector<DescribedTable> &, const TextStyle &);

} // namespace iscsiscope

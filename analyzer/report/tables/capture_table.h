// SPDX-License-Identifier: GPL-2.0-or-later
// capture_table(): what the file is and how much of it could be read, in one typed row.
#pragma once

#include "analyzer/report/tables/summary_tables.h"

namespace iscsiscope {

// The row of the CSV folder and of the SQLite report by which the tables of many captures are distinguished.
// `sha256` is empty unless it was asked for.
SummaryTable capture_table(const Report &);

} // namespace iscsiscope

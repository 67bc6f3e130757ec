// SPDX-License-Identifier: GPL-2.0-or-later
// Engine records → rows of one table.
#pragma once

#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/pipeline/time_range.h"
#include "analyzer/query/column.h"
#include "analyzer/query/expression.h"

#include <memory>
#include <optional>
#include <string_view>

namespace iscsiscope {

// Takes the rows of one table.
class RowTarget {
public:
    virtual ~RowTarget() = default;
    virtual void row(const void *row) = 0; // of the table's row type
};

// Null: no such table.
const Table *find_table(std::string_view name);

struct RowSelection {
    const TimeRange *range = nullptr;   // null: everything; must outlive the sink
    const Expression *filter = nullptr; // null: all; must outlive the sink
};

// A row belongs to the range by: a PDU its first byte, a segment its time, a cycle and a burst their end, a
// gap and a connection any overlap. The table is one of those of find_table; the target must outlive the
// sink.
std::unique_ptr<RecordSink> make_row_sink(const Table &, RowSelection, RowTarget &);

} // namespace iscsiscope

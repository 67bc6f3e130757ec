// SPDX-License-Identifier: GPL-2.0-or-later
// make_row_sink: turns the engine's records into the rows of one table.
#pragma once

#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/pipeline/time_range.h"
#include "analyzer/query/column.h"
#include "analyzer/query/expression.h"

#include <memory>
#include <optional>
#include <string_view>

namespace iscsiscope {

// Takes the rows of one table. A row is an object of the table's row type, valid during the call only.
class RowTarget {
public:
    virtual ~RowTarget() = default;
    virtual void row(const void *row) = 0;
};

// Returns null if there is no such table.
const Table *find_table(std::string_view name);

struct RowSelection {
    const TimeRange *range = nullptr;   // null: everything; must outlive the sink
    const Expression *filter = nullptr; // null: all; must outlive the sink
};

// A PDU belongs to the range by its first byte, a segment by its time, a cycle and a burst by their end, a
// gap and a connection by any overlap. The table must be one of those that find_table returns; the target
// must outlive the sink.
std::unique_ptr<RecordSink> make_row_sink(const Table &, RowSelection, RowTarget &);

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// The fields. One that is a figure of the rows has its names, its explanation and its column here; its type
// and its value are the column's.
#pragma once

#include "analyzer/query/column.h"
#include "plugin/fields/fields.h"

namespace iscsiscope::plugin {

struct ColumnDescription {
    const char *abbrev, *name;
    std::string_view column;
    const char *blurb;
    Part part = Part::facts;
    int display = BASE_DEC; // of a number without unit
};

// In the order in which the fields are shown.
struct SubtreeColumns {
    Subtree subtree;
    const Table &(*table)();
    std::span<const ColumnDescription> fields;
};
std::span<const SubtreeColumns> subtree_columns();

// Fields that show no column, in the order of Field.
struct OwnDescription {
    const char *abbrev, *name;
    ftenum type;
    const char *blurb;
};
std::span<const OwnDescription> own_fields();

} // namespace iscsiscope::plugin

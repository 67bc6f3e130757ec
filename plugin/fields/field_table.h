// SPDX-License-Identifier: GPL-2.0-or-later
// Table of the fields of the plugin. A field that shows a column of the rows has its abbreviation, its name
// and its column here; type and value come from the column. The description of each field is the glossary's
// sentence (fields.cpp).
#pragma once

#include "analyzer/query/column.h"
#include "plugin/fields/fields.h"

namespace iscsiscope::plugin {

struct ColumnDescription {
    const char *abbrev, *name;
    std::string_view column; // of the subtree's table
    Part part = Part::facts;
    int display = BASE_DEC; // base of a number without unit
};

// The fields of one subtree, in the order in which they are shown.
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
    bool late = false; // shown only where the frames are read a second time
};
std::span<const OwnDescription> own_fields();

} // namespace iscsiscope::plugin

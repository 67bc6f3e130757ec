// SPDX-License-Identifier: GPL-2.0-or-later
// The plugin's fields: abbreviation, name and, for a field that shows a column, that column, which gives type
// and value. The descriptions are the glossary's sentences (fields.cpp).
#pragma once

#include "analyzer/query/column.h"
#include "plugin/fields/fields.h"

#include <string>

namespace iscsiscope::plugin {

struct ColumnDescription {
    const char *abbrev, *name;
    std::string_view column; // of the subtree's table
    Part part = Part::facts;
    int display = BASE_DEC;                   // base of a number without unit
    ft_framenum_type link = FT_FRAMENUM_NONE; // of a frame number: what the packet list marks that frame as
};

// The fields of one subtree, in the order in which they are shown.
struct SubtreeColumns {
    Subtree subtree;
    const Table &(*table)();
    std::span<const ColumnDescription> fields;
};
std::span<const SubtreeColumns> subtree_columns();

// Returns the name of the enumerator with this number; empty: none has it.
using NameOf = std::string_view (*)(std::uint8_t);

// Fields that show no column, in the order of Field.
struct OwnDescription {
    const char *abbrev, *name;
    ftenum type;
    bool late = false;        // shown only where the frames are read a second time
    NameOf name_of = nullptr; // of an enumeration (FT_UINT8)
};
std::span<const OwnDescription> own_fields();

// The name of a SCSI command by its operation code; empty: not known.
std::string command_name(std::uint8_t opcode);

} // namespace iscsiscope::plugin

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/query/column.h"

namespace iscsiscope {

const Column *Table::find(std::string_view column) const {
    for (const Column &c : columns)
        if (c.name == column)
            return &c;
    return nullptr;
}

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// TableWriter: writes the rows of a table, numbered from 1, as pages.
#pragma once

#include "analyzer/report/tables/pages/record.h"
#include "analyzer/report/tables/pages/tree_levels.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace iscsiscope {

class TableWriter {
public:
    explicit TableWriter(PageFile &file)
        : file_(file), leaf_(PageKind::table_leaf, leaf_header),
          levels_(file, PageKind::table_inner, max_varint) {}

    // Returns the number of the row.
    std::int64_t add(std::string_view record);
    // The table's empty root page becomes the root of all rows.
    void finish(PageNumber root);

private:
    PageNumber write_rest(std::string_view);

    PageFile &file_;
    PageBuilder leaf_;
    TreeLevels levels_;
    std::int64_t rows_ = 0;
};

} // namespace iscsiscope

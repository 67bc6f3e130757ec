// SPDX-License-Identifier: GPL-2.0-or-later
// Cells of Wireshark's statistics tables.
#pragma once

#include "plugin/compat/wireshark_versions.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

namespace iscsiscope::plugin {

// Wireshark's numbers have 32 bits; larger ones are shown as the largest.
inline void set_number(stat_tap_table *table, guint row, guint column, std::uint64_t number) {
    stat_tap_table_item_type *item = stat_tap_get_field_data(table, row, column);
    item->type = TABLE_ITEM_UINT;
    item->value.uint_value =
        static_cast<guint>(std::min<std::uint64_t>(number, std::numeric_limits<guint>::max()));
    stat_tap_set_field_data(table, row, column, item);
}

inline void set_real(stat_tap_table *table, guint row, guint column, double number) {
    stat_tap_table_item_type *item = stat_tap_get_field_data(table, row, column);
    item->type = TABLE_ITEM_FLOAT;
    item->value.float_value = number;
    stat_tap_set_field_data(table, row, column, item);
}

// A cell of a copy of the text, which free_text() frees.
inline stat_tap_table_item_type text_cell(const std::string &text) {
    stat_tap_table_item_type item = {};
    item.type = TABLE_ITEM_STRING;
    item.value.string_value = g_strdup(text.c_str());
    return item;
}

// The member stat_tap_free_table_item_cb of a table whose texts all are of text_cell().
inline void free_text(stat_tap_table *, guint, guint, stat_tap_table_item_type *item) {
    if (item->type == TABLE_ITEM_STRING)
        g_free(const_cast<char *>(item->value.string_value));
}

} // namespace iscsiscope::plugin

// SPDX-License-Identifier: GPL-2.0-or-later
// Statistics ▸ iSCSI Service Response Times, -z iscsiscope,response_times[,filter]: number, bytes and
// quantiles of the response time by SCSI command, session, LUN and path. A display filter selects the frames
// that end cycles. Wireshark owns the tables; the distribution of a row hangs on its first cell.
#include "plugin/statistics/statistics.h"

#include "analyzer/query/cell.h"
#include "analyzer/tallies/tally.h"
#include "analyzer/words/protocol_words.h"
#include "plugin/compat/guard.h"
#include "plugin/compat/wireshark_versions.h"
#include "plugin/statistics/table_cells.h"
#include "plugin/store/session.h"

#include <cstring>
#include <memory>
#include <string>

namespace iscsiscope::plugin {
namespace {

constexpr guint max_rows = 512; // of one table; its last row takes the rest

stat_tap_table_item columns[] = {
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Of", "%-45s"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Cycles", "%u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Not good", "%u"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "MB", "%.3f"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Median (ms)", "%.3f"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "p99 (ms)", "%.3f"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Longest (ms)", "%.3f"},
};
constexpr guint column_count = std::size(columns);

enum Group : guint { by_command, by_session, by_lun, by_path, group_count };
constexpr const char *titles[group_count] = {"iSCSI response times by SCSI command",
                                             "iSCSI response times by session", "iSCSI response times by LUN",
                                             "iSCSI response times by path"};

Tally &row_at(const stat_tap_table *table, guint index) {
    return *static_cast<Tally *>(stat_tap_get_field_data(table, index, 0)->user_data.ptr_value);
}

void write(stat_tap_table *table, guint index) {
    const Tally &row = row_at(table, index);
    const auto ms = [&](double q) {
        return static_cast<double>(row.response_time.quantile(q).value_or(0)) / 1e6;
    };
    set_number(table, index, 1, row.count);
    set_number(table, index, 2, row.not_good);
    set_real(table, index, 3, static_cast<double>(row.bytes) / 1e6);
    set_real(table, index, 4, ms(0.5));
    set_real(table, index, 5, ms(0.99));
    set_real(table, index, 6, ms(1));
}

guint index_of(stat_tap_table *table, const char *name) {
    if (table->num_elements + 1 >= max_rows)
        name = "others";
    for (guint i = 0; i < table->num_elements; ++i)
        if (std::strcmp(stat_tap_get_field_data(table, i, 0)->value.string_value, name) == 0)
            return i;
    auto row = std::make_unique<Tally>();
    stat_tap_table_item_type items[column_count] = {};
    for (guint i = 0; i < column_count; ++i)
        items[i].type = columns[i].type;
    items[0].value.string_value = g_strdup(name);
    items[0].user_data.ptr_value = row.release();
    stat_tap_init_table_row(table, table->num_elements, column_count, items);
    return table->num_elements - 1;
}

void count(stat_tap_table *table, const std::string &name, const CycleRecord &r) {
    const guint index = index_of(table, name.c_str());
    row_at(table, index).add(r);
    write(table, index);
}

std::string session_name(SessionId number) {
    std::string name = "session " + to_string(number);
    for (const SessionRecord &s : session()->store().sessions())
        if (s.session == number && !s.target_name.empty())
            return name + " to " + s.target_name;
    return name;
}

tap_packet_status add_to_response_times(void *to, packet_info *, epan_dissect_t *, const void *data,
                                        tap_flags_t) {
    const auto &item = *static_cast<const TapItem *>(data);
    if (item.cycle == nullptr || session() == nullptr)
        return TAP_PACKET_DONT_REDRAW;
    GArray *tables = static_cast<stat_data_t *>(to)->stat_tap_data->tables;
    const auto table = [&](Group g) { return g_array_index(tables, stat_tap_table *, g); };
    const CycleRecord &r = item.cycle->record;
    return guarded([&] {
        Scratch scratch;
        if (r.opcode)
            count(table(by_command), command_words(*r.opcode, r.service_action), r);
        count(table(by_session), session_name(r.session), r);
        count(table(by_lun),
              "session " + to_string(r.session) + ", LUN " + std::string(lun_cell(r.lun, scratch)), r);
        count(table(by_path), session()->store().path_of(r.stream), r);
    })
               ? TAP_PACKET_REDRAW
               : TAP_PACKET_FAILED;
}

void reset(stat_tap_table *table) {
    for (guint i = 0; i < table->num_elements; ++i) {
        row_at(table, i) = {};
        write(table, i);
    }
}

void begin(stat_tap_table_ui *ui) {
    for (const char *title : titles)
        if (stat_tap_table *table = stat_tap_find_table(ui, title))
            reset(table);
        else
            stat_tap_add_table(ui, stat_tap_init_table(title, static_cast<int>(column_count), 0, nullptr));
}

void free_item(stat_tap_table *, guint, guint column, stat_tap_table_item_type *item) {
    if (column != 0)
        return;
    g_free(const_cast<char *>(item->value.string_value));
    delete static_cast<Tally *>(item->user_data.ptr_value);
}

} // namespace

void register_response_times() {
    static tap_param parameters[] = {{PARAM_FILTER, "filter", "Filter", nullptr, TRUE}};
    static stat_tap_table_ui ui = {REGISTER_PACKET_STAT_GROUP_UNSORTED,
                                   "iSCSI Service Response Times",
                                   "iscsiscope",
                                   "iscsiscope,response_times",
                                   begin,
                                   add_to_response_times,
                                   reset,
                                   free_item,
                                   nullptr,
                                   column_count,
                                   columns,
                                   std::size(parameters),
                                   parameters,
                                   nullptr,
                                   0};
    register_stat_tap_table_ui(&ui);
}

} // namespace iscsiscope::plugin

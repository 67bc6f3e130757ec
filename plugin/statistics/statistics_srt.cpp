// SPDX-License-Identifier: GPL-2.0-or-later
// Service response times: one table for all LUNs and one for each LUN, with a row for each operation code.
#include "plugin/statistics/statistics.h"

#include "analyzer/query/cell.h"
#include "analyzer/words/protocol_words.h"
#include "plugin/compat/guard.h"
#include "plugin/compat/wireshark_versions.h"
#include "plugin/store/session.h"

#include <cstring>
#include <set>
#include <string>

namespace iscsiscope::plugin {
namespace {

constexpr guint max_tables = 256; // LUNs of sessions; the last table takes the rest
constexpr int operation_codes = 256;

std::string table_name(SessionId session, std::uint64_t lun) {
    Scratch scratch;
    return "session " + to_string(session) + ", LUN " + std::string(lun_cell(lun, scratch));
}

// Wireshark keeps the pointer to a table's name for as long as a window shows it. There are no more of
// them than LUNs and commands.
const char *lasting(const std::string &name) {
    static std::set<std::string> names;
    return names.insert(name).first->c_str();
}

srt_stat_table *table_for(GArray *tables, const char *name) {
    if (tables->len + 1 >= max_tables)
        name = "other LUNs";
    for (guint i = 0; i < tables->len; ++i) {
        srt_stat_table *table = g_array_index(tables, srt_stat_table *, i);
        if (std::strcmp(name, table->name) == 0)
            return table;
    }
    // tshark prints the title of the first column, but not the table's name: the title says whose times they
    // are.
    return init_srt_table(name, nullptr, tables, operation_codes, name, "iscsiscope.cycle.opcode", nullptr);
}

// Tables are added as LUNs appear; one must be there from the beginning, or tshark crashes in drawing none.
void begin(register_srt *, GArray *tables) {
    table_for(tables, "all LUNs");
}

void count(srt_stat_table *table, const CycleRecord &r, const char *command, const nstime_t &request,
           packet_info *pinfo) {
    if (table->procedures[*r.opcode].procedure == nullptr) // a second initialisation would clear it
        init_srt_table_row(table, *r.opcode, command);
    add_srt_table_data(table, *r.opcode, &request, pinfo);
}

tap_packet_status add_to_srt(void *to, packet_info *pinfo, epan_dissect_t *, const void *data, tap_flags_t) {
    const auto &item = *static_cast<const TapItem *>(data);
    if (item.cycle == nullptr || !item.cycle->record.response_time || !item.cycle->record.opcode)
        return TAP_PACKET_DONT_REDRAW;
    const CycleRecord &r = item.cycle->record;
    const char *unit = nullptr, *command = nullptr;
    if (!guarded([&] {
            unit = lasting(table_name(r.session, r.lun));
            command = lasting(command_words(*r.opcode, r.service_action));
        }))
        return TAP_PACKET_FAILED;
    // Wireshark takes the time of the request and subtracts it from the frame's, which is the end's
    // only where the result stands: moved so that the difference is the response time.
    constexpr std::int64_t second = 1'000'000'000;
    nstime_t length, request;
    length.secs = static_cast<time_t>(to_ns(*r.response_time) / second);
    length.nsecs = static_cast<int>(to_ns(*r.response_time) % second);
    nstime_delta(&request, &pinfo->abs_ts, &length);
    GArray *tables = static_cast<srt_data_t *>(to)->srt_array;
    count(g_array_index(tables, srt_stat_table *, 0), r, command, request, pinfo);
    count(table_for(tables, unit), r, command, request, pinfo);
    return TAP_PACKET_REDRAW;
}

} // namespace

void register_srt_statistics(int protocol) {
    register_srt_table(protocol, "iscsiscope", static_cast<int>(max_tables), add_to_srt, begin, nullptr);
}

} // namespace iscsiscope::plugin

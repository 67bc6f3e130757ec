// SPDX-License-Identifier: GPL-2.0-or-later
// Statistics ▸ iSCSI Summary and iSCSI Findings, -z iscsiscope,overview and iscsiscope,findings: the verdict
// with the headline numbers, and the findings, of the whole file. They are known once it has been read, so
// that a statistic that reads along in one pass shows where else they stand.
#include "plugin/statistics/statistics.h"

#include "analyzer/figures/verdict/verdict.h"
#include "analyzer/words/headline.h"
#include "analyzer/words/outcome_sentence.h"
#include "analyzer/words/verdict_words.h"
#include "plugin/compat/guard.h"
#include "plugin/compat/wireshark_versions.h"
#include "plugin/statistics/table_cells.h"
#include "plugin/store/session.h"

#include <string>
#include <vector>

namespace iscsiscope::plugin {
namespace {

constexpr const char *not_yet = "Known once the whole file has been read: with -2, or -z iscsiscope,summary";

stat_tap_table_item overview_columns[] = {
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Figure", "%-15s"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Value", "%s"},
};
stat_tap_table_item finding_columns[] = {
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Finding", "%-45s"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Severity", "%-8s"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Lost (ms)", "%.3f"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Busy time (%)", "%.1f"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "First frame", "%u"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Seen", "%s"},
};

void add_row(stat_tap_table *table, const std::vector<stat_tap_table_item_type> &cells) {
    stat_tap_init_table_row(table, table->num_elements, static_cast<guint>(cells.size()), cells.data());
}

void write_overview(stat_tap_table *table, const Report &r) {
    const auto row = [&](std::string_view name, const std::string &value) {
        add_row(table, {text_cell(std::string(name)), text_cell(value)});
    };
    row("Verdict", verdict_words(r, capture_verdict(r)));
    for (const HeadlineNumber &n : headline(r))
        row(n.name, words(n));
    row("Outcome", outcome_sentence(r).text);
}

void write_findings(stat_tap_table *table, const Report &r) {
    int number = 0; // in front of the title: Wireshark sorts by the first column
    for (const Finding &f : r.findings->findings) {
        stat_tap_table_item_type lost = {}, share = {}, frame = {};
        lost.type = share.type = TABLE_ITEM_FLOAT;
        lost.value.float_value = static_cast<double>(f.lost_time.count()) / 1e6;
        share.value.float_value = f.share * 100;
        frame.type = TABLE_ITEM_UINT;
        frame.value.uint_value = f.evidence.empty() ? 0 : static_cast<guint>(f.evidence.front().frame);
        add_row(table, {text_cell(std::to_string(++number) + ". " + f.title),
                        text_cell(std::string(name(f.severity))), lost, share, frame, text_cell(f.sentence)});
    }
    if (r.findings->findings.empty())
        add_row(table, {text_cell("none"), text_cell(""), {}, {}, {}, text_cell("")});
}

// The two statistics. Each has one table, which is written once the report is there.
struct Overview {
    static constexpr const char *title = "iSCSI summary";
    static constexpr std::size_t column_count = std::size(overview_columns);
    static void write(stat_tap_table *table, const Report &r) { write_overview(table, r); }
    static std::vector<stat_tap_table_item_type> waiting() {
        return {text_cell("Verdict"), text_cell(not_yet)};
    }
};
struct Findings {
    static constexpr const char *title = "iSCSI findings";
    static constexpr std::size_t column_count = std::size(finding_columns);
    static void write(stat_tap_table *table, const Report &r) { write_findings(table, r); }
    static std::vector<stat_tap_table_item_type> waiting() {
        return {text_cell(not_yet), text_cell(""), {}, {}, {}, text_cell("")};
    }
};

// Frees the rows.
void empty(stat_tap_table *table) {
    for (guint row = 0; row < table->num_elements; ++row) {
        for (guint column = 0; column < table->num_fields; ++column)
            free_text(table, row, column, &table->elements[row][column]);
        g_free(table->elements[row]);
    }
    table->num_elements = 0;
}

template <class Kind>
void fill(stat_tap_table *table) {
    guarded([&] {
        empty(table);
        if (session() != nullptr && session()->report() != nullptr)
            Kind::write(table, *session()->report());
        else
            add_row(table, Kind::waiting());
    });
}

template <class Kind>
void begin(stat_tap_table_ui *ui) {
    stat_tap_table *table = stat_tap_find_table(ui, Kind::title);
    if (table == nullptr) {
        table = stat_tap_init_table(Kind::title, static_cast<int>(Kind::column_count), 0, nullptr);
        stat_tap_add_table(ui, table);
    }
    fill<Kind>(table);
}

// A packet after the first pass: the report is there.
template <class Kind>
tap_packet_status add_to_report(void *to, packet_info *, epan_dissect_t *, const void *, tap_flags_t) {
    stat_tap_table *table =
        g_array_index(static_cast<stat_data_t *>(to)->stat_tap_data->tables, stat_tap_table *, 0);
    if (table->num_elements != 1 || session() == nullptr || session()->report() == nullptr)
        return TAP_PACKET_DONT_REDRAW;
    fill<Kind>(table);
    return TAP_PACKET_REDRAW;
}

template <class Kind>
void keep(stat_tap_table *) {} // what the table shows is of the file, not of the packets that pass

template <class Kind>
void register_table(const char *menu, const char *option, stat_tap_table_item *columns) {
    static stat_tap_table_ui ui = {REGISTER_PACKET_STAT_GROUP_UNSORTED,
                                   menu,
                                   "iscsiscope",
                                   option,
                                   begin<Kind>,
                                   add_to_report<Kind>,
                                   keep<Kind>,
                                   free_text,
                                   nullptr,
                                   Kind::column_count,
                                   columns,
                                   0,
                                   nullptr,
                                   nullptr,
                                   0};
    register_stat_tap_table_ui(&ui);
}

} // namespace

void register_report_tables() {
    register_table<Overview>("iSCSI Summary", "iscsiscope,overview", overview_columns);
    register_table<Findings>("iSCSI Findings", "iscsiscope,findings", finding_columns);
}

} // namespace iscsiscope::plugin

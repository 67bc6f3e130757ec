// SPDX-License-Identifier: GPL-2.0-or-later
// Cycles by type and outcome with their response times, gaps by kind with their lengths.
#include "plugin/statistics/statistics.h"

#include "plugin/compat/wireshark_versions.h"
#include "plugin/store/session.h"

#include <cstdio>
#include <string_view>

namespace iscsiscope::plugin {
namespace {

constexpr char response_root[] = "Response time (µs)";
constexpr char outcome_root[] = "Cycles by outcome";
constexpr char gap_root[] = "Idle gaps (µs)";

// The tree's averages are of 32 bits: microseconds reach 35 minutes.
gint microseconds(Duration d) {
    const std::int64_t us = to_ns(d) / 1000;
    return us > G_MAXINT ? G_MAXINT : static_cast<gint>(us);
}

void begin(stats_tree *st) {
    for (const char *root : {response_root, outcome_root, gap_root})
        stats_tree_create_node(st, root, 0, STAT_DT_INT, TRUE);
}

struct Label {
    char text[96];

    explicit Label(std::string_view one, std::string_view two = "") {
        std::snprintf(text, sizeof text, "%.*s%s%.*s", static_cast<int>(one.size()), one.data(),
                      two.empty() ? "" : ", ", static_cast<int>(two.size()), two.data());
    }
};

void count(stats_tree *st, const char *root, const Label &leaf) {
    const int parent = stats_tree_manip_node_int(MN_INCREASE, st, root, 0, TRUE, 1);
    stats_tree_manip_node_int(MN_INCREASE, st, leaf.text, parent, FALSE, 1);
}

void average(stats_tree *st, const char *root, const Label &leaf, gint value) {
    const int parent = stats_tree_manip_node_int(MN_AVERAGE, st, root, 0, TRUE, value);
    stats_tree_manip_node_int(MN_AVERAGE, st, leaf.text, parent, FALSE, value);
}

tap_packet_status add_to_tree(stats_tree *st, packet_info *, epan_dissect_t *, const void *data,
                              tap_flags_t) {
    const auto &item = *static_cast<const TapItem *>(data);
    if (item.cycle != nullptr) {
        const CycleRecord &r = item.cycle->record;
        count(st, outcome_root, Label(name(r.type), name(r.outcome)));
        if (r.response_time)
            average(st, response_root, Label(name(r.type)), microseconds(*r.response_time));
    }
    if (item.gap != nullptr)
        average(st, gap_root, Label(name(item.gap->kind)), microseconds(item.gap->length));
    return TAP_PACKET_REDRAW;
}

} // namespace

void register_statistics(int protocol) {
    stats_tree_register_plugin("iscsiscope", "iscsiscope", tree_path, 0, add_to_tree, begin, nullptr);
    register_srt_statistics(protocol);
    register_response_times();
    register_report_tables();
    register_summary();
}

} // namespace iscsiscope::plugin

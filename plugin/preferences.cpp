// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/preferences.h"

#include "plugin/compat/wireshark_versions.h"

namespace iscsiscope::plugin {
namespace {

enum Position { position_automatic, position_initiator, position_target, position_middle };

const enum_val_t positions[] = {{"automatic", "Automatic", position_automatic},
                                {"initiator", "At the initiator", position_initiator},
                                {"target", "At the target", position_target},
                                {"middle", "In the middle", position_middle},
                                {nullptr, nullptr, 0}};
// Only the first two show each figure once, so that sums over frames are those of the cycles.
const enum_val_t frames[] = {
    {"end", "Status", static_cast<gint>(ResultOn::end)},
    {"command", "Command", static_cast<gint>(ResultOn::command)},
    {"both", "Command and status (sums count twice)", static_cast<gint>(ResultOn::both)},
    {nullptr, nullptr, 0}};

// Values of the preferences; Wireshark writes into these variables.
struct Values {
    guint gap_threshold_us = 0;
    gint position = position_automatic;
    range_t *ports = nullptr;
    gint result = static_cast<gint>(ResultOn::end);
    PreferenceFlag senders = TRUE, findings = TRUE, info = FALSE;
};
Values &values() {
    static Values v;
    return v;
}

} // namespace

void register_preferences(int protocol) {
    Values &v = values();
    module_t *module = prefs_register_protocol(protocol, nullptr);
    prefs_register_uint_preference(module, "gap_threshold", "Gap threshold (microseconds)",
                                   "Shortest interval without payload that is an idle gap; 0: automatic", 10,
                                   &v.gap_threshold_us);
    prefs_register_enum_preference(module, "position", "Capture position",
                                   "Where on the path the capture was taken", &v.position, positions, FALSE);
    range_convert_str(wmem_epan_scope(), &v.ports, "", 65535);
    prefs_register_range_preference(module, "ports", "TCP ports",
                                    "Ports of iSCSI besides 3260 and 860; elsewhere it is found by content",
                                    &v.ports, 65535);
    prefs_register_enum_preference(module, "result_frame", "Frame that carries the result",
                                   "Where a cycle's figures are shown once the whole file has been read",
                                   &v.result, frames, FALSE);
    prefs_register_bool_preference(module, "tcp", "TCP estimates",
                                   "Bytes in flight, congestion window and limit of the sender, on each "
                                   "segment of new data (fields iscsiscope.tcp); costs memory",
                                   &v.senders);
    prefs_register_bool_preference(
        module, "findings", "Findings",
        "Causes of lost time, drawn from the capture as a whole, on the frames that "
        "prove them (fields iscsiscope.finding), and the summary, once it has been read",
        &v.findings);
    prefs_register_bool_preference(module, "info_column", "Cycles in the Info column",
                                   "Append number and part of the cycle to the Info column, and with it to "
                                   "Statistics > Flow Graph (All Flows), which shows that text",
                                   &v.info);
}

EngineOptions engine_options() {
    const Values &v = values();
    EngineOptions options;
    if (v.gap_threshold_us != 0)
        options.cycles.gap_threshold = std::chrono::microseconds(v.gap_threshold_us);
    switch (v.position) {
    case position_initiator:
        options.cycles.position = 0.0;
        break;
    case position_target:
        options.cycles.position = 1.0;
        break;
    case position_middle:
        options.cycles.position = 0.5;
        break;
    default:
        break;
    }
    if (v.ports != nullptr)
        for (guint i = 0; i < v.ports->nranges; ++i)
            for (guint32 port = v.ports->ranges[i].low; port <= v.ports->ranges[i].high && port <= 65535;
                 ++port)
                options.iscsi.ports.push_back(static_cast<std::uint16_t>(port));
    return options;
}

Session::Extras extras() {
    return {values().senders != 0, values().findings != 0};
}

bool cycles_in_info_column() {
    return values().info != 0;
}

ResultOn result_on() {
    return static_cast<ResultOn>(values().result);
}

} // namespace iscsiscope::plugin

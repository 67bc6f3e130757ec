// SPDX-License-Identifier: GPL-2.0-or-later
// Registers the statistics: in the menu Statistics (Wireshark gives a submenu to trees only), for tshark -z
// iscsiscope,tree, iscsiscope,response_times, iscsiscope,findings, iscsiscope,overview, iscsiscope,srt and
// iscsiscope,summary.
#pragma once

namespace iscsiscope::plugin {

void register_statistics(int protocol);
void register_srt_statistics(int protocol); // by operation code and LUN
void register_response_times();
void register_report_tables(); // findings, overview
void register_summary();

} // namespace iscsiscope::plugin

// SPDX-License-Identifier: GPL-2.0-or-later
// Registers -z iscsiscope,tree (Statistics ▸ iSCSI ▸ Cycles), iscsiscope,srt and, in tshark,
// iscsiscope,summary.
#pragma once

namespace iscsiscope::plugin {

void register_statistics(int protocol);
void register_srt_statistics(int protocol); // by operation code and LUN
void register_summary();

} // namespace iscsiscope::plugin

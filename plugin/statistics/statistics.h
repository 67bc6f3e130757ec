// SPDX-License-Identifier: GPL-2.0-or-later
// Statistics ▸ iSCSI ▸ Cycles, -z iscsiscope,tree | srt | summary.
#pragma once

namespace iscsiscope::plugin {

void register_statistics(int protocol);
void register_srt_statistics(int protocol); // by operation code and LUN
void register_summary();

} // namespace iscsiscope::plugin

// SPDX-License-Identifier: GPL-2.0-or-later
// Registers the statistics: Statistics ▸ iSCSI ▸ Cycles (-z iscsiscope,tree), service response times
// (-z iscsiscope,srt) and, for tshark, the report (-z iscsiscope,summary).
#pragma once

namespace iscsiscope::plugin {

void register_statistics(int protocol);
void register_srt_statistics(int protocol); // by operation code and LUN
void register_summary();

} // namespace iscsiscope::plugin

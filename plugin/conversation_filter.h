// SPDX-License-Identifier: GPL-2.0-or-later
// The menu item Conversation Filter ▸ iSCSI cycle: all frames of the cycles of which the chosen frame carries
// bytes.
#pragma once

namespace iscsiscope::plugin {

void register_conversation_filter_of_cycles();

} // namespace iscsiscope::plugin

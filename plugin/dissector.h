// SPDX-License-Identifier: GPL-2.0-or-later
// The postdissector: it feeds frames to the engine on the first pass and adds items to the tree on every
// pass.
#pragma once

namespace iscsiscope::plugin {

// Called once each by Wireshark, through entry.cpp.
void register_protocol();
void register_handoff();

} // namespace iscsiscope::plugin

// SPDX-License-Identifier: GPL-2.0-or-later
// The postdissector: frames in on the first pass, items out on every pass.
#pragma once

namespace iscsiscope::plugin {

// Called once each by Wireshark, through entry.cpp.
void register_protocol();
void register_handoff();

} // namespace iscsiscope::plugin

// SPDX-License-Identifier: GPL-2.0-or-later
// Edit ▸ Preferences ▸ Protocols ▸ iSCSI Cycles. Wireshark dissects the file again when one has changed.
#pragma once

#include "analyzer/cycles/engine.h"
#include "plugin/store/session.h"

namespace iscsiscope::plugin {

void register_preferences(int protocol);
// Return the present values.
EngineOptions engine_options();
ResultOn result_on();
Session::Extras extras();
bool cycles_in_info_column();

} // namespace iscsiscope::plugin

// SPDX-License-Identifier: GPL-2.0-or-later
// What is known of a frame → items of its tree.
#pragma once

#include "plugin/drift.h"
#include "plugin/store.h"

namespace iscsiscope::plugin {

void show(const FrameFacts &, int protocol, tvbuff_t *, packet_info *, proto_tree *);

} // namespace iscsiscope::plugin

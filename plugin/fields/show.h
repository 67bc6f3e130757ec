// SPDX-License-Identifier: GPL-2.0-or-later
// Adds the field values of a frame to Wireshark's tree.
#pragma once

#include "plugin/compat/wireshark_versions.h"
#include "plugin/fields/field_values.h"

namespace iscsiscope::plugin {

// Returns which labels are shown to the user: none in a tree that serves only a filter or a statistic.
Labels labels_wanted(proto_tree *, int protocol);

// Wireshark may leave this function by longjmp, so it holds no object with a destructor.
void show(const FieldValues &, int protocol, tvbuff_t *, packet_info *, proto_tree *);

} // namespace iscsiscope::plugin

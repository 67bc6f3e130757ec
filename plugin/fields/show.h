// SPDX-License-Identifier: GPL-2.0-or-later
// Field values → items of Wireshark's tree.
#pragma once

#include "plugin/compat/wireshark_versions.h"
#include "plugin/fields/field_values.h"

namespace iscsiscope::plugin {

// Which of the labels somebody will read: in a tree of fields for a filter or a statistic none.
Labels labels_wanted(proto_tree *, int protocol);

// May longjmp out of here, as any dissector may: it holds nothing that needs a destructor.
void show(const FieldValues &, int protocol, tvbuff_t *, packet_info *, proto_tree *);

} // namespace iscsiscope::plugin

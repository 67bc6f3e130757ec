// SPDX-License-Identifier: GPL-2.0-or-later
// The symbols that Wireshark looks up in the shared object. They are declared before they are defined,
// because a constant of namespace scope has internal linkage otherwise, even in extern "C".
#include "plugin/compat/wireshark_versions.h"
#include "plugin/dissector.h"

extern "C" {
WS_DLL_PUBLIC const gchar plugin_version[];
WS_DLL_PUBLIC const int plugin_want_major;
WS_DLL_PUBLIC const int plugin_want_minor;
WS_DLL_PUBLIC guint32 plugin_describe(void);
WS_DLL_PUBLIC void plugin_register(void);

const gchar plugin_version[] = ISCSISCOPE_VERSION;
const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

guint32 plugin_describe(void) {
    return iscsiscope::plugin::plugin_kinds;
}

void plugin_register(void) {
    static proto_plugin plugin; // Wireshark keeps the pointer
    plugin.register_protoinfo = iscsiscope::plugin::register_protocol;
    plugin.register_handoff = iscsiscope::plugin::register_handoff;
    proto_register_plugin(&plugin);
}
}

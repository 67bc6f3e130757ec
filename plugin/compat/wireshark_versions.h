// SPDX-License-Identifier: GPL-2.0-or-later
// Differences of Wireshark's interface between its versions; no other file of the plugin asks for the
// version.
#pragma once

#ifndef WS_BUILD_DLL
#define WS_BUILD_DLL // our entry points are exported, Wireshark's functions imported
#endif
#include <wireshark.h>

#include <epan/expert.h>
#include <epan/packet.h>
#include <epan/prefs.h>
#include <epan/proto.h>
#include <epan/range.h>
#include <epan/srt_table.h>
#include <epan/stat_tap_ui.h>
#include <epan/stats_tree.h>
#include <epan/tap.h>
#include <epan/tvbuff.h>
#include <epan/unit_strings.h>

#define ISCSISCOPE_WIRESHARK(major, minor)                                                                   \
    (WIRESHARK_VERSION_MAJOR > (major) ||                                                                    \
     (WIRESHARK_VERSION_MAJOR == (major) && WIRESHARK_VERSION_MINOR >= (minor)))

#if ISCSISCOPE_WIRESHARK(4, 2)
#include <wsutil/plugins.h>
#endif

namespace iscsiscope::plugin {

// The kinds of plugin that this one registers as. Versions before 4.2 do not ask for them.
#if ISCSISCOPE_WIRESHARK(4, 2)
inline constexpr guint32 plugin_kinds = WS_PLUGIN_DESC_DISSECTOR | WS_PLUGIN_DESC_TAP_LISTENER;
#else
inline constexpr guint32 plugin_kinds = 0;
#endif

// Menu paths of statistics trees.
#if ISCSISCOPE_WIRESHARK(4, 4)
inline constexpr char tree_path[] = "iSCSI//Cycles";
#else
inline constexpr char tree_path[] = "iSCSI/Cycles";
#endif

// Type of the variable behind a boolean preference.
#if ISCSISCOPE_WIRESHARK(4, 4)
using PreferenceFlag = bool;
#else
using PreferenceFlag = gboolean;
#endif

} // namespace iscsiscope::plugin

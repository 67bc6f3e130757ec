// SPDX-License-Identifier: GPL-2.0-or-later
// Differences of Wireshark's interface between its versions. No other file of the plugin knows of them; which
// of them this Wireshark has, compat/features.cmake finds out.
#pragma once

#ifndef WS_BUILD_DLL
#define WS_BUILD_DLL // our entry points are exported, Wireshark's functions imported
#endif
#include <iscsiscope_wireshark_features.h>
#include <wireshark.h>

#include <epan/packet.h>

#include <epan/conversation_filter.h>
#include <epan/expert.h>
#include <epan/prefs.h>
#include <epan/proto.h>
#include <epan/range.h>
#include <epan/srt_table.h>
#include <epan/stat_tap_ui.h>
#include <epan/stats_tree.h>
#include <epan/tap.h>
#include <epan/tvbuff.h>
#include <epan/unit_strings.h>

#include <cstdlib>

#if ISCSISCOPE_HAS_PLUGIN_DESCRIPTION
#include <wsutil/plugins.h>
#endif

// Separates the parts of a menu path.
#if ISCSISCOPE_HAS_MENU_SEPARATOR
#define ISCSISCOPE_MENU_SEPARATOR STATS_TREE_MENU_SEPARATOR
#else
#define ISCSISCOPE_MENU_SEPARATOR "/"
#endif

namespace iscsiscope::plugin {

// The kinds of plugin that this one registers as. Versions before 4.2 do not ask for them.
#if ISCSISCOPE_HAS_PLUGIN_DESCRIPTION
inline constexpr guint32 plugin_kinds = WS_PLUGIN_DESC_DISSECTOR | WS_PLUGIN_DESC_TAP_LISTENER;
#else
inline constexpr guint32 plugin_kinds = 0;
#endif

// Menu paths of statistics trees.
inline constexpr char tree_path[] = "iSCSI" ISCSISCOPE_MENU_SEPARATOR "Cycles";

// Type of the variable behind a boolean preference.
#if ISCSISCOPE_HAS_BOOL_PREFERENCES
using PreferenceFlag = bool;
#else
using PreferenceFlag = gboolean;
#endif

// Returns whether a filter, column or option names the field itself, and not only its protocol's items.
inline bool is_referenced_itself(const header_field_info &field) {
#if ISCSISCOPE_HAS_PRINTED_FIELDS
    if (field.ref_type == HF_REF_TYPE_PRINT)
        return true;
#endif
    return field.ref_type == HF_REF_TYPE_DIRECT;
}

// Registers a conversation filter (menus "Conversation Filter" and "Colorize Conversation") for frames of
// which is_valid(packet_info *) returns true. build(packet_info *) returns the filter, allocated by
// g_malloc(), or null.
template <bool (*is_valid)(packet_info *), char *(*build)(packet_info *)>
void add_conversation_filter(const char *protocol, const char *menu_name) {
#if ISCSISCOPE_HAS_CONVERSATION_DATA
    register_conversation_filter(
        protocol, menu_name, [](packet_info *pinfo, void *) { return is_valid(pinfo); },
        [](packet_info *pinfo, void *) { return build(pinfo); }, nullptr);
#else
    register_conversation_filter(
        protocol, menu_name, [](packet_info *pinfo) -> gboolean { return is_valid(pinfo); }, build);
#endif
}

// The member tap_init_cb of a stat_tap_ui. begin(argument) returns false if the statistic cannot begin, and
// has then written the reason to stderr. Wireshark then ends with an error; versions that do not ask for the
// result leave that to the statistic, as their own ones do.
#if ISCSISCOPE_HAS_CHECKED_STATISTICS
template <bool (*begin)(const char *)>
bool statistic_begin(const char *argument, void *) {
    return begin(argument);
}
#else
template <bool (*begin)(const char *)>
void statistic_begin(const char *argument, void *) {
    if (!begin(argument))
        std::exit(1);
}
#endif

} // namespace iscsiscope::plugin

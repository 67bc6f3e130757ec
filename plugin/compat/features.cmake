# SPDX-License-Identifier: GPL-2.0-or-later
# What the headers of this Wireshark declare, asked by compiling a few lines against them, since distributions
# backport changes and version numbers say little. Answers go to iscsiscope_wireshark_features.h in the build folder;
# plugin/compat/wireshark_versions.h alone includes it.
include(CheckCXXSourceCompiles)

function(iscsiscope_wireshark_feature name lines)
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY) # compiled, not linked
  set(CMAKE_REQUIRED_QUIET ON)
  get_target_property(CMAKE_REQUIRED_INCLUDES epan INTERFACE_INCLUDE_DIRECTORIES)
  # After an upgrade of the system the headers answer anew.
  if(NOT ISCSISCOPE_ASKED_${name} STREQUAL Wireshark_VERSION)
    unset(ISCSISCOPE_${name} CACHE)
  endif()
  check_cxx_source_compiles("
#include <wireshark.h>
#include <epan/packet.h>
#include <epan/conversation_filter.h>
#include <epan/prefs.h>
#include <epan/stat_tap_ui.h>
#include <epan/stats_tree.h>
${lines}" ISCSISCOPE_${name})
  set(ISCSISCOPE_ASKED_${name} "${Wireshark_VERSION}" CACHE INTERNAL "The Wireshark of which ISCSISCOPE_${name} is true or not")
endfunction()

# What compiles with every version. If it does not, no answer below means anything.
iscsiscope_wireshark_feature(WIRESHARK_HEADERS "int f(packet_info *pinfo) { return pinfo->fd->visited; }")
if(NOT ISCSISCOPE_WIRESHARK_HEADERS)
  message(FATAL_ERROR "The headers of Wireshark ${Wireshark_VERSION} do not compile; the reason is in "
    "CMakeFiles/CMakeError.log or CMakeFiles/CMakeConfigureLog.yaml of the build folder")
endif()

iscsiscope_wireshark_feature(HAS_PLUGIN_DESCRIPTION [[
#include <wsutil/plugins.h>
auto kinds = WS_PLUGIN_DESC_DISSECTOR | WS_PLUGIN_DESC_TAP_LISTENER;]])
iscsiscope_wireshark_feature(HAS_MENU_SEPARATOR [[
const char menu[] = "one" STATS_TREE_MENU_SEPARATOR "two";]])
iscsiscope_wireshark_feature(HAS_BOOL_PREFERENCES [[
void (*f)(module_t *, const char *, const char *, const char *, bool *) = prefs_register_bool_preference;]])
iscsiscope_wireshark_feature(HAS_CONVERSATION_DATA [[
bool is_valid(packet_info *, void *);
char *filter(packet_info *, void *);
void f() { register_conversation_filter("", "", is_valid, filter, nullptr); }]])
iscsiscope_wireshark_feature(HAS_CHECKED_STATISTICS [[
bool begin(const char *, void *);
stat_tap_init_cb f = begin;]])
iscsiscope_wireshark_feature(HAS_PRINTED_FIELDS [[
hf_ref_type type = HF_REF_TYPE_PRINT;]])

configure_file(${CMAKE_CURRENT_LIST_DIR}/features.h.in
  ${CMAKE_CURRENT_BINARY_DIR}/include/iscsiscope_wireshark_features.h @ONLY)

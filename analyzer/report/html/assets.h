// SPDX-License-Identifier: GPL-2.0-or-later
// Files that every page carries, made part of the program when it is built.
#pragma once

#include <string_view>

namespace iscsiscope::html {

extern const std::string_view page_css, page_js;
extern const std::string_view dygraphs_css, dygraphs_js; // empty: the package was not there at build time

} // namespace iscsiscope::html

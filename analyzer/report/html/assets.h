// SPDX-License-Identifier: GPL-2.0-or-later
// Files that are embedded in every page; CMake compiles them in.
#pragma once

#include <string_view>

namespace iscsiscope::html {

extern const std::string_view page_css, page_js, actions_js;
extern const std::string_view dygraphs_notice; // copyright and licence, which go wherever dygraphs goes
extern const std::string_view dygraphs_css, dygraphs_js; // empty if the package was absent at build time

} // namespace iscsiscope::html

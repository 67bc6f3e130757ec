// SPDX-License-Identifier: GPL-2.0-or-later
// The text of glossary.txt, as CMake compiles it in.
#pragma once

#include <string_view>

namespace iscsiscope {

extern const std::string_view glossary_text;

} // namespace iscsiscope

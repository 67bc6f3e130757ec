// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

// Returns the name with the least edit distance (Damerau-Levenshtein, without regard to case) from `written`,
// the first of several; empty if none is near: at most a third of what is written may be wrong, or one
// character.
std::string nearest_name(std::string_view written, const std::vector<std::string> &names);

} // namespace iscsiscope

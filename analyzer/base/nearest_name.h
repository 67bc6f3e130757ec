// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

// Returns the name with the least edit distance from `written`; empty if none is near.
std::string nearest_name(std::string_view written, const std::vector<std::string> &names);

} // namespace iscsiscope

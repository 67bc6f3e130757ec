// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string_view>

namespace iscsiscope {

// Returns the length of the well-formed UTF-8 sequence at the front of a non-empty text; 0 if there is none.
std::size_t utf8_sequence(std::string_view);

} // namespace iscsiscope

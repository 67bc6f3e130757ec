// SPDX-License-Identifier: GPL-2.0-or-later
// json_number(): a real number as JSON text.
#pragma once

#include <array>
#include <string_view>

namespace iscsiscope {

using JsonNumber = std::array<char, 64>;

// Returns a text from which the same number is read, with a point or an exponent: in `memory`, or null's if
// the number is not finite.
std::string_view json_number(double, JsonNumber &memory);

} // namespace iscsiscope

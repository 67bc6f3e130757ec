// SPDX-License-Identifier: GPL-2.0-or-later
// The identifier at the begin of a table's cell, as words.
#pragma once

#include <cstddef>
#include <string_view>

namespace iscsiscope::html {

// Returns the words of the gap kind, time of a cycle (identifier_words.h) or outcome at the begin of a cell:
// an identifier with an underscore, which no word of another kind has. Empty if there is none. `length`: of
// the identifier.
std::string_view words_at_begin(std::string_view cell, std::size_t &length);
// Returns plain_words() of the first word of a cell that begins with a time's name, as "data 454 ms" does.
std::string_view time_at_begin(std::string_view cell, std::size_t &length);

} // namespace iscsiscope::html

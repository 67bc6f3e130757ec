// SPDX-License-Identifier: GPL-2.0-or-later
// Identifiers of gap kinds, phases and outcomes as the glossary's words.
#pragma once

#include <string_view>

namespace iscsiscope::html {

// Returns the clause of the glossary for a gap kind, a time of a cycle, or a time of one burst
// ("bursts.r2t_wait"); empty for other names.
std::string_view plain_words(std::string_view identifier);
// Returns the same, and the words of an outcome, for the identifier at the begin of a table's cell: one with
// an underscore, which no word of another kind has. Empty if there is none. `length`: of the identifier.
std::string_view words_at_begin(std::string_view cell, std::size_t &length);
// Returns plain_words() of the first word of a cell that begins with a time's name, as "data 454 ms" does.
std::string_view time_at_begin(std::string_view cell, std::size_t &length);

} // namespace iscsiscope::html

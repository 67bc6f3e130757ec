// SPDX-License-Identifier: GPL-2.0-or-later
// Identifiers of gap kinds and of the times of a cycle, as the glossary's words.
#pragma once

#include <string_view>

namespace iscsiscope {

// Returns the clause of the glossary for a gap kind, a time of a cycle, or a time of one burst
// ("bursts.r2t_wait"); empty for other names.
std::string_view plain_words(std::string_view identifier);

} // namespace iscsiscope

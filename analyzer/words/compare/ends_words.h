// SPDX-License-Identifier: GPL-2.0-or-later
// Two captures of the same run, taken at its two ends: what they have in common, and their clocks.
#pragma once

#include <string>

namespace iscsiscope {

struct PairFigures;

// Sentences on the number of matched connections, and on the offset and the drift between the two clocks.
std::string matched_words(const PairFigures &);
std::string clock_words(const PairFigures &);
std::string drift_words(const PairFigures &); // empty if the clocks could not be compared
// A warning if the time stamps contradict that one clock made them; else empty.
std::string same_clock_warning(const PairFigures &);

} // namespace iscsiscope

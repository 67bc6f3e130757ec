// SPDX-License-Identifier: GPL-2.0-or-later
// A finding → what is wrong with its words (docs/findings.md, "Fields").
#pragma once

#include "analyzer/findings/finding.h"

#include <string>
#include <vector>

namespace iscsiscope::test {

// Numbers and their units are not counted as words.
inline constexpr std::size_t longest_title = 60; // characters
inline constexpr std::size_t max_words = 48;     // of a sentence or remedy
inline constexpr std::size_t max_evidence_words = 10;

// Returns one complaint for each rule of the manner that the words break; empty: none.
std::vector<std::string> complaints(const Finding &);

// The number of words of a text, without numbers and units.
std::size_t words_in(const std::string &text);

} // namespace iscsiscope::test

// SPDX-License-Identifier: GPL-2.0-or-later
// The figures of a comparison in words, and which of them differ enough to be shown.
#pragma once

#include "analyzer/figures/compare/comparison.h"

namespace iscsiscope {

// A smaller relative difference, or one of shares, is not shown.
inline constexpr double min_change = 0.02, min_share = 0.005;

// With its unit; "-" if it is not known.
std::string figure_words(const std::optional<double> &, Unit);
// "+24.4 %", "× 55", for shares "-3.0 points"; empty if one of the two is not known.
std::string change_words(const Difference &);
// False for what is the same in both captures, as far as a reader cares.
bool differs(const Difference &);
// "better", "worse", or empty where neither can be said.
std::string better_or_worse(const Difference &);

} // namespace iscsiscope

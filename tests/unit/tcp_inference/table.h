// SPDX-License-Identifier: GPL-2.0-or-later
// Accuracy in rows.
#pragma once

#include "comparison.h"

#include <string>

namespace iscsiscope::test {

void print_heading(int label_width);
void print_row(const std::string &label, int label_width, const Accuracy &);
// Share of the rows by what the samples say held the sender.
std::string label_shares(const std::array<std::size_t, 6> &labels);

} // namespace iscsiscope::test

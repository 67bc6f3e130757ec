// SPDX-License-Identifier: GPL-2.0-or-later
// What was wrong with the order and the clock of a capture, in sentences.
#pragma once

#include <string>
#include <vector>

namespace iscsiscope {

struct CaptureSummary;

// None where all was in order.
std::vector<std::string> order_remarks(const CaptureSummary &);

} // namespace iscsiscope

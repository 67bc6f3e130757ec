// SPDX-License-Identifier: GPL-2.0-or-later
// What was wrong with the order and the clock of a capture, in sentences.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

struct CaptureSummary;

struct OrderRemark {
    std::string_view about; // "Order" or "Clock"
    std::string words;
};

// None where all was in order.
std::vector<OrderRemark> order_remarks(const CaptureSummary &);
// What a verdict says of the clock, in one sentence: that it was set, that those of interfaces are apart, or
// that it is coarse. Empty: none of these.
std::string clock_caveat(const CaptureSummary &);

} // namespace iscsiscope

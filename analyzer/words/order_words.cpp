// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/words/capture/order_words.h"

#include "analyzer/base/number_format.h"
#include "analyzer/pipeline/read_capture.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace iscsiscope {

std::vector<std::string> order_remarks(const CaptureSummary &c) {
    constexpr std::size_t most = 4;
    const OrderSummary &order = c.order;
    std::vector<std::string> all;
    if (order.out_of_order != 0)
        all.push_back(fmt::format("{} late in the file, by up to {}: the segments are read in order of time",
                                  human::plural(order.out_of_order, "segment is", "segments are"),
                                  human::duration(order.furthest)));
    for (std::size_t i = 0; i < std::min(most, order.steps.size()); ++i) {
        const ClockStep &s = order.steps[i];
        all.push_back(fmt::format("The capture's clock was set {} by {} at frame {}: the step is taken out "
                                  "of all times behind it",
                                  s.by < Duration{} ? "back" : "forward",
                                  human::duration(std::chrono::abs(s.by)), s.frame));
    }
    if (order.step_count > most)
        all.push_back(fmt::format("The capture's clock was set {} more", //
                                  human::plural(order.step_count - most, "time", "times")));
    if (order.resolution)
        all.push_back(fmt::format("The capture's clock has a resolution of {}: what is shorter is not seen, "
                                  "and each time may be off by as much",
                                  human::duration(*order.resolution)));
    return all;
}

} // namespace iscsiscope

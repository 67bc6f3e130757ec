// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/words/order_words.h"

#include "analyzer/base/number_format.h"
#include "analyzer/pipeline/read_capture.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace iscsiscope {
namespace {

constexpr std::size_t max_remarks = 4;

// "set back by 2.00 s at frame 964".
std::string step_words(const ClockStep &s) {
    return fmt::format("set {} by {} at frame {}", s.by < Duration{} ? "back" : "forward",
                       human::duration(std::chrono::abs(s.by)), s.frame);
}

// "eth1", or "2" where the file gives no name: the second one.
std::string interface_name(const CaptureSummary &c, std::uint32_t interface) {
    const auto &all = c.info.interfaces;
    return interface < all.size() && !all[interface].name.empty() ? human::name(all[interface].name)
                                                                  : std::to_string(interface + 1);
}

// The greatest difference between two of these clocks and that of the reference.
Duration apart(const std::vector<InterfaceClock> &clocks) {
    Duration least{}, most{}; // of the reference
    for (const InterfaceClock &k : clocks) {
        least = std::min(least, k.ahead);
        most = std::max(most, k.ahead);
    }
    return most - least;
}

} // namespace

std::vector<OrderRemark> order_remarks(const CaptureSummary &c) {
    const OrderSummary &order = c.order;
    std::vector<OrderRemark> all;
    if (order.out_of_order != 0)
        all.push_back(
            {"Order", fmt::format("{} late in the file, by up to {}: the segments are read in order of time",
                                  human::plural(order.out_of_order, "segment is", "segments are"),
                                  human::duration(order.furthest))});
    for (std::size_t i = 0; i < std::min(max_remarks, order.steps.size()); ++i)
        all.push_back({"Clock", fmt::format("The capture's clock was {}: the step is taken out of all times "
                                            "behind it",
                                            step_words(order.steps[i]))});
    if (order.step_count > max_remarks)
        all.push_back({"Clock", fmt::format("The capture's clock was set {} more",
                                            human::plural(order.step_count - max_remarks, "time", "times"))});
    for (std::size_t i = 0; i < std::min(max_remarks, order.interfaces.size()); ++i) {
        const InterfaceClock &k = order.interfaces[i];
        all.push_back(
            {"Clock", fmt::format("The clock of interface {} is {} {} that of interface {}, to within {}: "
                                  "this is taken out of its times",
                                  interface_name(c, k.interface), human::duration(std::chrono::abs(k.ahead)),
                                  k.ahead < Duration{} ? "behind" : "ahead of",
                                  interface_name(c, k.reference), human::duration(k.uncertainty))});
    }
    if (order.resolution)
        all.push_back(
            {"Clock", fmt::format("The capture's clock has a resolution of {}: what is shorter is not seen, "
                                  "and each time may be off by as much",
                                  human::duration(*order.resolution))});
    return all;
}

std::string clock_caveat(const CaptureSummary &c) {
    const OrderSummary &order = c.order;
    if (order.step_count == 1)
        return fmt::format("The capture's clock was {}.", step_words(order.steps.front()));
    if (order.step_count > 1)
        return fmt::format("The capture's clock was set {}, first {}.",
                           human::plural(order.step_count, "time", "times"),
                           step_words(order.steps.front()).substr(4));
    if (!order.interfaces.empty())
        return fmt::format("The clocks of the capture's interfaces are {} apart.",
                           human::duration(apart(order.interfaces)));
    if (order.resolution)
        return fmt::format("The capture's clock has a resolution of {}.", human::duration(*order.resolution));
    return "";
}

} // namespace iscsiscope

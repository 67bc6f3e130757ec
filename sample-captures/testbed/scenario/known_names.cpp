// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/scenario/read_parts.h"

#include <algorithm>
#include <fmt/ranges.h>

namespace iscsiscope::testbed::scenario {
namespace {

template <class Items>
std::vector<std::string> names_of(const Items &items) {
    std::vector<std::string> names;
    names.reserve(items.size());
    for (const auto &item : items)
        names.push_back(item.name);
    return names;
}

} // namespace

std::string no_such(std::string_view what, const std::string &name, const std::vector<std::string> &there) {
    const std::string nearest = nearest_name(name, there);
    const std::string meant = nearest.empty() ? "" : fmt::format("did you mean {}? ", nearest);
    std::vector<std::string> sorted = there;
    std::sort(sorted.begin(), sorted.end());
    return sorted.empty() ? fmt::format("there is no {} \"{}\"", what, name)
                          : fmt::format("there is no {} \"{}\" ({}there are: {})", what, name, meant,
                                        fmt::join(sorted, ", "));
}

std::string no_such_host(const Scenario &scenario, const std::string &name) {
    return no_such("host", name, names_of(scenario.hosts));
}

std::string no_such_link(const Scenario &scenario, const std::string &name) {
    return no_such("link", name, names_of(scenario.network.links));
}

} // namespace iscsiscope::testbed::scenario

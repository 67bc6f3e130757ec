// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/live/watch_point.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

namespace iscsiscope::testbed::run {
namespace {

std::string tap_description(const scenario::Scenario &scenario, const shim::TapConfig &tap) {
    return "a tap on link " + scenario.network.links[tap.link].name;
}

} // namespace

Result<WatchPoint> find_watch_point(scenario::Scenario &scenario, const std::string &name) {
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < scenario.hosts.size(); ++i) {
        const std::string &host = scenario.hosts[i].name;
        if (name.empty() || name == host)
            return WatchPoint{WatchPoint::Kind::host, i, host, "the device of host " + host};
        names.push_back(host);
    }
    shim::NetworkConfig &network = scenario.network;
    for (std::uint32_t i = 0; i < network.taps.size(); ++i) {
        if (name == network.taps[i].name)
            return WatchPoint{WatchPoint::Kind::tap, i, name, tap_description(scenario, network.taps[i])};
        names.push_back(network.taps[i].name);
    }
    for (std::uint32_t i = 0; i < network.links.size(); ++i) {
        if (name == network.links[i].name) {
            const auto number = static_cast<std::uint32_t>(network.taps.size());
            network.taps.push_back({name, i, shim::TapConfig::Place::on_wire, 0.5});
            return WatchPoint{WatchPoint::Kind::tap, number, name,
                              tap_description(scenario, network.taps.back())};
        }
        names.push_back(network.links[i].name);
    }
    return Failure{fmt::format("scenario {} has no host, tap or link \"{}\"; it has {}", scenario.name, name,
                               fmt::join(names, ", "))};
}

} // namespace iscsiscope::testbed::run

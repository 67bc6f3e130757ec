// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/live/load_duration.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace iscsiscope::testbed::run {
namespace {

constexpr std::array<std::string_view, 3> bounds = {"--count", "--size", "--duration"};

// Without the options that bound a workload, in both forms: "--count 5" and "--count=5".
std::vector<std::string> without_bounds(const std::vector<std::string> &arguments) {
    std::vector<std::string> kept;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view argument = arguments[i];
        const std::string_view name = argument.substr(0, argument.find('='));
        if (std::find(bounds.begin(), bounds.end(), name) == bounds.end())
            kept.push_back(arguments[i]);
        else if (name == argument)
            ++i; // its value
    }
    return kept;
}

} // namespace

void set_load_duration(scenario::Scenario &scenario, Duration duration) {
    for (scenario::Program &program : scenario.programs) {
        if (program.run != "initiator")
            continue;
        program.arguments = without_bounds(program.arguments);
        program.arguments.insert(program.arguments.end(), {"--duration", "0"}); // until SIGTERM
    }
    scenario.duration.reset();
    if (duration > Duration{0})
        scenario.duration = duration;
}

} // namespace iscsiscope::testbed::run

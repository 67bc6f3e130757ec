// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sample-captures/testbed/scenario/scenario.h"

#include <cstdint>
#include <string>

namespace iscsiscope::testbed::run {

// Where packets are watched: at a host's device, or at a tap on a link.
struct WatchPoint {
    enum class Kind : std::uint8_t { host, tap };
    Kind kind = Kind::host;
    std::uint32_t number = 0; // of the host, or of the tap in the scenario's network
    std::string name;
    std::string description;
};

// Finds a host, a tap or a link by its name, in this order; an empty name is the first host. A link is
// watched in the middle of its delay, for which a tap is added to the scenario. A failure names all that can
// be watched.
Result<WatchPoint> find_watch_point(scenario::Scenario &scenario, const std::string &name);

} // namespace iscsiscope::testbed::run

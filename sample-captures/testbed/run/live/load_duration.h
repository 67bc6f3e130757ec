// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sample-captures/testbed/scenario/scenario.h"

namespace iscsiscope::testbed::run {

// Lets the initiators of a scenario go on for `duration`, from time zero, whatever count, size or duration
// they were given; zero: until the run is ended. Plain streams end as the scenario says.
void set_load_duration(scenario::Scenario &scenario, Duration duration);

} // namespace iscsiscope::testbed::run

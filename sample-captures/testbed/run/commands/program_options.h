// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sample-captures/testbed/scenario/scenario.h"

namespace iscsiscope::testbed::run {

// The options of every program that a scenario may run, as these programs have them.
const scenario::OptionNames &program_options();

} // namespace iscsiscope::testbed::run

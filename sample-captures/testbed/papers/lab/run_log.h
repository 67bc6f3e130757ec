// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sample-captures/testbed/papers/lab/lab.h"

namespace iscsiscope::testbed::papers {

// The rows of a truth file that judge a run. A file that cannot be read gives a run that is not valid.
RunLog read_run_log(const std::string &path);

} // namespace iscsiscope::testbed::papers

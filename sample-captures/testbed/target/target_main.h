// SPDX-License-Identifier: GPL-2.0-or-later
// `iscsiscope-testbed target …` (README.md).
#pragma once

#include <string>
#include <vector>

namespace iscsiscope::testbed {

// argv[0] is the name shown in the usage. Returns the exit code: 0 ended by a signal, 1 the truth file
// could not be written, 2 a usage or set-up error (a sentence on standard error).
int target_main(int argc, char **argv);
std::vector<std::string> target_option_names(); // without "--"

} // namespace iscsiscope::testbed

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

namespace iscsiscope::testbed::run {

// `iscsiscope-testbed stream listen|send|ping …`: a plain TCP stream, the baseline that iSCSI over the
// same path is held against, and a round-trip probe. Prints one JSON line of results.
int stream_main(int argc, char **argv);
std::vector<std::string> stream_option_names(); // without "--"

} // namespace iscsiscope::testbed::run

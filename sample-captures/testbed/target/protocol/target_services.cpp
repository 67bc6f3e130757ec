// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/target/protocol/target_services.h"

#include <cstdio>

#include <fmt/format.h>

namespace iscsiscope::testbed {

void TargetServices::log(std::string_view line) const {
    if (config.verbose)
        fmt::print(stderr, "{}\n", line);
}

} // namespace iscsiscope::testbed

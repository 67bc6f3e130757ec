// SPDX-License-Identifier: GPL-2.0-or-later
// Service times as options write them.
#pragma once

#include "analyzer/base/result.h"
#include "sample-captures/testbed/target/service/distribution.h"

#include <string_view>

namespace iscsiscope::testbed {

// "constant:3ms", "uniform:3ms..4ms", "exponential:5ms" (its mean), "none".
Result<Distribution> parse_distribution(std::string_view);
// "3ms..16ms"
struct DurationRange {
    Nanoseconds low{0}, high{0};
};
Result<DurationRange> parse_duration_range(std::string_view);

} // namespace iscsiscope::testbed

// SPDX-License-Identifier: GPL-2.0-or-later
// Values with units as options write them. Nothing throws; nullopt is a text that is none.
#pragma once

#include "sample-captures/testbed/target/service/distribution.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace iscsiscope::testbed {

// "4096", "64KiB", "1MB", "256MiB", "1GiB": bytes. K, M, G, T alone count as KiB and so on.
std::optional<std::uint64_t> parse_size(std::string_view);
// "3ms", "250us", "1.5s", "0": a duration; a unit is needed except with 0.
std::optional<Nanoseconds> parse_duration(std::string_view);
// "constant:3ms", "uniform:3ms..4ms", "exponential:5ms" (its mean), "none".
std::optional<Distribution> parse_distribution(std::string_view);
// "3ms..16ms"
struct DurationRange {
    Nanoseconds low{0}, high{0};
};
std::optional<DurationRange> parse_duration_range(std::string_view);

} // namespace iscsiscope::testbed

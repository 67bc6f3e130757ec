// SPDX-License-Identifier: GPL-2.0-or-later
// Quantities with their unit, as scenarios write them: "16ms", "100Mbit/s", "64KiB", "0.1%".
#pragma once

#include "analyzer/base/result.h"
#include "sample-captures/testbed/common/time.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace iscsiscope::testbed::scenario {


// ns, us, ms, s, min. A value finer than a nanosecond is refused.
Result<Duration> parse_duration(std::string_view text);
// bit/s, kbit/s, Mbit/s, Gbit/s; B/s, kB/s, MB/s. Yields bits a second.
Result<std::int64_t> parse_rate(std::string_view text);
// B, kB, MB, GB (powers of 1000), KiB, MiB, GiB (of 1024). Yields bytes.
Result<std::uint64_t> parse_bytes(std::string_view text);
// "0.1%" as a share of 1.
Result<double> parse_share(std::string_view text);

} // namespace iscsiscope::testbed::scenario

// SPDX-License-Identifier: GPL-2.0-or-later
// Time in the shim: integer nanoseconds since the run's time zero (when the workload starts).
#pragma once

#include "analyzer/base/time.h"

namespace iscsiscope::testbed::shim {

// The link and network classes never read a clock: their callers pass the time.
struct RunClock {
    using duration = Duration;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<RunClock, duration>;
    static constexpr bool is_steady = true;
};

using Instant = RunClock::time_point;

inline constexpr std::int64_t ns_per_second = 1'000'000'000;

constexpr Instant instant_from_ns(std::int64_t ns) {
    return Instant{Duration{ns}};
}
// That of a Duration and of a Time too.
using iscsiscope::to_ns;
constexpr std::int64_t to_ns(Instant t) {
    return t.time_since_epoch().count();
}

} // namespace iscsiscope::testbed::shim

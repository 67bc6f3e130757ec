// SPDX-License-Identifier: GPL-2.0-or-later
// Time in the shim: integer nanoseconds since the run's time zero (when the workload starts).
#pragma once

#include <chrono>
#include <cstdint>

namespace iscsiscope::testbed::shim {

// Never read by the link and network classes: they are told the time.
struct RunClock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<RunClock, duration>;
    static constexpr bool is_steady = true;
};

using Duration = RunClock::duration;
using Instant = RunClock::time_point;

constexpr Instant instant_from_ns(std::int64_t ns) {
    return Instant{Duration{ns}};
}
constexpr std::int64_t to_ns(Instant t) {
    return t.time_since_epoch().count();
}
constexpr std::int64_t to_ns(Duration d) {
    return d.count();
}

} // namespace iscsiscope::testbed::shim

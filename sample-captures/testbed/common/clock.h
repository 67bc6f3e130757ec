// SPDX-License-Identifier: GPL-2.0-or-later
// The clock of every truth row: CLOCK_REALTIME, the clock that stamps the captures.
#pragma once

#include <cstdint>
#include <ctime>

namespace iscsiscope::testbed {

// Nanoseconds since the Unix epoch.
inline std::int64_t realtime_ns() {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

} // namespace iscsiscope::testbed

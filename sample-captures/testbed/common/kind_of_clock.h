// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

namespace iscsiscope::testbed {

// Real: time passes while a program computes. Virtual: the clock is stopped then, as in a guest of user-mode
// Linux with time-travel=inf-cpu, and a timer ends exactly when it is due.
enum class KindOfClock : std::uint8_t { real, simulated };
inline const char *to_string(KindOfClock kind) {
    return kind == KindOfClock::real ? "real" : "virtual";
}

// Finds out by computing for about a millisecond and looking whether CLOCK_MONOTONIC moved.
KindOfClock find_kind_of_clock();

} // namespace iscsiscope::testbed

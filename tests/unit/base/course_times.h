// SPDX-License-Identifier: GPL-2.0-or-later
// Times of made-up courses, shared by the tests of what is found in them.
#pragma once

#include "analyzer/base/time.h"

#include <chrono>

namespace iscsiscope {

inline constexpr Time course_begin = time_from_ns(1'700'000'000'000'000'000);

// Within half a second of so long after the begin.
inline bool near(Time t, Duration wanted) {
    return std::chrono::abs(t - course_begin - wanted) <= std::chrono::milliseconds(500);
}

} // namespace iscsiscope

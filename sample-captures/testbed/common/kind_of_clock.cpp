// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/common/kind_of_clock.h"

#include <ctime>

namespace iscsiscope::testbed {
namespace {

std::int64_t monotonic_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

} // namespace

KindOfClock find_kind_of_clock() {
    constexpr int steps = 1'000'000;             // no processor takes them in less than
    constexpr std::int64_t at_least_ns = 50'000; // this: 20 of them in a nanosecond
    const std::int64_t before = monotonic_ns();
    volatile int sum = 0;
    for (int i = 0; i < steps; ++i)
        sum = sum + 1;
    return monotonic_ns() - before < at_least_ns ? KindOfClock::simulated : KindOfClock::real;
}

} // namespace iscsiscope::testbed

// SPDX-License-Identifier: GPL-2.0-or-later
// A mean that changes in a part of the time: found where it does, and not where chance alone moves it.
#include "catch.h"
#include "course_times.h"

#include "analyzer/base/course/level_change.h"
#include "analyzer/base/ratio.h"

#include <chrono>
#include <random>

namespace iscsiscope {
namespace {

using namespace std::chrono_literals;

// A value every 10 ms for 20 s; log-normal around 4 ms, `times` as long between two times.
Course values(unsigned seed, Duration from, Duration to, double times, double spread) {
    std::mt19937 random(seed);
    std::lognormal_distribution<double> value(0, spread);
    Course c;
    for (Duration at{}; at < 20s; at += 10ms) {
        const double factor = at >= from && at < to ? times : 1;
        c.add_value(course_begin + at, Duration{static_cast<std::int64_t>(4e6 * factor * value(random))},
                    static_cast<FrameNumber>(at / 10ms) + 1);
    }
    return c;
}

} // namespace

TEST_CASE("a mean that doubles is dated to its first value") {
    const auto change = level_change_of(values(1, 7s, 12s, 2, 0.3));
    REQUIRE(change);
    CHECK(near(change->from, 7s));
    CHECK(near(change->until, 12s));
    CHECK(change->frame == static_cast<FrameNumber>((change->from - course_begin) / 10ms) + 1);
    CHECK(amount(change->within) / amount(change->outside) > 1.8);
    CHECK(amount(change->within) / amount(change->outside) < 2.2);
    CHECK_FALSE(change->from_begin);
    CHECK_FALSE(change->to_end);
}

TEST_CASE("a mean that doubles for good, or had doubled before, is so from the begin or to the end") {
    const auto since = level_change_of(values(2, 7s, 20s, 2, 0.3)),
               until = level_change_of(values(3, 0s, 6s, 2, 0.3));
    REQUIRE(since);
    CHECK(since->to_end);
    CHECK(near(since->from, 7s));
    REQUIRE(until);
    CHECK(until->from_begin);
    CHECK(near(until->until, 6s));
}

TEST_CASE("chance makes no change of the mean") {
    int found = 0;
    for (unsigned seed = 0; seed < 200; ++seed)
        found += level_change_of(values(seed, 0s, 0s, 1, 0.2 + 0.01 * seed)) ? 1 : 0;
    CHECK(found <= 2);
}

TEST_CASE("a change of less than a half or a millisecond, and one of few values, is none") {
    CHECK_FALSE(level_change_of(values(4, 7s, 12s, 1.4, 0.1)));
    CHECK_FALSE(level_change_of(Course{}));
    Course quick, few;
    for (int i = 0; i < 1000; ++i)
        quick.add_value(course_begin + i * 1ms, i < 500 ? 300us : 900us);
    CHECK_FALSE(level_change_of(quick));
    for (int i = 0; i < 12; ++i)
        few.add_value(course_begin + i * 1s, i < 6 ? 3ms : 30ms);
    CHECK_FALSE(level_change_of(few));
}

} // namespace iscsiscope

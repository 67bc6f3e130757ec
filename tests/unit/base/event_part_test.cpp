// SPDX-License-Identifier: GPL-2.0-or-later
// Events that come more often in a part of the work: found where they do, and not where chance alone puts
// them.
#include "catch.h"
#include "course_times.h"

#include "analyzer/base/course/event_part.h"

#include <chrono>
#include <random>

namespace iscsiscope {
namespace {

using namespace std::chrono_literals;

struct Series {
    Course events, work;
};

// A piece of work every 10 ms for 20 s; an event with one of `usual`, and with one of `often` between two
// times.
Series series(unsigned seed, Duration from, Duration to, double often, double usual = 0) {
    std::mt19937 random(seed);
    Series s;
    for (Duration at{}; at < 20s; at += 10ms) {
        s.work.add_value(course_begin + at, 1ns);
        const double chance = at >= from && at < to ? often : usual;
        if (std::bernoulli_distribution(chance)(random))
            s.events.add_value(course_begin + at, 1ns, static_cast<FrameNumber>(at / 10ms) + 1);
    }
    return s;
}

std::optional<EventPart> part_of(const Series &s) {
    return event_part_of(s.events, s.work);
}

} // namespace

TEST_CASE("events of a part are dated to the first and the last of them") {
    const auto part = part_of(series(1, 7s, 12s, 0.1));
    REQUIRE(part);
    CHECK(near(part->from, 7s));
    CHECK(near(part->until, 12s));
    CHECK(part->frame == static_cast<FrameNumber>((part->from - course_begin) / 10ms) + 1);
    CHECK_FALSE(part->from_begin);
    CHECK_FALSE(part->to_end);
}

TEST_CASE("events from a moment on come to the end, though the last one does not come at it") {
    const auto since = part_of(series(2, 8s, 20s, 0.05)), until = part_of(series(3, 0s, 6s, 0.1));
    REQUIRE(since);
    CHECK(since->to_end);
    CHECK_FALSE(since->from_begin);
    REQUIRE(until);
    CHECK(until->from_begin);
    CHECK_FALSE(until->to_end);
}

TEST_CASE("few events that come at any time do not hide a part with many") {
    const auto part = part_of(series(4, 7s, 12s, 0.2, 0.01));
    REQUIRE(part);
    CHECK(near(part->from, 7s));
    CHECK(near(part->until, 12s));
}

TEST_CASE("events that come at any time come throughout") {
    int other = 0;
    for (unsigned seed = 1; seed <= 200; ++seed) {
        const auto part = part_of(series(seed, 0s, 20s, 0.03));
        other += part && part->from_begin && part->to_end ? 0 : 1;
    }
    CHECK(other <= 8); // one of a hundred each: a part, a pause, an end
}

TEST_CASE("few events come from the first to the last of them") {
    Series few = series(7, 0s, 0s, 0);
    for (int i = 0; i < 7; ++i)
        few.events.add_value(course_begin + 12s + i * 1s, 1ns, 1);
    const auto part = part_of(few);
    REQUIRE(part);
    CHECK(part->from == course_begin + 12s);
    CHECK_FALSE(part->from_begin);
    CHECK(part->to_end);
}

TEST_CASE("two parts are not one, and four events are none") {
    Series two = series(5, 2s, 4s, 0.3);
    two.events.merge(series(6, 14s, 16s, 0.3).events);
    CHECK_FALSE(part_of(two));
    Series few = series(7, 0s, 0s, 0);
    for (int i = 0; i < 4; ++i)
        few.events.add_value(course_begin + 2s + i * 5s, 1ns, 1);
    CHECK_FALSE(part_of(few));
    CHECK_FALSE(part_of(Series{}));
}

} // namespace iscsiscope

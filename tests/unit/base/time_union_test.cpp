// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/containers/time_union.h"
#include "catch.h"

#include <rapidcheck.h>
#include <utility>
#include <vector>

using namespace iscsiscope;

namespace {

Time at(std::int64_t ns) {
    return time_from_ns(ns);
}

using Intervals = std::vector<std::pair<std::int64_t, std::int64_t>>; // begin, length

// The union by marking each nanosecond.
std::int64_t marked(const Intervals &all, std::int64_t size) {
    std::vector<bool> covered(static_cast<std::size_t>(size));
    for (const auto &[begin, length] : all)
        for (std::int64_t t = begin; t < begin + length; ++t)
            covered[static_cast<std::size_t>(t)] = true;
    std::int64_t sum = 0;
    for (const bool c : covered)
        sum += c ? 1 : 0;
    return sum;
}

TimeUnion union_of(const Intervals &all) {
    TimeUnion u;
    for (const auto &[begin, length] : all)
        u.add(at(begin), at(begin + length));
    return u;
}

} // namespace

TEST_CASE("a union of a few intervals is exact in any order") {
    CHECK(TimeUnion{}.length() == Duration{});
    CHECK(union_of({{5, 0}, {5, -3}}).length() == Duration{});
    CHECK(rc::check("any intervals", [] {
        const auto all = *rc::gen::container<Intervals>(
            rc::gen::pair(rc::gen::inRange<std::int64_t>(0, 400), rc::gen::inRange<std::int64_t>(0, 40)));
        const TimeUnion u = union_of(all);
        RC_ASSERT(to_ns(u.length()) == marked(all, 500));
        RC_ASSERT(u.uncertain() == Duration{});
        std::int64_t sum = 0;
        for (const auto &[begin, length] : all)
            sum += length;
        RC_ASSERT(to_ns(u.sum()) == sum);
    }));
}

TEST_CASE("a union of many intervals is exact in their order, and known within bounds in any other") {
    const std::int64_t many = 4 * static_cast<std::int64_t>(TimeUnion::max_stretches);
    Intervals steps;
    for (std::int64_t i = 0; i < many; ++i)
        steps.push_back({10 * i, 4});
    const TimeUnion u = union_of(steps);
    CHECK(to_ns(u.length()) == 4 * many);
    CHECK(u.uncertain() == Duration{});
    CHECK(rc::check("late intervals", [&] {
        const auto late = *rc::gen::container<Intervals>(rc::gen::pair(
            rc::gen::inRange<std::int64_t>(0, 10 * many), rc::gen::inRange<std::int64_t>(0, 10 * many)));
        Intervals all = steps;
        all.insert(all.end(), late.begin(), late.end());
        const TimeUnion with = union_of(all);
        const std::int64_t truth = marked(all, 20 * many);
        RC_ASSERT(to_ns(with.length()) <= truth);
        RC_ASSERT(to_ns(with.length() + with.uncertain()) >= truth);
    }));
}

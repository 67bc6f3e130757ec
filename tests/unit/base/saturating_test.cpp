// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/histogram.h"
#include "analyzer/base/saturating.h"
#include "catch.h"

using namespace iscsiscope;

TEST_CASE("times stop at the ends of their range") {
    constexpr std::int64_t most = INT64_MAX, least = INT64_MIN;
    CHECK(saturated_sum(most, std::int64_t{1}) == most);
    CHECK(saturated_sum(least, std::int64_t{-1}) == least);
    CHECK(saturated_sum(most, least) == -1);
    CHECK(saturated_difference(least, std::int64_t{1}) == least);
    CHECK(saturated_difference(std::int64_t{0}, least) == most);
    CHECK(saturated_product(most, std::int64_t{2}) == most);
    CHECK(saturated_product(most, std::int64_t{-2}) == least);
    CHECK(saturated_product(least, std::int64_t{-1}) == most);
    CHECK(saturated_product(std::int64_t{-3}, std::int64_t{7}) == -21);
    CHECK(saturated_length(Time::min(), Time::max()) == Duration::max());
    CHECK(saturated_later(Time::max(), Duration{5}) == Time::max());
    Duration sum{1};
    add_saturated(sum, Duration::max());
    CHECK(sum == Duration::max());
}

TEST_CASE("the sum of a histogram does not overflow") {
    Histogram h;
    for (int i = 0; i < 5; ++i)
        h.add(INT64_MAX / 2);
    CHECK(h.sum() == INT64_MAX);
    Histogram other;
    other.add(INT64_MAX);
    other.merge(h);
    CHECK(other.sum() == INT64_MAX);
    CHECK(other.count() == 6);
}

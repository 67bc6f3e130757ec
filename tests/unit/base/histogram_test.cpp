// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/histogram.h"
#include "catch.h"

#include <algorithm>
#include <cmath>
#include <rapidcheck.h>
#include <vector>

using iscsiscope::Histogram;

namespace {

// Nearest rank, from the values themselves.
std::int64_t exact_quantile(std::vector<std::int64_t> sorted, double q) {
    const auto n = static_cast<double>(sorted.size());
    const auto rank = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(q * n - 1e-9)));
    return sorted[std::min(rank, sorted.size()) - 1];
}

// Values of every magnitude alike.
rc::Gen<std::int64_t> any_magnitude() {
    return rc::gen::map(
        rc::gen::pair(rc::gen::inRange(0, 63), rc::gen::arbitrary<std::uint64_t>()),
        [](const std::pair<int, std::uint64_t> &p) {
            return static_cast<std::int64_t>((p.second >> 1) >> p.first);
        });
}

} // namespace

TEST_CASE("quantiles are within 0.1 % of nearest rank; minimum, maximum, count and sum are exact") {
    CHECK(rc::check(
        "any values",
        [] {
            const auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::int64_t>>(rc::gen::map(
                any_magnitude(), [](std::int64_t v) { return v >> 8; })));
            Histogram h, left, right;
            std::int64_t sum = 0;
            for (std::size_t i = 0; i < values.size(); ++i) {
                h.add(values[i]);
                (i % 3 == 0 ? left : right).add(values[i]);
                sum += values[i];
            }
            left.merge(right);
            auto sorted = values;
            std::sort(sorted.begin(), sorted.end());
            for (const Histogram *each : {&h, &left}) {
                RC_ASSERT(each->count() == values.size());
                RC_ASSERT(each->sum() == sum);
                RC_ASSERT(each->minimum() == sorted.front());
                RC_ASSERT(each->maximum() == sorted.back());
                for (const double q : {0.0, 0.01, 0.5, 0.9, 0.99, 0.999, 1.0}) {
                    const auto exact = static_cast<double>(exact_quantile(sorted, q));
                    const auto got = static_cast<double>(*each->quantile(q));
                    RC_ASSERT(std::abs(got - exact) <= exact * 0.001);
                }
            }
        }));
}

TEST_CASE("the error bound holds at every bucket edge") {
    double worst = 0;
    for (int shift = 0; shift < 62; ++shift) {
        for (const std::int64_t base : {std::int64_t{1} << shift, (std::int64_t{1} << shift) * 3 / 2}) {
            for (const std::int64_t step : {-1, 0, 1}) {
                const std::int64_t v = std::max<std::int64_t>(base + step, 0);
                Histogram h;
                // Neighbours, so that minimum and maximum do not give the answer away.
                h.add(0);
                h.add(v);
                h.add(std::int64_t{1} << 62);
                const double error =
                    v == 0 ? 0 : std::abs(static_cast<double>(*h.quantile(0.5) - v)) / static_cast<double>(v);
                worst = std::max(worst, error);
            }
        }
    }
    WARN("largest relative error " << worst);
    CHECK(worst <= 0.001);
    CHECK(worst > 0); // else the values were not hard enough
}

TEST_CASE("an empty histogram knows nothing; one value is itself") {
    Histogram h;
    CHECK_FALSE(h.quantile(0.5));
    CHECK_FALSE(h.minimum());
    CHECK_FALSE(h.mean());
    h.add(1'234'567);
    CHECK(h.quantile(0.0) == 1'234'567);
    CHECK(h.quantile(0.999) == 1'234'567);
    h.add(-5); // a clock that went back is no negative time
    CHECK(h.minimum() == 0);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// The parts alone: spread, area track, evidence, the best turn.
#include "catch.h"

#include "analyzer/sessions/figures/spread.h"
#include "analyzer/sessions/figures/table_figures.h"
#include "analyzer/sessions/grouping/command_evidence.h"
#include "analyzer/sessions/trackers/area_track.h"
#include "analyzer/sessions/trackers/order_tracker.h"

#include <cmath>
#include <iostream>
#include <random>

using namespace iscsiscope;

namespace {

Time at_ns(std::int64_t ns) {
    return time_from_ns(1'700'000'000'000'000'000 + ns);
}

} // namespace

TEST_CASE("deviation is the population's, by hand and against long double") {
    const std::vector<double> four{2, 4, 4, 6};
    const Spread s = spread_of(four);
    CHECK(s.mean == 4);
    CHECK(std::abs(s.deviation - std::sqrt(2.0)) < 1e-12);
    CHECK(std::abs(*s.ratio - std::sqrt(2.0) / 4) < 1e-12);
    CHECK(std::abs(*s.jain - 256.0 / (4 * 72)) < 1e-12);
    CHECK_FALSE(spread_of({}).jain);
    CHECK_FALSE(spread_of(std::vector<double>{0, 0}).ratio);

    std::mt19937_64 random(7);
    double worst = 0;
    for (int round = 0; round < 1000; ++round) {
        std::vector<double> values(1 + random() % 32);
        for (double &v : values)
            v = static_cast<double>(random() % 2'000'000'000) / 5.0 + 1e9;
        long double sum = 0, squares = 0;
        for (const double v : values)
            sum += static_cast<long double>(v);
        const long double mean = sum / static_cast<long double>(values.size());
        for (const double v : values)
            squares += (static_cast<long double>(v) - mean) * (static_cast<long double>(v) - mean);
        const auto exact = static_cast<double>(std::sqrt(squares / static_cast<long double>(values.size())));
        const double got = spread_of(values).deviation;
        worst = std::max(worst, exact == 0 ? got : std::abs(got - exact) / exact);
    }
    std::cout << "FIGURE: deviation against long double, worst relative error: " << worst << "\n";
    CHECK(worst < 1e-9);
}

TEST_CASE("the area of a track is that of its intervals, whatever their order and however wide its bins") {
    std::mt19937_64 random(11);
    for (int round = 0; round < 60; ++round) {
        AreaTrack all, part[2];
        double area = 0;
        const std::int64_t span = std::int64_t{1} << (10 + random() % 34);
        std::vector<std::pair<std::int64_t, std::int64_t>> intervals;
        for (int i = 0; i < 300; ++i) {
            const auto from = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(span));
            const auto length =
                static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(span / 8 + 1));
            all.add(at_ns(from), at_ns(from + length), 1);
            part[i % 2].add(at_ns(from), at_ns(from + length), 1);
            area += static_cast<double>(length);
            intervals.emplace_back(from, from + length);
        }
        REQUIRE(std::abs(all.area() - area) <= 1e-9 * area + 1e-6);
        part[0].merge(part[1]);
        REQUIRE(std::abs(part[0].area() - area) <= 1e-9 * area + 1e-6);
        const Track t = all.track();
        REQUIRE(t.size() <= AreaTrack::max_bins);
        // Each bin against the intervals themselves.
        for (std::size_t b = 0; b < t.size(); ++b) {
            const std::int64_t low =
                to_ns(t.start - at_ns(0)) + static_cast<std::int64_t>(b) * to_ns(t.width);
            const std::int64_t high = low + to_ns(t.width);
            double covered = 0;
            for (const auto &[from, to] : intervals)
                covered +=
                    static_cast<double>(std::max<std::int64_t>(0, std::min(high, to) - std::max(low, from)));
            REQUIRE(std::abs(t.mean(b) - covered / static_cast<double>(to_ns(t.width))) < 1e-6);
        }
    }
}

TEST_CASE("evidence: handovers, duplicates, numbers known too early, shared tags") {
    const auto fill = [](CommandEvidence &e, std::uint32_t first, std::uint32_t step, std::int64_t offset) {
        for (std::uint32_t i = 0; i < 40; ++i) {
            const std::uint32_t n = first + i * step;
            e.sent(CmdSn{n}, n, at_ns(n * 1000 + offset));
            e.acknowledged(CmdSn{n + 1}, at_ns(n * 1000 + offset + 500));
            e.ended(CmdSn{n}, at_ns(n * 1000 + offset + 5000));
        }
    };
    CommandEvidence odd, even, other_odd, later_even;
    fill(odd, 1, 2, 0);
    fill(even, 2, 2, 0);
    fill(other_odd, 1, 2, 0);
    fill(later_even, 2, 2, 50'000);
    const PairEvidence good = compare(odd, even);
    CHECK(good.handovers == 79);
    CHECK(good.in_order == 79);
    CHECK(good.contradictions() == 0);
    CHECK(compare(odd, other_odd).refuted()); // the same numbers
    // 50 numbers behind: the target of the first had numbers of the second long before they were sent.
    CHECK(compare(odd, later_even).too_late > 20);
    CHECK(compare(odd, later_even).refuted());
    CHECK(odd.holes() == 39);

    CommandEvidence tags; // even numbers, but the tags of the odd ones
    for (std::uint32_t i = 0; i < 40; ++i) {
        const std::uint32_t n = 2 + 2 * i;
        tags.sent(CmdSn{n}, n - 1, at_ns(n * 1000));
        tags.ended(CmdSn{n}, at_ns(n * 1000 + 5000));
    }
    CHECK(compare(odd, tags).shared_tags == 40);

    CommandEvidence wraps_a, wraps_b; // over 2^32
    for (std::uint32_t i = 0; i < 40; ++i)
        (i % 2 == 0 ? wraps_a : wraps_b).sent(CmdSn{0xfffffff0u + i}, i, at_ns(i * 1000));
    CHECK(compare(wraps_a, wraps_b).handovers == 39);
    CHECK(wraps_a.holes() == 19);
}

TEST_CASE("the best turn") {
    using Turns = std::vector<std::vector<std::uint64_t>>;
    CHECK(best_turn_share(Turns{{0, 0, 10}, {10, 0, 0}, {0, 10, 0}}) == 1.0); // 0 -> 2 -> 1 -> 0
    CHECK(best_turn_share(Turns{{5, 5}, {5, 5}}) == 0.5);
    CHECK(best_turn_share(Turns{}) == 0);
    Turns ten(10, std::vector<std::uint64_t>(10));
    for (std::size_t i = 0; i < 10; ++i)
        ten[i][(i + 3) % 10] = 7;
    CHECK(best_turn_share(ten) == 1.0);
}

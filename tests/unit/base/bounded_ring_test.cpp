// SPDX-License-Identifier: GPL-2.0-or-later
// BoundedRing against std::deque.
#include "catch.h"

#include "analyzer/base/containers/bounded_ring.h"

#include <deque>
#include <random>

using namespace iscsiscope;

TEST_CASE("a bounded ring holds what a deque holds, whatever it grows and shrinks") {
    std::mt19937 random(7);
    const auto upto = [&](std::uint32_t most) {
        return std::uniform_int_distribution<std::uint32_t>(0, most)(random);
    };
    constexpr std::size_t most = 256;
    BoundedRing<std::uint32_t, most> ring;
    std::deque<std::uint32_t> plain;
    std::uint32_t next = 0;
    std::size_t largest = 0, smallest_after = most;
    for (int phase = 0; phase < 400; ++phase) {
        // Phases of few values follow phases of many, so that the ring has reason to do both.
        const std::uint32_t filled = phase % 4 < 2 ? upto(300) : upto(3);
        for (int step = 0; step < 300; ++step) {
            if (plain.size() <= filled || upto(9) == 0) {
                if (plain.size() == most)
                    plain.pop_front();
                plain.push_back(next);
                ring.push_back(next++);
            } else {
                plain.pop_front();
                ring.pop_front();
            }
            if (upto(1999) == 0) {
                plain.clear();
                ring.clear();
            }
            REQUIRE(ring.size() == plain.size());
            REQUIRE(ring.empty() == plain.empty());
            if (!plain.empty()) {
                const std::size_t i = upto(static_cast<std::uint32_t>(plain.size() - 1));
                REQUIRE(ring[i] == plain[i]);
                REQUIRE(ring.front() == plain.front());
                REQUIRE(ring.back() == plain.back());
            }
            largest = std::max(largest, ring.capacity());
            if (largest == most)
                smallest_after = std::min(smallest_after, ring.capacity());
        }
    }
    CHECK(largest == most);
    CHECK(smallest_after == 32);
}

TEST_CASE("a ring that held many values once needs few places later") {
    BoundedRing<int, 4096> ring;
    for (int i = 0; i < 4000; ++i)
        ring.push_back(i);
    CHECK(ring.capacity() == 4096);
    while (ring.size() > 2)
        ring.pop_front();
    int pushed = 0;
    for (; ring.capacity() > 32 && pushed < 20'000; ++pushed) {
        ring.push_back(pushed);
        ring.pop_front();
    }
    CHECK(pushed <= 2 * 4096 + 2); // the first time round still counts the many values
    CHECK(ring.back() == pushed - 1);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "catch.h"

#include "analyzer/pipeline/batch/group_shares.h"

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

using namespace iscsiscope;

namespace {

constexpr std::uint32_t groups = 100;

void fill(GroupShares &shares) {
    shares.begin(groups);
    for (std::uint32_t g = 0; g < groups; ++g)
        shares.add({.leads = g, .first = g, .count = 1});
}

// The groups that the thread is given first, until it has so many; it follows all that are left.
std::vector<std::uint32_t> first_of(GroupShares &shares, std::size_t thread, std::size_t count) {
    std::vector<std::uint32_t> given;
    shares.follow(thread, [&](const ConnectionGroup &g) { given.push_back(g.leads); });
    given.resize(std::min(count, given.size()));
    std::sort(given.begin(), given.end());
    return given;
}

} // namespace

TEST_CASE("a thread gets first the groups that it followed last") {
    GroupShares shares(2, nullptr);
    fill(shares);
    const std::vector<std::uint32_t> of_first = first_of(shares, 0, groups / 2);
    CHECK(of_first.front() == 0); // at first they are dealt out by slot
    CHECK(of_first.back() == groups - 2);
    CHECK_FALSE(shares.any_left());

    fill(shares); // all are the first thread's now: the other one gets them only behind it
    std::vector<std::uint32_t> of_second;
    shares.follow(0, [&](const ConnectionGroup &g) {
        if (g.leads == 0)
            of_second = first_of(shares, 1, groups);
    });
    CHECK(of_second.size() > groups / 2);
    CHECK(of_second.size() < groups);

    fill(shares); // what it took stays with it
    CHECK(first_of(shares, 1, of_second.size()) == of_second);
}

TEST_CASE("each group is followed once by one of several threads") {
    constexpr std::size_t threads = 4;
    Effort effort;
    GroupShares shares(threads, &effort);
    for (int batch = 0; batch < 50; ++batch) {
        fill(shares);
        std::array<std::vector<std::uint32_t>, threads> followed;
        {
            std::vector<std::jthread> running;
            for (std::size_t t = 0; t < threads; ++t)
                running.emplace_back([&, t] {
                    shares.follow(t, [&](const ConnectionGroup &g) { followed[t].push_back(g.leads); });
                });
        }
        shares.sum_up();
        CHECK_FALSE(shares.any_left());
        std::vector<std::uint32_t> all;
        for (const auto &f : followed)
            all.insert(all.end(), f.begin(), f.end());
        std::sort(all.begin(), all.end());
        REQUIRE(all.size() == groups);
        for (std::uint32_t g = 0; g < groups; ++g)
            CHECK(all[g] == g);
    }
    CHECK(effort.following > Duration{});
    CHECK(effort.longest <= effort.following);
    CHECK(effort.longest * static_cast<int>(threads) >= effort.following);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Cells of intervals that are far apart, against plain maps.
#include "analyzer/sessions/figures/throughput_rows.h"
#include "catch.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

using namespace iscsiscope;

namespace {

struct Plain {
    std::map<std::uint64_t, ThroughputCell> cells;
    std::set<std::uint64_t> active;
};

// Random use of a column and of its model. spread: how far intervals may be apart.
void use(std::mt19937_64 &random, ThroughputColumn &column, Plain &plain, std::uint64_t spread) {
    std::size_t room = 1'000'000;
    std::uint64_t at = random() % spread;
    for (int i = 0; i < 300; ++i) {
        const auto what = random() % 10;
        at = what == 0 ? random() % spread : at + (what < 4 ? 1 : what == 4 ? 6 : 0);
        const std::uint64_t other = at + random() % 12;
        switch (random() % 4) {
        case 0:
            column.add_active(at, other);
            for (std::uint64_t k = at; k <= other; ++k)
                plain.active.insert(k);
            break;
        case 1:
            column.add_active_if_passed(at, other);
            for (std::uint64_t k = at; k <= other; ++k)
                if (plain.cells.contains(k) && plain.cells[k].stream_bytes != 0)
                    plain.active.insert(k);
            break;
        default: {
            const bool task = random() % 2 == 0;
            for (ThroughputCell *cell : {column.make(at, room), &plain.cells[at]}) {
                REQUIRE(cell != nullptr);
                cell->stream_bytes += task ? 0 : 100;
                cell->tasks += task ? 1 : 0;
            }
        }
        }
    }
}

} // namespace

TEST_CASE("a column has the cells of a map, whatever the order of its intervals") {
    std::mt19937_64 random(1);
    for (int run = 0; run < 400; ++run) {
        const std::uint64_t spread = run % 3 == 0 ? 20 : run % 3 == 1 ? 300 : 100'000;
        ThroughputColumn column;
        Plain plain;
        use(random, column, plain, spread);
        std::set<std::uint64_t> interesting(plain.active);
        for (const auto &[k, cell] : plain.cells)
            interesting.insert({k, k + 1, k + 7});
        for (const std::uint64_t k : interesting) {
            const ThroughputCell got = column.at(k);
            const auto found = plain.cells.find(k);
            const ThroughputCell wanted = found == plain.cells.end() ? ThroughputCell{} : found->second;
            REQUIRE(got.stream_bytes == wanted.stream_bytes);
            REQUIRE(got.tasks == wanted.tasks);
            REQUIRE(column.active(k) == plain.active.contains(k));
        }
        if (plain.cells.empty())
            continue;
        REQUIRE(column.end() == plain.cells.rbegin()->first + 1);
        std::vector<std::uint64_t> listed, wanted;
        column.list(3, spread, listed);
        std::sort(listed.begin(), listed.end());
        for (const auto &[k, cell] : plain.cells)
            if (k >= 3 && k < spread)
                wanted.push_back(k);
        REQUIRE(listed == wanted);
    }
}

TEST_CASE("a pause takes no cells, and a full table takes no further ones") {
    ThroughputColumn column;
    std::size_t room = 30;
    const std::uint64_t far = std::uint64_t{1} << 60U;
    REQUIRE(column.make(0, room) != nullptr);
    REQUIRE(column.make(far, room) != nullptr);
    CHECK(room >= 20);
    column.add_active(0, far + 5);
    CHECK(column.active(far / 2));
    CHECK_FALSE(column.active(far + 6));
    std::size_t made = 0;
    for (std::uint64_t k = 1; k < 1000; ++k)
        made += column.make(far + k, room) != nullptr ? 1 : 0;
    CHECK(made >= 20);
    CHECK(made <= 30);
    CHECK(room == 0);
    CHECK(column.make(0, room) != nullptr); // what is there stays
}

// SPDX-License-Identifier: GPL-2.0-or-later
// The ledger as it is kept for the owners of any range.
#include "catch.h"
#include "gui/document/stores/record_stores.h"

#include <random>
#include <tuple>

using namespace iscsiscope;
using namespace iscsiscope::gui;

TEST_CASE("Entries of the ledger are kept exactly, whatever their times") {
    Tables tables;
    std::vector<LedgerEntry> kept;
    std::mt19937_64 random(7);
    for (int i = 0; i < 20'000; ++i) {
        LedgerEntry e;
        e.stream = StreamId{random() % 5};
        e.lun = random() % 3;
        e.type = static_cast<TaskType>(random() % 3);
        e.owner = static_cast<Owner>(random() % owner_count);
        e.trouble = random() % 2 == 0;
        // Of any size; a clock that steps far, back and forth; times before 1970.
        e.start = i % 3 == 0 || kept.empty()
                      ? time_from_ns(static_cast<std::int64_t>(random()) >> (random() % 63))
                      : kept.back().start + Duration{static_cast<std::int64_t>(random() % 1000)};
        e.length = Duration{1 + static_cast<std::int64_t>(random() >> (2 + random() % 61))};
        tables.ledger.append(e);
        kept.push_back(e);
    }
    const Tables snapshot = tables;
    tables.ledger.append({});
    CHECK(snapshot.ledger.size() == kept.size());
    LedgerStore::Reader reader(snapshot.ledger);
    LedgerEntry got;
    for (const LedgerEntry &e : kept) {
        REQUIRE(reader.next(got));
        REQUIRE(std::tuple(got.stream, got.lun, got.type, got.owner, got.trouble, got.start, got.length) ==
                std::tuple(e.stream, e.lun, e.type, e.owner, e.trouble, e.start, e.length));
    }
    CHECK_FALSE(reader.next(got));
}

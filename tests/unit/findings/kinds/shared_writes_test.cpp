// SPDX-License-Identifier: GPL-2.0-or-later
// Two hosts that write the same blocks: what is found in the figures of sessions.
#include "analyzer/sessions/figures/session_figures.h"
#include "catch.h"
#include "findings/made_facts.h"
#include "findings/made_wire.h"

using namespace iscsiscope;
using namespace iscsiscope::made;

namespace {

constexpr auto kind = FindingKind::shared_writes;

SharedWrites pair_of_hosts() {
    SharedWrites s;
    s.target = host(9, 3260);
    s.hosts = {"iqn.2000-01.test:a", "iqn.2000-01.test:b"};
    s.addresses = {host(1, 0).address, host(2, 0).address};
    s.in_turn = 3;
    s.blocks = 24;
    s.frames = {10, 20, 30};
    s.by_designator = true;
    return s;
}

FindingsResult judged(const SharedWrites &s) {
    SessionFigures figures;
    figures.shared_writes = {s};
    return found(one_connection(), &figures);
}

} // namespace

TEST_CASE("blocks written in turn are a notice, written at the same time a problem") {
    SharedWrites s = pair_of_hosts();
    FindingsResult r = judged(s);
    REQUIRE(r.find(kind) != nullptr);
    CHECK(r.find(kind)->severity == Severity::notice);
    CHECK(r.find(kind)->evidence.size() == 3);
    s.at_once = 2;
    r = judged(s);
    REQUIRE(r.find(kind) != nullptr);
    CHECK(r.find(kind)->severity == Severity::problem);
    CHECK(figure(*r.find(kind), "ranges_at_once") == 2);
    s.at_once = 0;
    s.stale = 1;
    r = judged(s);
    REQUIRE(r.find(kind) != nullptr);
    CHECK(r.find(kind)->severity == Severity::problem);
    s.by_designator = false; // the number of the LUN may mean another unit for each host
    r = judged(s);
    REQUIRE(r.find(kind) != nullptr);
    CHECK(r.find(kind)->severity == Severity::notice);
}

TEST_CASE("hosts that coordinate, or hand over, are ruled out") {
    SharedWrites s = pair_of_hosts();
    s.reserved = true;
    CHECK(why_not(judged(s), kind).find("coordinate it by reservations") != std::string::npos);
    s = pair_of_hosts();
    s.compared = true;
    CHECK(why_not(judged(s), kind).find("COMPARE AND WRITE") != std::string::npos);
    s = pair_of_hosts();
    s.in_turn = 0;
    s.handed_over = 4;
    CHECK(why_not(judged(s), kind).find("a handover") != std::string::npos);
    const SessionFigures none;
    CHECK(why_not(found(one_connection(), &none), kind).find("no two hosts") == 0);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Who holds a reservation, states of paths, miscompares, dead portals.
#include "catch.h"

#include "analyzer/findings/rules/rule.h"
#include "analyzer/sessions/figures/session_figures.h"
#include "made_facts.h"
#include "made_wire.h"

using namespace iscsiscope;
using namespace iscsiscope::made;

namespace {

constexpr auto trouble = FindingKind::access_trouble;
const Endpoint initiator = host(1, 40001), portal = host(2, 3260), second_portal = host(3, 3260);

bool holds(const std::string &text, const char *part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("a reservation conflict names the holder and the key") {
    Facts f = one_connection();
    f.outcomes[static_cast<std::size_t>(TaskOutcome::reservation_conflict)] = {6, 6, 30, 40, 1ms};
    SessionFigures s;
    CHECK_FALSE(holds(found(f, &s).find(trouble)->sentence, "iqn."));
    UnitReservations u;
    u.conflicts.push_back({time_from_ns(500), 30, 40, "iqn.b"});
    u.conflict_count = 6;
    ReservationStep step;
    step.time = time_from_ns(100);
    step.frame = 20;
    step.host = "iqn.a";
    step.action = ReserveOut::reserve;
    step.key = 0xa1;
    step.type = 5;
    u.steps = {step};
    s.paths.reservations = {u};
    const FindingsResult r = found(f, &s);
    CHECK(holds(r.find(trouble)->sentence,
                "iqn.a holds the reservation (Write Exclusive - Registrants Only) with key 0xa1"));
    CHECK(holds(r.find(trouble)->sentence, ". The capture shows no key that iqn.b registered."));
    CHECK(holds(r.find(trouble)->sentence, "iqn.b"));
    CHECK(r.find(trouble)->evidence.front().frame == 20);
    s.paths.reservations[0].steps[0].failed = true;
    CHECK_FALSE(holds(found(f, &s).find(trouble)->sentence, "iqn.a"));
}

TEST_CASE("states of paths are of the paths, not failing commands") {
    Facts f = one_connection();
    f.senses[0x02040b] = {3, 3, 50, 0};
    f.senses[0x062a06] = {1, 1, 49, 0};
    f.outcomes[static_cast<std::size_t>(TaskOutcome::check_condition)] = {4, 4, 48, 49, 1ms};
    SessionFigures s;
    PathEvent e;
    e.kind = PathEventKind::state;
    e.frame = 60;
    e.words = "port group 1 (10.0.0.2:3260) is standby, before active/optimized";
    e.before = PortState::optimized;
    s.paths.events = {e};
    const FindingsResult r = found(f, &s);
    CHECK(r.find(FindingKind::command_errors) == nullptr);
    REQUIRE(r.find(trouble) != nullptr);
    CHECK(holds(r.find(trouble)->sentence,
                "sense data about the state of their path (ALUA): port group 1 (10.0.0.2:3260) is standby, "
                "before active/optimized."));
    CHECK(figure(*r.find(trouble), "state_changes") == 1);
}

TEST_CASE("a path that the target keeps back is no imbalance") {
    const Facts f = one_connection();
    SessionFigures s;
    PathGroup g;
    g.paths.resize(2);
    g.paths[0].session = 1, g.paths[0].tasks = 95, g.paths[0].bytes = 9500, g.paths[0].byte_share = 0.95;
    g.paths[1].session = 2, g.paths[1].tasks = 5, g.paths[1].bytes = 500, g.paths[1].byte_share = 0.05;
    g.by_bytes.jain = 0.55;
    s.path_groups = {g};
    CHECK(found(f, &s).find(FindingKind::path_imbalance) != nullptr);
    s.paths.states = {{2, 0, 7, PortState::non_optimized, PortState::non_optimized}};
    const FindingsResult r = found(f, &s);
    CHECK(r.find(FindingKind::path_imbalance) == nullptr);
    CHECK(holds(why_not(r, FindingKind::path_imbalance), "port group 7 as active/non-optimized (ALUA)"));
    s.paths.states = {{1, 0, 7, PortState::standby, PortState::standby}}; // of the busy path
    CHECK(found(f, &s).find(FindingKind::path_imbalance) != nullptr);
}

TEST_CASE("miscompares of COMPARE AND WRITE") {
    Facts f = one_connection();
    f.senses[0x0e1d00] = {12, 0, 70, 0};
    f.outcomes[static_cast<std::size_t>(TaskOutcome::check_condition)] = {12, 0, 69, 70, 1ms};
    SessionFigures s;
    CompareFigures c;
    c.commands = 24, c.miscompares = 12, c.hosts = 2, c.first_miscompare = 70;
    s.paths.compares = {c};
    const FindingsResult r = found(f, &s);
    CHECK(r.find(FindingKind::command_errors) == nullptr);
    REQUIRE(r.find(trouble) != nullptr);
    CHECK(r.find(trouble)->severity == Severity::notice);
    CHECK(r.find(trouble)->sentence ==
          "12 of 24 COMPARE AND WRITE (ATS) of 2 hosts found other data than expected.");
    s.paths.compares[0].miscompares = 0;
    f.senses.clear();
    CHECK(found(f, &s).find(trouble) == nullptr);
}

TEST_CASE("what a dead portal costs until another one serves") {
    Wire wire;
    wire.syn(0s, initiator, portal);
    wire.syn(1s, initiator, portal);
    wire.syn(3s, initiator, portal);
    wire.login(7s, host(1, 40002), second_portal, 0, 0);
    const FindingsResult r = wire.result();
    const Finding *f = r.find(FindingKind::portal_unreachable);
    REQUIRE(f != nullptr);
    CHECK(holds(f->sentence, "a login at 10.0.0.3:3260 was accepted 7.00 s after the first SYN."));
    CHECK(figure(*f, "time_to_other_portal") == Approx(7.002e9));
}

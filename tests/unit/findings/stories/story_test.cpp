// SPDX-License-Identifier: GPL-2.0-or-later
// Which one story a connection that broke belongs to, on facts made up for it.
#include "catch.h"

#include "analyzer/findings/attribution/attribution.h"
#include "findings/stories/made_stories.h"

using namespace iscsiscope;
using namespace iscsiscope::made;

namespace {

using Kind = FindingKind;

// The only kind of this file that is found; connection_reset if there are none.
void only(const FindingsResult &r, Kind kind) {
    REQUIRE(r.find(kind) != nullptr);
    CHECK(r.findings[0].kind == kind);
    for (const Kind k :
         {Kind::duplicate_initiator, Kind::address_conflict, Kind::target_restart, Kind::failover,
          Kind::target_closed, Kind::connection_reset, Kind::nop_timeout, Kind::outage})
        if (k != kind)
            CHECK(r.find(k) == nullptr);
}

} // namespace

TEST_CASE("hosts that throw each other out") {
    const FindingsResult r = found(hosts_in_turn(6));
    only(r, Kind::duplicate_initiator);
    CHECK(r.findings[0].sentence.find("10.0.0.10 and 10.0.0.11") != std::string::npos);
    CHECK(figure(r.findings[0], "evictions") == 5);
    only(found(hosts_in_turn(3)), Kind::duplicate_initiator);
    only(found(hosts_in_turn(7, 3)), Kind::duplicate_initiator);
    // The capture begins behind the first login.
    Facts cut = hosts_in_turn(4);
    cut.connections[0].record.login.reset();
    CHECK(figure(found(cut).findings[0], "evictions") == 3);
    // The names are cut off.
    Facts nameless = hosts_in_turn(6);
    for (ConnectionFacts &c : nameless.connections)
        c.record.login->initiator_name = c.record.login->target_name = "";
    only(found(nameless), Kind::duplicate_initiator);
    CHECK(found(nameless).findings[0].sentence.find("names are cut off") != std::string::npos);
}

TEST_CASE("a session that is taken over once is no duplicate") {
    const FindingsResult r = found(hosts_in_turn(2));
    CHECK(r.find(Kind::duplicate_initiator) == nullptr);
    CHECK(why_not(r, Kind::duplicate_initiator).find("changed its address") != std::string::npos);
    // Each at an address of its own, one after the other.
    CHECK(found(hosts_in_turn(4, 4)).find(Kind::duplicate_initiator) == nullptr);
    // Two ISIDs, or a logout: the sessions have nothing to do with each other.
    Facts two = hosts_in_turn(6);
    for (std::size_t i = 0; i < 6; ++i)
        two.connections[i].record.login->isid[5] = static_cast<std::uint8_t>(i % 2);
    CHECK(found(two).find(Kind::duplicate_initiator) == nullptr);
    Facts logged_out = hosts_in_turn(6);
    for (ConnectionFacts &c : logged_out.connections)
        c.record.outcome = ConnectionOutcome::logged_out;
    CHECK(found(logged_out).find(Kind::duplicate_initiator) == nullptr);
    CHECK(found(logged_out).find(Kind::target_closed) == nullptr);
}

TEST_CASE("sessions of one address that evict each other again and again while in use") {
    CHECK(found(hosts_in_turn(4, 1)).find(Kind::duplicate_initiator) != nullptr);
    CHECK(found(hosts_in_turn(3, 1)).find(Kind::duplicate_initiator) == nullptr);
    Facts unused = hosts_in_turn(6, 1);
    for (ConnectionFacts &c : unused.connections)
        c.last_answered.reset();
    CHECK(found(unused).find(Kind::duplicate_initiator) == nullptr);
}

TEST_CASE("a target that restarts") {
    const FindingsResult r = found(restarted());
    only(r, Kind::target_restart);
    CHECK(r.find(Kind::portal_unreachable) == nullptr);
    CHECK(figure(r.findings[0], "host_silence") == Approx(6.2e9));
    CHECK(figure(r.findings[0], "portal_down") == Approx(37.502e9));
    CHECK(figure(r.findings[0], "attempts_refused") == 10);
    only(found(restarted(10, false)), Kind::target_restart);
    only(found(restarted(0, true)), Kind::target_restart);
}

TEST_CASE("without a refused attempt or a UNIT ATTENTION there is no restart") {
    CHECK(found(restarted(0, false)).find(Kind::target_restart) == nullptr);
    // The target begins each session so.
    Facts each = restarted(0, true);
    each.connections[0].reset_attention = ResetAttention{0x062900, 110, at_ms(5)};
    CHECK(found(each).find(Kind::target_restart) == nullptr);
    // I_T NEXUS LOSS OCCURRED is the end of the session itself.
    Facts nexus = restarted(0, true);
    nexus.connections[1].reset_attention->sense = 0x062907;
    CHECK(found(nexus).find(Kind::target_restart) == nullptr);
    // Refused attempts alone, after a logout.
    Facts orderly = restarted(10, false);
    orderly.connections[0].record.outcome = ConnectionOutcome::logged_out;
    orderly.connections[0].lost_tasks = {};
    const FindingsResult r = found(orderly);
    CHECK(r.find(Kind::target_restart) == nullptr);
    CHECK(r.find(Kind::portal_unreachable) != nullptr);
}

TEST_CASE("a target's service that restarts while its host answers") {
    Facts f = restarted(3, false);
    ConnectionFacts &before = f.connections[0];
    own(before.to_initiator).reset_frame.reset();
    before.lost_tasks = {};
    fin(before, true, 160, 7000);
    const FindingsResult r = found(f);
    only(r, Kind::target_restart);
    CHECK(r.findings[0].title == "The target's service restarted");
}

TEST_CASE("an RST that its end did not send") {
    only(found(foreign({other_mac, 128})), Kind::address_conflict);
    only(found(foreign({other_mac, 64})), Kind::address_conflict);
    only(found(foreign({usual_mac, 61})), Kind::address_conflict);
    // A hop or two, in a time that fits; unknown faces.
    only(found(foreign({usual_mac, 62})), Kind::connection_reset);
    only(found(foreign({usual_mac, 64})), Kind::connection_reset);
    only(found(foreign({})), Kind::connection_reset);
    // One hop, and much too soon.
    Facts soon = foreign({usual_mac, 63});
    own(soon.connections[0].to_initiator).reset_time = at_ms(1000) + 40us;
    only(found(soon), Kind::address_conflict);
    // Routers that share the load.
    Facts shared = foreign({other_mac, 64});
    own(shared.connections[0].to_initiator).face.other_macs = true;
    only(found(shared), Kind::connection_reset);
    // The address has moved: later connections have the new MAC address.
    Facts moved = foreign({other_mac, 64});
    own(moved.connections[1].to_initiator).face.mac = other_mac;
    only(found(moved), Kind::connection_reset);
}

TEST_CASE("a target that ends sessions first") {
    const FindingsResult r = found(closed_by_target());
    only(r, Kind::target_closed);
    CHECK(r.findings[0].severity == Severity::problem);
    CHECK(r.findings[0].sentence.find("(frame 161)") != std::string::npos);
    // Once with nothing open.
    Facts idle = closed_by_target();
    idle.connections[0].lost_tasks = {};
    only(found(idle), Kind::target_closed);
    CHECK(found(idle).findings[0].severity == Severity::notice);
    // The initiator first.
    Facts initiator = closed_by_target();
    own(initiator.connections[0].to_target).reset_frame = 155;
    own(initiator.connections[0].to_target).reset_time = Time{};
    only(found(initiator), Kind::connection_reset);
    // After a logout, or where a logout would not be in the capture; a discovery session.
    for (int i = 0; i < 3; ++i) {
        Facts f = idle;
        if (i == 0)
            f.connections[0].logout_request = EventRecord{};
        else if (i == 1)
            f.connections[0].record.segments_to_target = 0;
        else
            f.connections[0].record.login->session_type = "Discovery";
        CHECK(found(f).find(Kind::target_closed) == nullptr);
    }
}

TEST_CASE("a single RST with a command open may be a firewall's, several are the target's") {
    const auto reset = [](std::size_t times) {
        std::vector<ConnectionFacts> all;
        for (std::size_t i = 0; i < times; ++i) {
            all.push_back(worked(i, static_cast<std::int64_t>(3000 * i)));
            open_read(all[i], 2ms);
            rst(all[i], true, all[i].record.first_frame + 70, static_cast<std::int64_t>(3000 * i + 1000));
        }
        return found(facts_of(std::move(all)));
    };
    only(reset(1), Kind::connection_reset);
    only(reset(2), Kind::target_closed);
}

TEST_CASE("I/O that stalls until another path takes it") {
    TwoPaths t = failed_over();
    const FindingsResult r = found(t.facts, &t.sessions);
    only(r, Kind::failover);
    CHECK(figure(r.findings[0], "standstill") == Approx(25e9));
    CHECK(figure(r.findings[0], "until_given_up") == Approx(10e9));
    CHECK(figure(r.findings[0], "until_other_path") == Approx(15e9));
    // The same addresses: a new login on the same path.
    TwoPaths same = failed_over();
    same.facts.connections[1].record.initiator = host(1, 40002);
    same.facts.connections[1].record.target = host(2, 3260);
    only(found(same.facts, &same.sessions), Kind::nop_timeout);
    // Another controller has the address now.
    own(same.facts.connections[1].to_initiator).face.mac = other_mac;
    only(found(same.facts, &same.sessions), Kind::failover);
    CHECK(found(same.facts, &same.sessions).findings[0].sentence.find(to_text(other_mac)) !=
          std::string::npos);
    // The first path neither broke nor stopped responding.
    TwoPaths alive = failed_over();
    alive.facts.connections[0].lost_tasks = {};
    alive.facts.connections[0].record.outcome = ConnectionOutcome::logged_out;
    own(alive.facts.connections[0].to_initiator).face.last = at_ms(9000);
    CHECK(found(alive.facts, &alive.sessions).find(Kind::failover) == nullptr);
}

TEST_CASE("the time in which nothing got through belongs to the story") {
    Facts f = restarted();
    OutageInterval s;
    s.start = at_ms(500);
    s.end = at_ms(6700);
    f.connections[0].outages.push_back(s);
    wait(f.connections[0], waits::outage, 6200ms);
    const FindingsResult r = found(f);
    only(r, Kind::target_restart);
    CHECK(r.findings[0].lost_time == 6200ms);
    // Of two outages the connection survived one, which has a finding of its own.
    s.end = at_ms(600);
    f.connections[0].outages.insert(f.connections[0].outages.begin(), s);
    const FindingsResult two = found(f);
    CHECK(two.find(Kind::target_restart)->lost_time == Duration{});
    CHECK(two.find(Kind::outage) != nullptr);
}

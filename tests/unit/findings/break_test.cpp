// SPDX-License-Identifier: GPL-2.0-or-later
// Outages and connections that break, on facts made up for them.
#include "analyzer/cycles/ledger/outages.h"
#include "catch.h"

#include "analyzer/findings/attribution/breaks.h"
#include "analyzer/findings/rules/rule.h"
#include "analyzer/sessions/figures/session_figures.h"
#include "made_facts.h"

using namespace iscsiscope;
using namespace iscsiscope::made;

namespace {

constexpr std::int64_t ms = 1'000'000;

GapRecord silence(GapKind kind, std::int64_t start, Duration length) {
    GapRecord g = gap(kind, length);
    g.start = time_from_ns(start);
    g.unanswered = length;
    return g;
}

std::vector<OutageInterval> outages_of(const std::vector<GapRecord> &gaps) {
    OutageGaps all;
    for (const GapRecord &g : gaps)
        CHECK(all.keep(Wait{g, {}, {}, 0, {}}));
    std::vector<OutageInterval> found;
    std::size_t judged = 0;
    all.decide(
        {}, [&](const OutageInterval &s) { found.push_back(s); }, [&](const Wait &, bool) { ++judged; });
    CHECK(judged == gaps.size());
    return found;
}

OutageInterval interval(std::int64_t start, std::int64_t end) {
    OutageInterval s;
    s.start = time_from_ns(start);
    s.end = time_from_ns(end);
    s.before_frame = 20;
    s.after_frame = 30;
    s.ended_by_repair = true;
    s.lost_to_initiator = 4;
    s.bytes_again = 4 * 1448;
    return s;
}

// A connection that an RST ended after a second, and seven seconds later the one that took its session over.
Facts broken_session() {
    Facts f = one_connection();
    f.connections[0].record.login = login(0, 1);
    f.connections[0].record.outcome = ConnectionOutcome::reset;
    f.connections[0].record.end = time_from_ns(1000 * ms);
    own(f.connections[0].to_initiator).never_acked = 8192;
    own(f.connections[0].to_target).reset_frame = 50;
    ConnectionFacts next = f.connections[0];
    next.record.stream = 1;
    next.record.outcome = ConnectionOutcome::logged_out;
    next.record.login = login(8000 * ms, 2);
    next.record.end = time_from_ns(9000 * ms);
    own(next.to_initiator).never_acked = 0;
    own(next.to_target).reset_frame.reset();
    f.connections.push_back(next);
    return f;
}

} // namespace

TEST_CASE("timeouts that stay without an answer for a second are an outage, a lost tail is none") {
    using enum Cause;
    // 220 ms, then twice the time before each repeat.
    const std::vector<OutageInterval> one =
        outages_of({silence(retransmission_timeout, 1000 * ms, 220ms), silence(path_down, 1220 * ms, 440ms),
                    silence(path_down, 1660 * ms, 880ms)});
    REQUIRE(one.size() == 1);
    CHECK(one[0].length() == 1540ms);
    CHECK(one[0].repeats == 2);
    // Each lone tail is repaired by the first repeat, however many there are.
    CHECK(outages_of({silence(retransmission_timeout, 1000 * ms, 220ms),
                      silence(retransmission_timeout, 1400 * ms, 220ms),
                      silence(retransmission_timeout, 1800 * ms, 1100ms)})
              .empty());
    // The repeat that ended a gap was one of two: no answer can have come between them.
    GapRecord after_two = silence(path_down, 1224 * ms, 800ms);
    after_two.rtt_to_awaited = 1ms;
    after_two.rtt_to_other = 9ms;
    const std::vector<GapRecord> two{silence(retransmission_timeout, 1000 * ms, 220ms), after_two};
    REQUIRE(outages_of(two).size() == 1);
    CHECK(outages_of(two)[0].length() == 1024ms);
    // Each repeat was answered; what followed it got lost again.
    std::vector<GapRecord> answered{silence(retransmission_timeout, 1000 * ms, 220ms),
                                    silence(path_down, 1220 * ms, 440ms),
                                    silence(path_down, 1660 * ms, 880ms)};
    answered[1].start_answered = answered[2].start_answered = true;
    CHECK(outages_of(answered).empty());
    // No repeat was answered, but other connections got through.
    std::vector<GapRecord> alone{silence(retransmission_timeout, 1000 * ms, 220ms),
                                 silence(path_down, 1220 * ms, 440ms), silence(path_down, 1660 * ms, 880ms)};
    alone[1].unanswered = alone[2].unanswered = 150ms;
    CHECK(outages_of(alone).empty());
    // One repeat got no answer, the second did.
    CHECK(
        outages_of({silence(retransmission_timeout, 1000 * ms, 220ms), silence(path_down, 1220 * ms, 440ms)})
            .empty());
    // The repeats did not pass the tap.
    GapRecord beyond = silence(retransmission_timeout, 1000 * ms, 1800ms);
    CHECK(outages_of({beyond}).size() == 1);
    // Other connections got through meanwhile: a queue may have overflowed, for some time.
    beyond.unanswered = 300ms;
    CHECK(outages_of({beyond}).empty());
    beyond.length = 6200ms;
    CHECK(outages_of({beyond}).size() == 1);
}

TEST_CASE("repeats that random loss takes as well are no outage") {
    for (const std::uint64_t lost : {5U, 160U}) { // of 2000 segments, at other times
        TcpDirectionFigures f;
        f.segments = 2000;
        f.lost_behind_tap = lost;
        OutageGaps all;
        for (const GapRecord &gap :
             {silence(GapKind::retransmission_timeout, 1000 * ms, 220ms),
              silence(GapKind::path_down, 1220 * ms, 440ms), silence(GapKind::path_down, 1660 * ms, 880ms)})
            REQUIRE(all.keep(Wait{gap, {}, {}, 0, {}}));
        std::size_t outages = 0, waits = 0;
        all.decide(
            {nullptr, &f}, [&](const OutageInterval &) { ++outages; },
            [&](const Wait &, bool in_outage) { waits += in_outage ? 1 : 0; });
        CHECK(outages == (lost == 5 ? 1 : 0));
        CHECK(waits == (lost == 5 ? 3 : 0));
    }
}

TEST_CASE("an outage in which only full segments were sent again may be a path that swallows large packets") {
    const auto mentions = [](std::uint32_t smallest_again, std::uint64_t lost_to_target) {
        Facts f = one_connection();
        own(f.connections[0].to_initiator).full_segment = 1448;
        OutageInterval s = interval(100 * ms, 3700 * ms);
        s.smallest_again = smallest_again;
        s.lost_to_target = lost_to_target;
        f.connections[0].outages.push_back(s);
        wait(f, waits::outage, 300ms, 2);
        return found(f).findings.at(0).sentence.find("Only full-size segments") != std::string::npos;
    };
    CHECK(mentions(1448, 0));
    CHECK_FALSE(mentions(48, 0));   // a small one got lost as well
    CHECK_FALSE(mentions(1448, 2)); // both directions were dead
    CHECK_FALSE(mentions(0, 0));    // the repeats did not pass the tap
}

TEST_CASE("an outage hurts by itself, and no retransmission timer is to blame") {
    Facts f = one_connection();
    f.connections[0].outages.push_back(interval(100 * ms, 3700 * ms));
    wait(f, waits::outage, 300ms, 2);
    const FindingsResult r = found(f);
    REQUIRE(!r.findings.empty());
    const Finding &o = r.findings[0];
    CHECK(o.kind == FindingKind::outage);
    CHECK(o.nature == Nature::harm);
    CHECK(o.severity == Severity::problem);
    CHECK(o.lost_time == 600ms);
    CHECK(o.sentence.find("3.60 s") != std::string::npos);
    CHECK(o.remedy.find("rto_min") == std::string::npos);
    CHECK(o.remedy.find("replacement_timeout") != std::string::npos);
    CHECK(r.find(FindingKind::retransmission_timeout) == nullptr);
    f.connections[0].outages[0].ended_by_repair = false; // the connection did not survive
    CHECK(is_failure(found(f).findings[0]));
    f.connections[0].outages[0] = interval(100 * ms, 1100 * ms);
    CHECK(found(f).findings[0].lost_time == 600ms);
    CHECK(found(one_connection()).find(FindingKind::outage) == nullptr);
    // Only large segments got lost.
    own(f.connections[0].to_initiator).smallest_black_holed = 1448;
    own(f.connections[0].to_initiator).passed_black_hole = 1200;
    const FindingsResult hole = found(f);
    CHECK(hole.findings[0].kind == FindingKind::mtu_black_hole);
    CHECK(hole.findings[0].sentence.find("1,200") != std::string::npos);
    CHECK(hole.find(FindingKind::outage) == nullptr);
}

TEST_CASE("an unanswered ping comes before the outage that it met") {
    Facts f = one_connection();
    f.connections[0].outages.push_back(interval(100 * ms, 3700 * ms));
    wait(f, waits::outage, 300ms, 2);
    SessionFigures sessions;
    NopFigures &n = sessions.nops.emplace_back();
    n.stream = f.connections[0].record.stream;
    n.asked_by_initiator = n.unanswered = 1;
    n.rows.emplace_back();
    const FindingsResult r = found(f, &sessions);
    CHECK(r.findings[0].kind == FindingKind::nop_timeout);
    CHECK(r.find(FindingKind::outage) == nullptr);
}

TEST_CASE("a session taken over by a new login broke, also where every command had been answered") {
    const Facts f = broken_session();
    const std::vector<Break> breaks = broken_connections(f);
    REQUIRE(breaks.size() == 1);
    CHECK(breaks[0].successor == &f.connections[1]);
    CHECK(breaks[0].downtime == 7005ms);
    const FindingsResult r = found(f);
    REQUIRE(!r.findings.empty());
    CHECK(r.findings[0].kind == FindingKind::connection_reset);
    CHECK(r.findings[0].sentence.find("(frame 50)") != std::string::npos);

    Facts orderly = broken_session();
    orderly.connections[0].record.outcome = ConnectionOutcome::logged_out;
    CHECK(broken_connections(orderly).empty());
    Facts nothing_lost = broken_session();
    own(nothing_lost.connections[0].to_initiator).never_acked = 0;
    CHECK(broken_connections(nothing_lost).empty());
    Facts other_session = broken_session();
    other_session.connections[1].record.login->isid[5] = 2;
    CHECK(broken_connections(other_session).empty());
    CHECK(found(other_session).find(FindingKind::connection_reset) == nullptr);
}

TEST_CASE("a connection that ends within an outage is the outage's") {
    Facts f = broken_session();
    f.connections[0].outages.push_back(interval(300 * ms, 900 * ms + 700 * ms));
    const FindingsResult r = found(f);
    CHECK(r.findings[0].kind == FindingKind::outage);
    CHECK(r.find(FindingKind::connection_reset) == nullptr);
    CHECK(r.findings[0].sentence.find("(frame 50)") != std::string::npos); // the end of the connection
    CHECK(r.findings[0].sentence.find("(frame 60)") != std::string::npos); // the new login
}

TEST_CASE("what was open when a connection was lost") {
    ConnectionFacts c;
    CHECK(open_words(c).empty());
    c.lost_tasks = {3, 2, 1, 1200ms, 40};
    CHECK(open_words(c) == "3 commands were open (2 Reads, 1 Write), the oldest for 1.20 s");
}

TEST_CASE("an initiator gives up a connection that was in order at the tap") {
    Facts f = broken_session();
    f.connections[0].record.outcome = ConnectionOutcome::closed;
    own(f.connections[0].to_initiator).never_acked = 0;
    own(f.connections[0].to_target).reset_frame = 70; // behind the new login, whose first frame is 60
    own(f.connections[0].to_initiator).fin_frame = 65;
    const FindingsResult r = found(f);
    REQUIRE(r.find(FindingKind::outage) != nullptr);
    CHECK(r.findings[0].kind == FindingKind::outage);
    CHECK(r.findings[0].severity == Severity::problem);
    CHECK(r.findings[0].sentence.find("7.00 s") != std::string::npos);
    CHECK(r.find(FindingKind::connection_reset) == nullptr);
    // An end that passed before the login, or a login that came soon, is no outage.
    own(f.connections[0].to_initiator).fin_frame = 55;
    CHECK(found(f).find(FindingKind::outage) == nullptr);
    own(f.connections[0].to_initiator).fin_frame = 65;
    f.connections[1].record.login = login(3000 * ms, 2);
    CHECK(found(f).find(FindingKind::outage) == nullptr);
}

TEST_CASE("an initiator that closes its connection with nothing open breaks none") {
    Facts f = broken_session();
    own(f.connections[0].to_target).fin_frame = 49; // before its RST
    CHECK(broken_connections(f).empty());
    own(f.connections[0].to_initiator).fin_frame = 48; // the target closed first
    CHECK(broken_connections(f).size() == 1);
    own(f.connections[0].to_initiator).fin_frame.reset();
    f.connections[0].lost_tasks.count = 1;
    CHECK(broken_connections(f).size() == 1);
}

TEST_CASE("an initiator that sends nothing behind a CHECK CONDITION gives up") {
    Facts f = one_connection();
    ConnectionFacts &c = f.connections[0];
    c.last_outcome = TaskOutcome::check_condition;
    c.last_status = 12;
    CHECK(found(f).find(FindingKind::command_errors) == nullptr); // the capture ends there
    c.record.outcome = ConnectionOutcome::closed;
    const FindingsResult r = found(f);
    REQUIRE(r.find(FindingKind::command_errors) != nullptr);
    CHECK(r.find(FindingKind::command_errors)->severity == Severity::notice);
    CHECK(r.find(FindingKind::command_errors)->evidence.at(0).frame == 12);
}

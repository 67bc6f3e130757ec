// SPDX-License-Identifier: GPL-2.0-or-later
// Downtimes of sessions whose connections are made up, worked out by hand.
#include "analyzer/figures/collector.h"
#include "catch.h"
#include "report/synthetic.h"

using namespace iscsiscope;
using synthetic::at_us;
using synthetic::us;

namespace {

struct Made {
    StreamId stream;
    SessionId session;
    std::int64_t syn_us = 0, end_us = 0;
    std::int64_t lost_us = 0;     // a task was open then, when the connection was lost; 0: none was
    std::uint64_t lost_tasks = 1; // if one was
};

constexpr std::int64_t login_after = 10; // µs behind the SYN

ConnectionRecord connection(const Made &m) {
    ConnectionRecord c = synthetic::connection();
    c.stream = m.stream;
    c.session = m.session;
    c.start = at_us(m.syn_us);
    c.end = at_us(m.end_us);
    c.active_start = at_us(m.syn_us + login_after + 5);
    c.active_end = m.lost_us != 0 ? at_us(m.lost_us) : at_us(m.syn_us + login_after + 6);
    c.login = Login{};
    c.login->accepted = c.login->finished = true;
    c.login->start = at_us(m.syn_us + login_after);
    return c;
}

SessionRecord session(std::uint64_t number, std::optional<SessionId> reinstates = {}) {
    SessionRecord s;
    s.session = SessionId{number};
    s.from_login = true;
    s.session_type = "Normal";
    s.reinstates = reinstates;
    return s;
}

void feed(Collector &to, const std::vector<SessionRecord> &sessions, const std::vector<Made> &connections) {
    for (const SessionRecord &s : sessions)
        to.on(s);
    for (const Made &m : connections) {
        to.on(connection(m));
        for (std::uint64_t i = 0; m.lost_us != 0 && i < m.lost_tasks; ++i) {
            CycleRecord r = synthetic::read_cycle(i, m.syn_us + login_after + 5, 40);
            r.stream = m.stream;
            r.session = m.session;
            r.response_time.reset();
            r.outcome = TaskOutcome::connection_lost;
            to.on(r);
        }
    }
}

Report report_of(const std::vector<SessionRecord> &sessions, const std::vector<Made> &connections) {
    Collector collector;
    feed(collector, sessions, connections);
    return collector.take(synthetic::summary());
}

} // namespace

TEST_CASE("downtime lasts from the loss of a session's connection to the login that reinstates it") {
    // A stray frame of the old connection follows at 900 µs, behind the new login.
    const Report r =
        report_of({session(0), session(1, SessionId{0})}, {{0, 0, 0, 900, 300, 3}, {1, 1, 700, 2000}});
    CHECK(r.downtimes.at(0).length == us(700 + login_after - 300));
    CHECK(r.downtimes.at(0).tasks == 3);
    CHECK(r.downtimes.at(1).length == Duration{}); // nothing continues it
    CHECK(r.downtimes.at(1).tasks == 0);
}

TEST_CASE("without open tasks a connection lasts to its last frame") {
    const Report r = report_of({session(0), session(1, SessionId{0})}, {{0, 0, 0, 400}, {1, 1, 700, 2000}});
    CHECK(r.downtimes.at(0).length == us(700 + login_after - 400));
    CHECK(r.downtimes.at(0).tasks == 0);
}

TEST_CASE("a session is down only while none of its connections is there") {
    // Of two connections one is lost at 200 µs, the other at 500; a third of the same session logs in at 810.
    const Report r =
        report_of({session(0)}, {{2, 0, 800, 1000}, {1, 0, 20, 550, 500, 2}, {0, 0, 0, 250, 200}});
    CHECK(r.downtimes.at(0).length == us(800 + login_after - 500));
    CHECK(r.downtimes.at(0).tasks == 3);
    // With the third at 400 there is always one.
    const Report whole =
        report_of({session(0)}, {{2, 0, 400, 1000}, {1, 0, 20, 550, 500}, {0, 0, 0, 250, 200}});
    CHECK(whole.downtimes.at(0).length == Duration{});
    CHECK(whole.downtimes.at(0).tasks == 0);
}

TEST_CASE("downtime is not known without a login, of discovery, and with a range") {
    SessionRecord inferred = session(0), discovery = session(1);
    inferred.from_login = false;
    discovery.session_type = "Discovery";
    CHECK(report_of({inferred, discovery}, {{0, 0, 0, 400}, {1, 1, 0, 400}}).downtimes.empty());
    TimeRange range = TimeRange::parse("0us..300us").value();
    range.anchor(at_us(0));
    CollectorOptions options;
    options.range = &range;
    Collector collector(options);
    feed(collector, {session(0), session(1, SessionId{0})}, {{0, 0, 0, 400}, {1, 1, 700, 2000}});
    CHECK(collector.take(synthetic::summary()).downtimes.empty());
}

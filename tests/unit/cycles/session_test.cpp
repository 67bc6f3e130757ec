// SPDX-License-Identifier: GPL-2.0-or-later
#include "catch.h"

#include "analyzer/cycles/cycle_connection.h"
#include "analyzer/cycles/tasks/session_table.h"
#include "conversation.h"

using namespace iscsiscope;
using namespace iscsiscope::test;

namespace {

Login login(std::uint16_t requested_tsih, std::uint16_t tsih, std::uint16_t cid,
            const char *target = "iqn.t") {
    Login l;
    l.initiator_name = "iqn.i";
    l.target_name = target;
    l.session_type = "Normal";
    l.target_portal_group = "1";
    l.isid = {0, 2, 3, 4, 5, 6};
    l.requested_tsih = requested_tsih;
    l.tsih = tsih;
    l.cid = cid;
    return l;
}

} // namespace

TEST_CASE("connections of one session share its tags and depths") {
    Scene scene;
    Link &a = scene.connect(), &b = scene.connect();
    a.login(0ms, login(0, 7, 1));
    b.login(1ms, login(7, 7, 2));
    REQUIRE(scene.sink.sessions.size() == 1);
    CHECK(scene.sink.sessions[0].from_login);
    CHECK(scene.sink.sessions[0].tsih == 7);

    a.send(2ms, to_target, read_command(1, 1, 4096));
    b.send(3ms, to_target, read_command(2, 2, 4096));
    b.send(4ms, to_target, read_command(3, 3, 4096));
    // Task management on one connection reaches the tasks of the other.
    a.send(5ms, to_target, management(9, TaskManagementFunction::abort_task, 3));
    a.send(6ms, to_initiator, management_response(9));
    b.send(7ms, to_initiator, data_in(2, 0, 4096, true));
    a.send(8ms, to_initiator, data_in(1, 0, 4096, true));
    scene.close_all(10ms);

    CHECK(scene.sink.cycle(0).queue_depth == 1);
    CHECK(scene.sink.cycle(1).queue_depth == 1);
    CHECK(scene.sink.cycle(1).session_depth == 2);
    CHECK(scene.sink.cycle(2).queue_depth == 2);
    CHECK(scene.sink.cycle(2).session_depth == 3);
    CHECK(scene.sink.cycle(0).cid == 1);
    CHECK(scene.sink.cycle(2).cid == 2);
    CHECK(scene.sink.cycle(2).outcome == TaskOutcome::aborted);
    CHECK(scene.sink.cycle(1).session == scene.sink.cycle(0).session);
    CHECK(scene.sink.count(AnomalyKind::command_sn_gap) == 0);
    CHECK(scene.sink.connections.at(1).session == scene.sink.connections.at(0).session);
}

TEST_CASE("sessions by the hundred thousand") {
    constexpr std::uint32_t number = 200'000;
    SessionTable table;
    const Connection tcp;
    const RecordTables records;
    const std::optional<Duration> threshold;
    CycleConnection connection(tcp, Side::opener, records, threshold);
    std::vector<Session *> live;
    const auto log_in = [&](std::uint32_t n) {
        Login l = login(0, static_cast<std::uint16_t>(n), 1);
        l.initiator_name = "iqn.i-" + std::to_string(n);
        return table.login(l, {}, {});
    };
    for (std::uint32_t n = 0; n < number; ++n) { // all live: none is forgotten, and none is looked at again
        const LoginEffect effect = log_in(n);
        REQUIRE(effect.is_new);
        table.add_connection(*effect.session, connection);
        live.push_back(effect.session);
    }
    CHECK(table.forgotten() == 0);
    for (std::uint32_t n = 0; n < number; ++n) {
        REQUIRE(SessionTable::remove_connection(*live[n], connection));
        table.end(*live[n]);
    }
    CHECK(table.forgotten() == number - SessionTable::max_nexuses);
    CHECK(log_in(number - 1).reinstates == SessionId{number - 1});            // the last to end
    CHECK(log_in(number - SessionTable::max_nexuses).reinstates.has_value()); // the first that is remembered
    CHECK_FALSE(log_in(0).reinstates.has_value());                            // the first to end
}

TEST_CASE("nexuses that differ in their portal group only do not pile up") {
    SessionTable table;
    const Connection tcp;
    const RecordTables records;
    const std::optional<Duration> threshold;
    CycleConnection connection(tcp, Side::opener, records, threshold);
    for (std::uint32_t n = 0; n < 100'000; ++n) {
        Login l = login(0, 1, 1);
        l.target_portal_group = std::to_string(n);
        const LoginEffect effect = table.login(l, {}, {});
        REQUIRE(effect.is_new);
        table.add_connection(*effect.session, connection);
        REQUIRE(SessionTable::remove_connection(*effect.session, connection));
        table.end(*effect.session);
    }
    CHECK(table.forgotten() == 100'000 - SessionTable::max_alike);
}

TEST_CASE("data without its command has no time since that command") {
    Scene scene;
    Link &link = scene.connect();
    link.send(1ms, to_target, data_out(5, 0xffffffff, 0, 512, true));
    link.send(2ms, to_initiator, r2t(5, 7, 0, 512, 512));
    link.send(3ms, to_target, data_out(5, 7, 0, 512, true));
    link.send(4ms, to_initiator, response(5));
    scene.close_all(5ms);
    REQUIRE(scene.sink.bursts.size() == 2);
    const BurstRecord &unsolicited = scene.sink.bursts[0];
    CHECK(unsolicited.start == at(1ms));
    CHECK(unsolicited.end == at(1ms));
    CHECK_FALSE(unsolicited.burst_data.has_value());
    CHECK(scene.sink.bursts[1].r2t_wait == 1ms);
}

TEST_CASE("a burst is too long only by a limit that is known") {
    // Known; not known; a further connection, whose own login does not name it.
    for (const int which : {0, 1, 2}) {
        INFO(which);
        Scene scene;
        Link &a = scene.connect(), &b = scene.connect();
        Login first = login(0, 7, 1), further = login(7, 7, 2);
        first.keys.parameters.max_burst_length = 8192;
        first.keys.known = which == 1 ? ParameterSet{} : ParameterSet{Parameter::max_burst_length};
        further.keys.known = {};
        a.login(0ms, first);
        b.login(1ms, further);
        Link &c = which == 2 ? b : a;
        c.send(2ms, to_target, write_command(1, 1, 65536));
        c.send(3ms, to_initiator, r2t(1, 70, 0, 0, 65536));
        scene.close_all(10ms);
        CHECK(scene.sink.count(AnomalyKind::burst_limit_exceeded) == (which == 1 ? 0 : 1));
    }
}

TEST_CASE("a session reset reaches all connections") {
    Scene scene;
    Link &a = scene.connect(), &b = scene.connect();
    a.login(0ms, login(0, 7, 1));
    b.login(1ms, login(7, 7, 2));
    a.send(2ms, to_target, read_command(1, 1, 4096));
    b.send(3ms, to_target, read_command(2, 2, 4096));
    LogoutRequest request;
    request.initiator_task_tag = InitiatorTaskTag{20};
    LogoutResponse answer;
    answer.initiator_task_tag = InitiatorTaskTag{20};
    SECTION("logout of the session") {
        a.send(4ms, to_target, request.encode());
        a.send(5ms, to_initiator, answer.encode());
        scene.close_all(9ms);
        CHECK(scene.sink.cycle(0).outcome == TaskOutcome::logout);
        CHECK(scene.sink.cycle(1).outcome == TaskOutcome::logout);
    }
    SECTION("logout of one connection") {
        request.reason = LogoutReason::close_connection;
        request.cid = 2;
        a.send(4ms, to_target, request.encode());
        a.send(5ms, to_initiator, answer.encode());
        scene.close_all(9ms);
        CHECK(scene.sink.cycle(0).outcome == TaskOutcome::unanswered);
        CHECK(scene.sink.cycle(1).outcome == TaskOutcome::logout);
    }
}

TEST_CASE("a login with TSIH 0 takes the place of the session") {
    Scene scene;
    Link &a = scene.connect();
    a.login(0ms, login(0, 7, 1));
    a.send(2ms, to_target, read_command(1, 1, 4096));
    SECTION("while it is live") {
        Link &b = scene.connect();
        b.login(100ms, login(0, 8, 1));
        REQUIRE(scene.sink.ends.size() == 1);
        CHECK(scene.sink.ends[0].outcome == TaskOutcome::connection_lost);
        CHECK(scene.sink.ends[0].end == at(100ms));
        CHECK(scene.sink.sessions.at(1).reinstates == SessionId{0});
        scene.close_all(200ms);
        REQUIRE(scene.sink.gaps.size() == 1);
        CHECK(scene.sink.gaps[0].kind == GapKind::path_down);
        CHECK(scene.sink.gaps[0].length == Duration{98ms});
    }
    SECTION("when its connection has been reset") {
        a.close(50ms, CloseReason::reset);
        Link &b = scene.connect();
        b.login(100ms, login(0, 8, 1));
        CHECK(scene.sink.sessions.at(1).reinstates == SessionId{0});
    }
    SECTION("of another target: no") {
        Link &b = scene.connect();
        b.login(100ms, login(0, 8, 1, "iqn.other"));
        CHECK(!scene.sink.sessions.at(1).reinstates);
        CHECK(scene.sink.ends.empty());
    }
}

namespace {

// Puts off what touches the sessions of others, as while several threads follow connections.
struct ManyThreads final : FollowOrder {
    bool others = true;
    std::vector<Session *> over;
    std::vector<std::uint32_t> acting; // slots
    std::vector<std::uint32_t> caught_up;

    bool alone() const override { return !others; }
    void catch_up(std::span<const std::uint32_t> of) override {
        caught_up.insert(caught_up.end(), of.begin(), of.end());
    }
    void session_over(Session &session) override { over.push_back(&session); }
    void login_acts(std::uint32_t slot) override { acting.push_back(slot); }
};

} // namespace

TEST_CASE("what touches the sessions of others waits until no other thread follows connections") {
    ManyThreads threads;
    Scene scene({}, &threads);
    Link &a = scene.connect(), &b = scene.connect();
    threads.others = false; // a connection without a session is followed by one thread
    a.login(0ms, login(0, 7, 1));
    threads.others = true;
    a.send(2ms, to_target, read_command(1, 1, 4096));
    SECTION("a connection that has a session already logs in and replaces the session of another one") {
        b.send(3ms, to_target, read_command(1, 1, 4096)); // its login is not in the capture
        b.login(100ms, login(0, 8, 1));
        CHECK(threads.acting == std::vector<std::uint32_t>{1});
        CHECK(threads.caught_up.empty());
        CHECK(scene.sink.ends.empty());
        threads.others = false;
        SECTION("then") {
            scene.engine.act(b.tcp);
            CHECK(threads.caught_up == std::vector<std::uint32_t>{0});
            REQUIRE(scene.sink.ends.size() == 1);
            CHECK(scene.sink.ends[0].cycle == CycleId{0});
            CHECK(scene.sink.ends[0].outcome == TaskOutcome::connection_lost);
            CHECK(scene.sink.ends[0].end == at(100ms));
            CHECK(scene.sink.sessions.back().reinstates == SessionId{0});
        }
        SECTION("but it has ended by then") {
            b.close(101ms, CloseReason::reset);
            scene.engine.act(b.tcp);
            CHECK(scene.sink.cycle(1).outcome == TaskOutcome::connection_lost);
            CHECK(threads.caught_up.empty());
        }
    }
    SECTION("a login that is news to the connection's own session does not wait") {
        a.login(100ms, login(0, 8, 1));
        CHECK(threads.acting.empty());
        CHECK(scene.sink.sessions.back().reinstates == SessionId{0});
    }
    SECTION("the last connection of a session ends") {
        a.close(50ms, CloseReason::reset);
        REQUIRE(threads.over.size() == 1);
        threads.others = false;
        scene.engine.end(*threads.over[0]);
        b.login(100ms, login(0, 8, 1));
        CHECK(threads.caught_up.empty()); // the session is no longer live
        CHECK(scene.sink.sessions.back().reinstates == SessionId{0});
    }
}

TEST_CASE("two hosts whose names are cut from their logins are two, though their ISIDs are alike") {
    Scene scene;
    Link &a = scene.connect(), &b = scene.connect();
    const bool same_host = GENERATE(false, true);
    a.tcp.ends[0].endpoint.address.bytes[15] = 1;
    b.tcp.ends[0].endpoint.address.bytes[15] = same_host ? 1 : 2;
    Login cut = login(0, 7, 1, "");
    cut.initiator_name.clear();
    a.login(0ms, cut);
    a.send(1ms, to_target, read_command(1, 1, 4096));
    cut.tsih = 8;
    b.login(2ms, cut);
    scene.close_all(9ms);
    CHECK(scene.sink.cycle(0).outcome ==
          (same_host ? TaskOutcome::connection_lost : TaskOutcome::unanswered));
    CHECK(scene.sink.sessions.at(1).reinstates.has_value() == same_host);
}

TEST_CASE("behind a logout a login is a new session and reinstates none") {
    Scene scene;
    Link &a = scene.connect();
    a.login(0ms, login(0, 7, 1));
    a.send(1ms, to_target, LogoutRequest{}.encode());
    a.send(2ms, to_initiator, LogoutResponse{}.encode());
    a.close(3ms, CloseReason::fin);
    Link &b = scene.connect();
    b.login(4ms, login(0, 8, 1));
    REQUIRE(scene.sink.sessions.size() == 2);
    CHECK(!scene.sink.sessions[1].reinstates);
}

TEST_CASE("the same CID again takes the place of the connection") {
    Scene scene;
    Link &a = scene.connect(), &b = scene.connect();
    a.login(0ms, login(0, 7, 1));
    a.send(2ms, to_target, read_command(1, 1, 4096));
    b.login(9ms, login(7, 7, 1));
    CHECK(scene.sink.sessions.size() == 1);
    REQUIRE(scene.sink.ends.size() == 1);
    CHECK(scene.sink.ends[0].outcome == TaskOutcome::connection_lost);
}

TEST_CASE("without login each connection is a session of its own") {
    Scene scene;
    Link &a = scene.connect(), &b = scene.connect();
    a.send(0ms, to_target, read_command(1, 1, 4096));
    b.send(0ms, to_target, read_command(1, 1, 4096));
    scene.close_all(10ms);
    REQUIRE(scene.sink.sessions.size() == 2);
    CHECK(!scene.sink.sessions[0].from_login);
    CHECK(scene.sink.cycle(0).session != scene.sink.cycle(1).session);
    CHECK(scene.sink.count(AnomalyKind::tag_reused) == 0);
}

TEST_CASE("CmdSN out of sequence is reported where the session has one connection") {
    Scene scene;
    Link &a = scene.connect();
    a.login(0ms, login(0, 7, 1));
    a.send(2ms, to_target, read_command(1, 1, 4096));
    a.send(3ms, to_target, read_command(2, 2, 4096));
    a.send(4ms, to_target, read_command(3, 4, 4096));
    scene.close_all(10ms);
    CHECK(scene.sink.count(AnomalyKind::command_sn_gap) == 1);
}

TEST_CASE("a logical unit tells about itself") {
    Scene scene;
    Link &a = scene.connect();
    ScsiCommand c;
    c.read = true;
    c.initiator_task_tag = InitiatorTaskTag{1};
    c.expected_data_transfer_length = 8;
    c.cdb[0] = std::byte{0x25};
    c.lun = Lun{1ull << 48};
    std::array<std::byte, 8> capacity{};
    capacity[1] = std::byte{1};  // last LBA 0x00010000
    capacity[6] = std::byte{16}; // 4096
    a.send(0ms, to_target, c.encode());
    a.send(1ms, to_initiator, data_in(1, 0, 8, true), capacity);
    a.send(2ms, to_target, c.encode());
    a.send(3ms, to_initiator, data_in(1, 0, 8, true), capacity);
    scene.close_all(10ms);
    REQUIRE(scene.sink.luns.size() == 1); // reported once: the second time brings nothing new
    CHECK(scene.sink.luns[0].lun == 1ull << 48);
    CHECK(scene.sink.luns[0].block_length == 4096u);
    CHECK(scene.sink.luns[0].blocks == 0x10001u);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Paths over time: who holds a reservation, states of port groups, COMPARE AND WRITE, runs of commands,
// failovers.
#include "catch.h"

#include "stage.h"

#include <algorithm>

using namespace iscsiscope;
using namespace iscsiscope::test;

namespace {

std::vector<std::byte> parameters(std::uint8_t key, std::uint8_t new_key) {
    std::vector<std::byte> data(24);
    data[7] = std::byte{key};
    data[15] = std::byte{new_key};
    return data;
}

HeaderBytes cdb_command(std::uint32_t n, std::vector<int> cdb, bool write, std::uint32_t bytes,
                        std::uint32_t immediate) {
    ScsiCommand c;
    c.initiator_task_tag = InitiatorTaskTag{n};
    c.cmd_sn = CmdSn{n};
    c.read = !write;
    c.write = write;
    c.expected_data_transfer_length = bytes;
    c.data_segment_length = immediate;
    for (std::size_t i = 0; i < cdb.size(); ++i)
        c.cdb[i] = static_cast<std::byte>(cdb[i]);
    return c.encode();
}

// PERSISTENT RESERVE OUT with its parameter list as immediate data.
void reserve_out(Link &l, Duration when, std::uint32_t n, int action, int type, std::uint8_t key,
                 std::uint8_t new_key, std::uint8_t status = 0) {
    l.send(when, to_target, cdb_command(n, {0x5f, action, type, 0, 0, 0, 0, 0, 24}, true, 24, 24),
           parameters(key, new_key));
    l.send(when + 1ms, to_initiator, response(n, status));
}

Login login_as(const char *initiator, std::uint8_t isid) {
    Login l = login_of("iqn.t", isid);
    l.initiator_name = initiator;
    return l;
}

const UnitReservations &unit(const SessionFigures &f) {
    REQUIRE(f.paths.reservations.size() == 1);
    return f.paths.reservations.front();
}

} // namespace

TEST_CASE("who holds a reservation, with which key, when another host's command ends in conflict") {
    Stage stage;
    Link &a = stage.connect(1), &b = stage.connect(3);
    a.login(0ms, login_as("iqn.a", 1));
    b.login(1ms, login_as("iqn.b", 2));
    reserve_out(a, 10ms, 1, 0, 0, 0, 0xa1);       // REGISTER
    reserve_out(a, 20ms, 2, 1, 5, 0xa1, 0);       // RESERVE
    reserve_out(b, 30ms, 1, 1, 5, 0xb2, 0, 0x18); // refused: changes nothing
    b.send(40ms, to_target, write_command(2, 2, 4096, 4096));
    b.send(41ms, to_initiator, response(2, 0x18));
    reserve_out(b, 50ms, 3, 6, 0, 0, 0xb2);    // REGISTER AND IGNORE EXISTING KEY
    reserve_out(b, 60ms, 4, 4, 5, 0xb2, 0xa1); // PREEMPT
    reserve_out(b, 70ms, 5, 2, 5, 0xb2, 0);    // RELEASE
    const SessionFigures f = stage.end(1s);
    const UnitReservations &u = unit(f);
    REQUIRE(u.conflict_count == 2);
    CHECK(u.conflicts.front().host == "iqn.b");
    CHECK_FALSE(u.holder(at(15ms)));
    for (const Duration when : {25ms, 45ms}) {
        REQUIRE(u.holder(at(when)));
        CHECK(u.holder(at(when))->host == "iqn.a");
        CHECK(u.holder(at(when))->key == 0xa1);
        CHECK(u.holder(at(when))->type == 5);
    }
    REQUIRE(u.holder(at(65ms)));
    CHECK(u.holder(at(65ms))->host == "iqn.b");
    CHECK_FALSE(u.holder(at(80ms)));
    const auto reserves = std::find_if(f.paths.events.begin(), f.paths.events.end(), [](const PathEvent &e) {
        return e.words == "iqn.a reserves with key 0xa1, Write Exclusive - Registrants Only";
    });
    CHECK(reserves != f.paths.events.end());
}

TEST_CASE("an answer states a reservation that is older than the capture") {
    const auto run = [](bool registers) {
        Stage stage;
        Link &a = stage.connect(1), &b = stage.connect(3);
        a.login(0ms, login_as("iqn.a", 1));
        b.login(1ms, login_as("iqn.b", 2));
        if (registers)
            reserve_out(a, 5ms, 1, 0, 0, 0, 0xa1);
        b.send(10ms, to_target, cdb_command(1, {0x5e, 1, 0, 0, 0, 0, 0, 0, 24}, false, 24, 0));
        std::vector<std::byte> answer(24);
        answer[7] = std::byte{16}, answer[15] = std::byte{0xa1}, answer[21] = std::byte{1};
        b.send(11ms, to_initiator, data_in(1, 0, 24, true), answer);
        return stage.end(1s);
    };
    const auto unknown = unit(run(false)).holder(at(20ms)), known = unit(run(true)).holder(at(20ms));
    REQUIRE((unknown && known));
    CHECK(unknown->host.empty());
    CHECK(unknown->key == 0xa1);
    CHECK(unknown->by_answer);
    CHECK(known->host == "iqn.a"); // who registered that key
}

TEST_CASE("states of port groups: the first report, changes, and not the same again") {
    Stage stage;
    Link &l = stage.connect();
    l.login(0ms, login_of("iqn.t"));
    LunRecord lun;
    lun.designator = "naa.600";
    lun.port_group = 1;
    stage.analysis.on(lun);
    std::uint32_t n = 0;
    const auto report = [&](Duration when, int first, int second) {
        ++n;
        l.send(when, to_target, cdb_command(n, {0xa3, 0x0a, 0, 0, 0, 0, 0, 0, 0, 28}, false, 28, 0));
        std::vector<std::byte> answer(28);
        answer[3] = std::byte{24};
        answer[4] = static_cast<std::byte>(first), answer[7] = std::byte{1}, answer[11] = std::byte{1};
        answer[16] = static_cast<std::byte>(second), answer[19] = std::byte{2}, answer[23] = std::byte{1};
        l.send(when + 1ms, to_initiator, data_in(n, 0, 28, true), answer);
    };
    report(10ms, 0, 2);
    report(20ms, 0, 2);
    report(30ms, 2, 0);
    const SessionFigures f = stage.end(1s);
    std::vector<std::string> states;
    for (const PathEvent &e : f.paths.events)
        if (e.kind == PathEventKind::state) {
            CHECK(e.before.has_value() == (states.size() >= 2)); // each group's first state follows none
            states.push_back(e.words);
        }
    CHECK(states == std::vector<std::string>{
                        "port group 1 (10.0.0.2:3260) is active/optimized", "port group 2 is standby",
                        "port group 1 (10.0.0.2:3260) is standby, before active/optimized",
                        "port group 2 is active/optimized, before standby"});
    REQUIRE(f.paths.states.size() == 1);
    CHECK(f.paths.states[0].group == 1);
    CHECK(f.paths.states[0].worst == PortState::standby);
}

TEST_CASE("COMPARE AND WRITE that finds other data") {
    Stage stage;
    Link &a = stage.connect(1), &b = stage.connect(3);
    a.login(0ms, login_as("iqn.a", 1));
    b.login(1ms, login_as("iqn.b", 2));
    std::vector<std::byte> sense(20);
    sense[1] = std::byte{18}, sense[2] = std::byte{0x70}, sense[4] = std::byte{0x0e},
    sense[9] = std::byte{10}, sense[14] = std::byte{0x1d};
    const auto compare = [&](Link &l, Duration when, std::uint32_t n, bool differs) {
        l.send(when, to_target,
               cdb_command(n, {0x89, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 1}, true, 1024, 1024));
        if (differs)
            l.send(when + 3ms, to_initiator, response(n, 2, 20), sense);
        else
            l.send(when + 1ms, to_initiator, response(n));
    };
    compare(a, 10ms, 1, false);
    compare(b, 20ms, 1, true);
    compare(b, 30ms, 2, true);
    const SessionFigures f = stage.end(1s);
    REQUIRE(f.paths.compares.size() == 1);
    const CompareFigures &c = f.paths.compares.front();
    CHECK(c.commands == 3);
    CHECK(c.miscompares == 2);
    CHECK(c.other_failures == 0);
    CHECK(c.hosts == 2);
    CHECK(c.longest == 3ms);
}

TEST_CASE("runs over one path before the next") {
    const auto runs = [](std::uint32_t in_a_row) {
        Stage stage;
        Link &a = stage.connect(1, 2), &b = stage.connect(1, 3);
        a.login(0ms, login_of("iqn.t", 1));
        b.login(1ms, login_of("iqn.t", 2));
        for (std::uint32_t i = 0; i < 60; ++i)
            read(i / in_a_row % 2 == 0 ? a : b, (i + 1) * 10ms, 1ms, i + 1, i + 1);
        read(a, 700ms, 1ms, 90, 90); // so that both sessions live at the same time
        const SessionFigures f = stage.end(3s);
        REQUIRE(f.path_groups.size() == 1);
        return f.path_groups[0].runs;
    };
    CHECK(runs(1).quantile(0.5) == 1);
    CHECK(runs(1).count() == 60);
    CHECK(runs(5).quantile(0.5) == 5);
    CHECK(runs(30).count() == 2); // the path changed twice
}

TEST_CASE("a Read without an answer that its host sends again on another connection") {
    // When the second path is asked for this block, which of two is lost, whose host it is, and whether the
    // first Read is answered in the end.
    const auto failovers = [](Duration again, std::uint32_t lba, const char *host, bool answered, bool ends) {
        Stage stage;
        Link &a = stage.connect(1, 2), &b = stage.connect(3, 4);
        a.login(0ms, login_as("iqn.a", 1));
        b.login(1ms, login_as(host, 2));
        read(a, 10ms, 1ms, 1, 1);
        read(b, 20ms, 1ms, 1, 1);
        a.send(100ms, to_target, with_lba(read_command(2, 2, 4096), 640));
        if (ends)
            a.close(600ms, CloseReason::reset);
        b.send(again, to_target, with_lba(read_command(2, 2, 4096), lba));
        b.send(again + 1ms, to_initiator, with_window(data_in(2, 0, 4096, true), 3, 66));
        if (answered)
            a.send(again + 5ms, to_initiator, with_window(data_in(2, 0, 4096, true), 3, 66));
        if (ends) {
            b.close(again + 1s);
            return stage.analysis.take().paths.failovers;
        }
        return stage.end(again + 1s).paths.failovers;
    };
    const std::vector<Failover> found = failovers(5s, 640, "iqn.a", false, true);
    REQUIRE(found.size() == 1);
    CHECK(found[0].from == StreamId{0});
    CHECK(found[0].to == StreamId{1});
    CHECK(found[0].length() == 4900ms);
    CHECK(*found[0].given_up - found[0].lost == 500ms);
    CHECK(found[0].quiet == 4900ms);
    CHECK(found[0].commands == 1);
    CHECK(found[0].guess);
    CHECK(failovers(5s, 640, "iqn.a", false, false).size() == 1);
    CHECK(failovers(5s, 640, "iqn.a", true, false).empty());      // it was only slow
    CHECK(failovers(5s, 648, "iqn.a", false, true).empty());      // other blocks
    CHECK(failovers(5s, 640, "iqn.b", false, true).empty());      // another host
    CHECK(failovers(1000ms, 640, "iqn.a", false, false).empty()); // too soon
}

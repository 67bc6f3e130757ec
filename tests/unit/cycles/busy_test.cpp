// SPDX-License-Identifier: GPL-2.0-or-later
// docs/figures.md, "Busy time": a task open at the initiator, worked out by hand.
#include "catch.h"

#include "analyzer/cycles/records/active_life.h"
#include "conversation.h"

using namespace iscsiscope;
using namespace iscsiscope::test;

namespace {

// Where the initiator is 2 ms away from the tap and back.
Link &two_ms_away(Scene &scene) {
    Link &link = scene.connect();
    link.tcp.ends[0].rtt.minimum = Duration{2ms};
    link.tcp.ends[1].rtt.minimum = Duration{3ms};
    return link;
}

void read(Link &link, std::uint32_t n, Duration from, Duration to) {
    link.send(from, to_target, read_command(n, n, 512));
    link.send(to, to_initiator, data_in(n, 0, 512, true));
}

} // namespace

TEST_CASE("the way to the initiator and back belongs to busy time") {
    Scene scene;
    Link &link = two_ms_away(scene);
    read(link, 1, 0ms, 10ms);
    read(link, 2, 11ms, 20ms);                     // 1 ms later: the host asked at once
    read(link, 3, 25ms, 30ms);                     // 5 ms later, of which 2 ms are the way
    link.send(40ms, to_target, NopOut{}.encode()); // no task
    read(link, 4, 100ms, 110ms);
    scene.close_all(500ms);
    REQUIRE(scene.sink.without_task.size() == 2);
    CHECK(scene.sink.without_task[0].start == at(22ms));
    CHECK(scene.sink.without_task[0].length == Duration{3ms});
    CHECK(scene.sink.without_task[1].start == at(32ms));
    CHECK(scene.sink.without_task[1].length == Duration{68ms});
    const ConnectionRecord &c = scene.sink.connections.at(0);
    CHECK(c.active() == Duration{110ms}); // nothing behind the last task
    CHECK(c.without_task == Duration{71ms});
    CHECK(c.busy() == Duration{39ms});
    CHECK_FALSE(c.busy_at_least);
}

TEST_CASE("the first command of a connection may come behind its own answer") {
    Scene scene;
    Link &link = two_ms_away(scene);
    link.send(10ms, to_initiator, data_in(1, 0, 512, true));
    link.send_late(0ms, 11ms, to_target, read_command(1, 1, 512)); // its bytes waited for a hole
    read(link, 2, 15ms, 20ms);
    scene.close_all(30ms);
    const ConnectionRecord &c = scene.sink.connections.at(0);
    CHECK(c.active() == Duration{20ms});
    CHECK(c.without_task == Duration{3ms}); // from 10 ms + the way
}

TEST_CASE("an unknown way makes busy time a lower bound; a missing direction makes it unknown") {
    Scene scene;
    Link &link = scene.connect();
    read(link, 1, 0ms, 10ms);
    read(link, 2, 12ms, 20ms);
    Link &one_sided = scene.connect();
    one_sided.tcp.ends[1].seen = false;
    one_sided.send(0ms, to_target, read_command(1, 1, 512));
    one_sided.send(10ms, to_target, read_command(2, 2, 512));
    one_sided.tcp.ends[1].seen = false;
    scene.close_all(30ms);
    CHECK(scene.sink.connections.at(0).busy() == Duration{18ms});
    CHECK(scene.sink.connections.at(0).busy_at_least);
    CHECK_FALSE(scene.sink.connections.at(1).busy());
    CHECK(scene.sink.connections.at(1).active() == Duration{30ms});
}

TEST_CASE("a task that never ends is busy to the last, and overlapping tasks leave no interval") {
    Scene scene;
    Link &link = two_ms_away(scene);
    link.send(0ms, to_target, read_command(1, 1, 512));
    link.send(1ms, to_target, read_command(2, 2, 512)); // never answered
    link.send(2ms, to_initiator, data_in(1, 0, 512, true));
    read(link, 3, 50ms, 60ms);
    scene.close_all(100ms);
    CHECK(scene.sink.without_task.empty());
    CHECK(scene.sink.connections.at(0).busy() == Duration{100ms});
}

TEST_CASE("a command that waited behind a hole shortens the interval before it") {
    Scene scene;
    Link &link = two_ms_away(scene);
    read(link, 1, 0ms, 10ms);
    link.pass_behind_hole(15ms, to_target, 48);
    link.send(20ms, to_initiator, data_in(2, 0, 512, true)); // the answer is seen before the command
    link.send_late(15ms, 21ms, to_target, read_command(2, 2, 512));
    scene.close_all(30ms);
    REQUIRE(scene.sink.without_task.size() == 1);
    CHECK(scene.sink.without_task[0].start == at(12ms));
    CHECK(scene.sink.without_task[0].length == Duration{3ms});
    CHECK(scene.sink.connections.at(0).without_task == Duration{3ms});
    CHECK(scene.sink.connections.at(0).busy() == Duration{17ms});
}

TEST_CASE("an active life before 1970 ends there") {
    ActiveLife life;
    life.command(time_from_ns(-1000));
    CHECK(life.end() == time_from_ns(-1000));
    life.task_end(time_from_ns(-400));
    ConnectionRecord record;
    life.fill(record);
    CHECK(record.transfer == Duration{600});
}

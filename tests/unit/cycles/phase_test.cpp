// SPDX-License-Identifier: GPL-2.0-or-later
// docs/figures.md, "Phases" and docs/figures.md, "R2T burst".
#include "catch.h"

#include "conversation.h"

using namespace iscsiscope;
using namespace iscsiscope::test;

TEST_CASE("phases of a read") {
    Scene scene;
    Link &link = scene.connect();
    link.send(0ms, to_target, read_command(1, 1, 8192));
    link.begin(4ms, to_initiator, data_in(1, 0, 4096));
    link.more(6ms, to_initiator, 4096);
    link.send(7ms, to_initiator, data_in(1, 1, 4096));
    link.send(10ms, to_initiator, response(1));
    scene.close_all(20ms);
    const CycleRecord &r = scene.sink.cycle(0);
    CHECK(r.phases.command == Duration{});
    CHECK(r.phases.first_data_wait == Duration{4ms});
    CHECK(r.phases.data == Duration{3ms});
    CHECK(r.phases.status_wait == Duration{3ms});
    CHECK(r.response_time == Duration{10ms});
    CHECK(r.first_data_frame == 2);
    CHECK(r.last_data_frame == 4);
    CHECK(r.data_pdus == 2);
    CHECK(r.end_frame == 5);
}

TEST_CASE("phases of commands without data") {
    Scene scene;
    Link &link = scene.connect();
    link.tcp.ends[1].rtt.minimum = Duration{3ms};
    link.send(0ms, to_target, test_unit_ready(1, 1));
    link.send(5ms, to_initiator, response(1));
    link.send(6ms, to_target, read_command(2, 2, 4096));
    link.send(8ms, to_initiator, response(2, 2));
    scene.close_all(20ms);
    CHECK(scene.sink.cycle(0).phases.status_wait == Duration{5ms});
    CHECK(scene.sink.cycle(0).target_service == Duration{2ms});
    CHECK(scene.sink.cycle(1).phases.status_wait == Duration{2ms});
    CHECK(scene.sink.cycle(1).target_service == Duration{}); // never below zero
    CHECK(!scene.sink.ends[0].target_service);               // late
}

TEST_CASE("phases of a write: immediate data, two R2Ts in turn, status") {
    Scene scene;
    Link &link = scene.connect();
    link.begin(0ms, to_target, write_command(1, 1, 3072, 1024));
    link.more(2ms, to_target, 1024);
    link.send(5ms, to_initiator, r2t(1, 0x10, 0, 1024, 1024));
    link.begin(6ms, to_target, data_out(1, 0x10, 0, 512, false));
    link.more(7ms, to_target, 512);
    link.send(9ms, to_target, data_out(1, 0x10, 1, 512, true));
    link.send(14ms, to_initiator, r2t(1, 0x11, 1, 2048, 1024));
    link.send(16ms, to_target, data_out(1, 0x11, 0, 1024, true));
    link.send(20ms, to_initiator, response(1));
    scene.close_all(20ms);

    const CycleRecord &r = scene.sink.cycle(0);
    CHECK(r.phases.command == Duration{});
    CHECK(r.phases.unsolicited == Duration{2ms});
    CHECK(r.phases.r2t_wait == Duration{3ms + 5ms});
    CHECK(r.phases.burst_response == Duration{1ms + 2ms});
    CHECK(r.phases.burst_data == Duration{3ms});
    CHECK(r.phases.status_wait == Duration{4ms});
    CHECK(sum(r.phases) == *r.response_time);
    CHECK(r.r2t_count == 2);
    CHECK(r.data_pdus == 3);
    CHECK(r.bytes_moved == 3072);
    CHECK(r.type == TaskType::write);

    REQUIRE(scene.sink.bursts.size() == 3);
    const BurstRecord &b0 = scene.sink.bursts[0], &b1 = scene.sink.bursts[1], &b2 = scene.sink.bursts[2];
    CHECK(b0.burst == 0);
    CHECK(!b0.r2t_sn);
    CHECK(b0.sent_bytes == 1024);
    CHECK(b0.burst_data == Duration{2ms});
    CHECK(b1.burst == 1);
    CHECK(b1.r2t_wait == Duration{5ms}); // from the command's header: no Data-Out came before
    CHECK(b1.burst_response == Duration{1ms});
    CHECK(b1.burst_data == Duration{3ms});
    CHECK(b1.pdus == 2);
    CHECK(b1.sent_bytes == 1024);
    CHECK(b1.final_seen);
    CHECK(b2.burst == 2);
    CHECK(b2.r2t_wait == Duration{5ms});
    CHECK(b2.burst_response == Duration{2ms});
    CHECK(b2.burst_data == Duration{});
    CHECK(b2.offset == 2048);
    CHECK(b2.ttt == 0x11u);
    CHECK(scene.sink.anomalies.empty());
}

TEST_CASE("an R2T while the burst before is under way") {
    Scene scene;
    Link &link = scene.connect();
    link.send(0ms, to_target, write_command(1, 1, 4096));
    link.send(2ms, to_initiator, r2t(1, 0x10, 0, 0, 2048));
    link.begin(3ms, to_target, data_out(1, 0x10, 0, 2048, true));
    link.more(4ms, to_target, 1000);
    link.send(6ms, to_initiator, r2t(1, 0x11, 1, 2048, 2048));
    link.more(8ms, to_target, 1048);
    link.send(11ms, to_target, data_out(1, 0x11, 0, 2048, true));
    link.send(15ms, to_initiator, response(1));
    scene.close_all(20ms);
    const CycleRecord &r = scene.sink.cycle(0);
    CHECK(r.phases.r2t_wait == Duration{2ms});
    CHECK(r.phases.burst_response == Duration{1ms + 3ms});
    CHECK(r.phases.burst_data == Duration{5ms});
    CHECK(r.phases.status_wait == Duration{4ms});
    REQUIRE(scene.sink.bursts.size() == 2);
    CHECK(scene.sink.bursts[1].r2t_wait == Duration{2ms}); // since the last byte seen, at 4 ms
    CHECK(scene.sink.bursts[1].burst_response == Duration{5ms});
}

TEST_CASE("an R2T whose command is not in the capture") {
    Scene scene;
    Link &link = scene.connect();
    link.send(2ms, to_initiator, r2t(1, 0x10, 0, 0, 1024));
    link.send(3ms, to_target, data_out(1, 0x10, 0, 1024, true));
    link.send(5ms, to_initiator, r2t(1, 0x11, 1, 1024, 1024));
    link.send(6ms, to_target, data_out(1, 0x11, 0, 1024, true));
    link.send(8ms, to_initiator, response(1));
    scene.close_all(9ms);
    REQUIRE(scene.sink.bursts.size() == 2);
    CHECK(!scene.sink.bursts[0].r2t_wait); // the beginning of its wait is not known
    CHECK(scene.sink.bursts[1].r2t_wait == Duration{2ms});
    CHECK(!scene.sink.cycle(0).target_service);
}

TEST_CASE("an R2T never answered, and unsolicited Data-Out") {
    Scene scene;
    Link &link = scene.connect();
    link.send(0ms, to_target, write_command(1, 1, 8192, 0, false));
    link.send(1ms, to_target, data_out(1, 0xffffffff, 0, 1024, false));
    link.send(3ms, to_target, data_out(1, 0xffffffff, 1, 1024, true));
    link.send(5ms, to_initiator, r2t(1, 0x10, 0, 2048, 1024));
    link.send(9ms, to_initiator, response(1, 2));
    scene.close_all(20ms);
    const CycleRecord &r = scene.sink.cycle(0);
    CHECK(r.phases.unsolicited == Duration{3ms});
    CHECK(r.phases.r2t_wait == Duration{2ms});
    CHECK(r.phases.burst_response == Duration{4ms});
    CHECK(r.phases.status_wait == Duration{});
    REQUIRE(scene.sink.bursts.size() == 2);
    CHECK(scene.sink.bursts[0].pdus == 2);
    CHECK(scene.sink.bursts[0].final_seen);
    CHECK(scene.sink.bursts[1].r2t_wait == Duration{2ms});
    CHECK(!scene.sink.bursts[1].burst_response);
    CHECK(!scene.sink.bursts[1].burst_data);
}

TEST_CASE("more data than an R2T asked for, and a target transfer tag used twice") {
    Scene scene;
    Link &link = scene.connect();
    link.send(0ms, to_target, write_command(1, 1, 4096));
    link.send(1ms, to_initiator, r2t(1, 0x10, 0, 0, 1024));
    link.send(2ms, to_target, data_out(1, 0x10, 0, 2048, true));
    link.send(3ms, to_initiator, r2t(1, 0x10, 1, 2048, 2048));
    link.send(4ms, to_target, data_out(1, 0x10, 0, 2048, true));
    link.send(5ms, to_initiator, response(1));
    scene.close_all(6ms);
    CHECK(scene.sink.count(AnomalyKind::burst_limit_exceeded) == 1);
    REQUIRE(scene.sink.bursts.size() == 2);
    CHECK(scene.sink.bursts[0].sent_bytes == 2048);
    CHECK(scene.sink.bursts[1].sent_bytes == 2048);
    CHECK(scene.sink.bursts[1].burst_response == Duration{1ms});
}

TEST_CASE("what is still sent when the status has come belongs to the ended task") {
    Scene scene;
    Link &link = scene.connect();
    link.send(0ms, to_target, write_command(1, 1, 4096));
    link.send(1ms, to_initiator, r2t(1, 0x10, 0, 0, 4096));
    link.send(2ms, to_target, data_out(1, 0x10, 0, 1024, false));
    link.send(3ms, to_initiator, response(1, 2));
    link.send(4ms, to_target, data_out(1, 0x10, 1, 1024, true));
    scene.close_all(9ms);
    CHECK(scene.sink.cycles.size() == 1);
    CHECK(scene.sink.cycle(0).response_time == Duration{3ms});
    CHECK(sum(scene.sink.cycle(0).phases) == Duration{3ms});
    CHECK(scene.sink.count(AnomalyKind::orphan_response) == 0);
}

TEST_CASE("the wait for the next command") {
    Scene scene;
    Link &link = scene.connect();
    link.send(0ms, to_target, read_command(1, 1, 4096));
    link.send(1ms, to_target, read_command(2, 2, 4096));
    link.send(5ms, to_initiator, data_in(1, 0, 4096, true));
    link.send(6ms, to_initiator, data_in(2, 0, 4096, true));
    link.send(9ms, to_target, test_unit_ready(3, 3));
    link.send(11ms, to_initiator, response(3));
    scene.close_all(30ms);
    CHECK(scene.sink.cycle(0).queue_depth == 1);
    CHECK(scene.sink.cycle(1).queue_depth == 2);
    CHECK(scene.sink.cycle(2).queue_depth == 1);
    CHECK(scene.sink.cycle(0).next_command_wait == Duration{}); // another was outstanding
    CHECK(scene.sink.cycle(1).next_command_wait == Duration{3ms});
    CHECK(!scene.sink.cycle(2).next_command_wait);
    CHECK(!scene.sink.cycle(2).cycle_time);
    CHECK(scene.sink.cycle(2).response_time == Duration{2ms});
}

TEST_CASE("repeated bytes count for the task they belong to") {
    Scene scene;
    Link &link = scene.connect();
    link.acknowledges = false;
    link.send(0ms, to_target, read_command(1, 1, 4096));
    link.send(1ms, to_target, read_command(2, 2, 4096));
    link.repeat(2ms, to_target, 0, 96);  // one segment, bytes of both
    link.repeat(3ms, to_target, 48, 48); // of the second
    link.acknowledge(4ms, to_initiator);
    link.repeat(5ms, to_target, 0, 48); // had arrived: not lost
    link.send(6ms, to_initiator, data_in(1, 0, 4096, true));
    link.send(7ms, to_initiator, data_in(2, 0, 4096, true));
    SECTION("while the task is open or held") {
        scene.close_all(30ms);
        CHECK(scene.sink.cycle(0).retransmitted_segments == 2);
        CHECK(scene.sink.cycle(1).retransmitted_segments == 2);
        CHECK(scene.sink.cycle(0).lost_beyond_tap);
        CHECK(scene.sink.cycle(1).lost_beyond_tap);
    }
    SECTION("behind its end, until the bytes are acknowledged") {
        link.send(8ms, to_target, test_unit_ready(3, 3));
        link.send(9ms, to_initiator, response(3));
        link.repeat(10ms, to_initiator, 0, 48);
        CHECK(scene.sink.cycles.empty()); // not acknowledged: may be repeated again
        link.acknowledges = true;
        link.send(11ms, to_target, test_unit_ready(4, 4));
        CHECK(scene.sink.cycles.size() == 2); // the command of the third is not acknowledged
        CHECK(scene.sink.cycle(0).retransmitted_segments == 3);
        scene.close_all(30ms);
    }
}

TEST_CASE("bytes repeated behind their acknowledgment were not lost") {
    Scene scene;
    Link &link = scene.connect();
    link.send(0ms, to_target, read_command(1, 1, 4096));
    link.acknowledge(1ms, to_initiator);
    link.repeat(2ms, to_target, 0, 48);
    link.send(6ms, to_initiator, data_in(1, 0, 4096, true));
    scene.close_all(30ms);
    CHECK(scene.sink.cycle(0).retransmitted_segments == 1);
    CHECK(!scene.sink.cycle(0).lost_beyond_tap);
}

TEST_CASE("a one-sided capture does not wait for acknowledgments") {
    Scene scene;
    Link &link = scene.connect();
    link.tcp.ends[1].seen = false;
    link.tcp.ends[0].seen = true;
    link.acknowledges = false;
    link.send(0ms, to_target, read_command(1, 1, 4096));
    link.send(1ms, to_target, read_command(1, 2, 4096));
    link.send(2ms, to_target, read_command(1, 3, 4096));
    CHECK(scene.sink.cycles.size() == 2);
    scene.close_all(30ms);
    CHECK(scene.sink.cycles.size() == 3);
}

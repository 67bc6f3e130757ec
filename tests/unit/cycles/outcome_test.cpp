// SPDX-License-Identifier: GPL-2.0-or-later
// Every outcome of docs/figures.md, "Task and cycle".
#include "catch.h"

#include "conversation.h"

using namespace iscsiscope;
using namespace iscsiscope::test;

TEST_CASE("a read with phase collapse is good and complete") {
    Scene scene;
    Link &link = scene.connect();
    link.send(0ms, to_target, read_command(1, 1, 4096));
    link.send(5ms, to_initiator, data_in(1, 0, 4096, true));
    REQUIRE(scene.sink.ends.size() == 1);
    REQUIRE(scene.sink.ends[0].outcome == TaskOutcome::good);
    REQUIRE(!scene.sink.ends[0].next_command_wait);
    REQUIRE(scene.sink.cycles.empty()); // its wait for the next command is not known yet
    link.send(7ms, to_target, read_command(2, 2, 4096));
    scene.close_all(9ms);

    const CycleRecord &r = scene.sink.cycle(0);
    CHECK(r.type == TaskType::read);
    CHECK(r.opcode == 0x28);
    CHECK(r.lba == 16u);
    CHECK(r.blocks == 8u);
    CHECK(r.bytes_expected == 4096u);
    CHECK(r.bytes_moved == 4096u);
    CHECK(r.complete);
    CHECK(r.response_time == Duration{5ms});
    CHECK(r.next_command_wait == Duration{2ms});
    CHECK(r.cycle_time == Duration{7ms});
    CHECK(r.command_frame == 1);
    CHECK(r.end_frame == 2);
    CHECK(scene.sink.cycle(1).outcome == TaskOutcome::unanswered);
    CHECK(scene.sink.cycle(1).end == at(9ms));
    CHECK(!scene.sink.cycle(1).has_phases);
    CHECK(scene.sink.count(AnomalyKind::residual_mismatch) == 0);
}

TEST_CASE("status decides the outcome") {
    const auto [status, outcome] = GENERATE(table<std::uint8_t, TaskOutcome>({
        {std::uint8_t{0x00}, TaskOutcome::good},
        {std::uint8_t{0x02}, TaskOutcome::check_condition},
        {std::uint8_t{0x08}, TaskOutcome::busy},
        {std::uint8_t{0x28}, TaskOutcome::task_set_full},
        {std::uint8_t{0x18}, TaskOutcome::reservation_conflict},
        {std::uint8_t{0x30}, TaskOutcome::other_status},
        {std::uint8_t{0x40}, TaskOutcome::aborted},
    }));
    Scene scene;
    Link &link = scene.connect();
    link.send(0ms, to_target, test_unit_ready(1, 1));
    link.send(1ms, to_initiator, response(1, status));
    scene.close_all(2ms);
    CHECK(scene.sink.cycle(0).outcome == outcome);
    CHECK(scene.sink.cycle(0).status == status);
    CHECK(scene.sink.cycle(0).response == 0);
    CHECK(scene.sink.cycle(0).complete);
}

TEST_CASE("sense data and a failing target are reported") {
    Scene scene;
    Link &link = scene.connect();
    std::array<std::byte, 20> sense{};
    sense[1] = std::byte{18};
    sense[2] = std::byte{0x70};
    sense[4] = std::byte{0x05};
    sense[2 + 7] = std::byte{10};
    sense[2 + 12] = std::byte{0x20};
    link.send(0ms, to_target, test_unit_ready(1, 1));
    link.send(1ms, to_initiator, response(1, 2, 20), sense);
    link.send(2ms, to_target, test_unit_ready(2, 2));
    link.send(3ms, to_initiator, response(2, 0, 0, 1));
    scene.close_all(4ms);
    CHECK(scene.sink.cycle(0).sense == 0x052000u);
    CHECK(scene.sink.cycle(1).outcome == TaskOutcome::other_status);
    CHECK(!scene.sink.cycle(1).status);
    CHECK(scene.sink.cycle(1).response == 1);
}

TEST_CASE("task management ends what it concerns") {
    Scene scene;
    Link &link = scene.connect();
    link.send(0ms, to_target, read_command(1, 1, 4096, 0));
    link.send(1ms, to_target, read_command(2, 2, 4096, 1ull << 48));
    link.send(2ms, to_target, read_command(3, 3, 4096, 0));

    SECTION("ABORT TASK one") {
        link.send(3ms, to_target, management(9, TaskManagementFunction::abort_task, 3));
        link.send(4ms, to_initiator, management_response(9));
        scene.close_all(5ms);
        CHECK(scene.sink.cycle(2).outcome == TaskOutcome::aborted);
        CHECK(scene.sink.cycle(2).end == at(4ms));
        CHECK(scene.sink.cycle(0).outcome == TaskOutcome::unanswered);
        CHECK(scene.sink.cycle(1).outcome == TaskOutcome::unanswered);
        REQUIRE(scene.sink.events.size() == 2);
        CHECK(scene.sink.events[0].cycle == CycleId{2});
        CHECK(scene.sink.events[1].referenced_itt == 3u);
    }
    SECTION("a refused function none") {
        link.send(3ms, to_target, management(9, TaskManagementFunction::abort_task, 3));
        link.send(4ms, to_initiator, management_response(9, 5));
        scene.close_all(5ms);
        CHECK(scene.sink.cycle(2).outcome == TaskOutcome::unanswered);
    }
    SECTION("LOGICAL UNIT RESET those of its LUN, and not those sent behind it") {
        link.send(3ms, to_target, management(9, TaskManagementFunction::logical_unit_reset));
        link.send(3500us, to_target, read_command(4, 4, 4096, 0));
        link.send(4ms, to_initiator, management_response(9));
        scene.close_all(5ms);
        CHECK(scene.sink.cycle(0).outcome == TaskOutcome::reset);
        CHECK(scene.sink.cycle(1).outcome == TaskOutcome::unanswered);
        CHECK(scene.sink.cycle(2).outcome == TaskOutcome::reset);
        CHECK(scene.sink.cycle(3).outcome == TaskOutcome::unanswered);
    }
    SECTION("ABORT TASK SET those of its LUN") {
        link.send(3ms, to_target, management(9, TaskManagementFunction::abort_task_set));
        link.send(4ms, to_initiator, management_response(9));
        scene.close_all(5ms);
        CHECK(scene.sink.cycle(0).outcome == TaskOutcome::aborted);
        CHECK(scene.sink.cycle(1).outcome == TaskOutcome::unanswered);
    }
    SECTION("a target reset all") {
        link.send(3ms, to_target, management(9, TaskManagementFunction::target_warm_reset));
        link.send(4ms, to_initiator, management_response(9));
        scene.close_all(5ms);
        for (std::uint64_t i = 0; i < 3; ++i)
            CHECK(scene.sink.cycle(i).outcome == TaskOutcome::reset);
    }
}

TEST_CASE("a rejected command is over, one with a bad data digest waits for its response") {
    Scene scene;
    Link &link = scene.connect();
    const HeaderBytes command = read_command(1, 1, 4096);
    link.send(0ms, to_target, command);
    Reject reject;
    SECTION("rejected") {
        reject.reason = 0x04;
        link.send(1ms, to_initiator, reject.encode(), command);
        scene.close_all(2ms);
        CHECK(scene.sink.cycle(0).outcome == TaskOutcome::rejected);
        CHECK(scene.sink.cycle(0).end == at(1ms));
        CHECK(scene.sink.events.at(0).cycle == CycleId{0});
    }
    SECTION("data digest") {
        reject.reason = 0x02;
        link.send(1ms, to_initiator, reject.encode(), command);
        link.send(2ms, to_initiator, response(1, 2));
        scene.close_all(3ms);
        CHECK(scene.sink.cycle(0).outcome == TaskOutcome::check_condition);
        CHECK(scene.sink.cycles.size() == 1);
    }
}

TEST_CASE("logout, RST and a closed connection end open tasks") {
    Scene scene;
    Link &link = scene.connect();
    link.send(0ms, to_target, read_command(1, 1, 4096));
    SECTION("logout") {
        LogoutRequest request;
        request.initiator_task_tag = InitiatorTaskTag{7};
        LogoutResponse answer;
        answer.initiator_task_tag = InitiatorTaskTag{7};
        link.send(1ms, to_target, request.encode());
        link.send(2ms, to_initiator, answer.encode());
        link.close(3ms, CloseReason::fin);
        CHECK(scene.sink.cycle(0).outcome == TaskOutcome::logout);
        CHECK(scene.sink.cycle(0).end == at(2ms));
        CHECK(scene.sink.connections.at(0).outcome == ConnectionOutcome::logged_out);
    }
    SECTION("RST, and what was in flight then") {
        link.flag(1ms, to_target, tcp_rst);
        REQUIRE(scene.sink.ends.size() == 1);
        link.send(2ms, to_initiator, data_in(1, 0, 4096, true));
        link.close(3ms, CloseReason::reset);
        CHECK(scene.sink.cycles.size() == 1);
        CHECK(scene.sink.cycle(0).outcome == TaskOutcome::connection_lost);
        CHECK(scene.sink.cycle(0).end == at(1ms));
    }
    SECTION("FIN") {
        link.close(3ms, CloseReason::fin);
        CHECK(scene.sink.cycle(0).outcome == TaskOutcome::connection_lost);
        CHECK(scene.sink.connections.at(0).outcome == ConnectionOutcome::closed);
    }
}

TEST_CASE("a tag used again while its task is outstanding ends that task") {
    Scene scene;
    Link &link = scene.connect();
    link.send(0ms, to_target, read_command(1, 1, 4096));
    link.send(3ms, to_target, read_command(1, 2, 4096));
    link.send(5ms, to_initiator, data_in(1, 0, 4096, true));
    scene.close_all(6ms);
    CHECK(scene.sink.cycles.size() == 2);
    CHECK(scene.sink.cycle(0).outcome == TaskOutcome::unanswered);
    CHECK(scene.sink.cycle(0).end == at(3ms));
    CHECK(scene.sink.cycle(1).outcome == TaskOutcome::good);
    CHECK(scene.sink.cycle(1).queue_depth == 1);
    CHECK(scene.sink.count(AnomalyKind::tag_reused) == 1);
}

TEST_CASE("a command sent again with its CmdSN is the same task") {
    Scene scene;
    Link &link = scene.connect();
    link.send(0ms, to_target, read_command(1, 1, 4096));
    link.send(3ms, to_target, read_command(1, 1, 4096));
    link.send(5ms, to_initiator, data_in(1, 0, 4096, true));
    scene.close_all(6ms);
    REQUIRE(scene.sink.cycles.size() == 1);
    CHECK(scene.sink.cycle(0).start == at(0ms));
    CHECK(scene.sink.count(AnomalyKind::tag_reused) == 0);
}

TEST_CASE("a tag may be used again after its task") {
    Scene scene;
    Link &link = scene.connect();
    for (std::uint32_t i = 0; i < 3; ++i) {
        link.send(i * 10ms, to_target, read_command(1, i, 4096));
        link.send(i * 10ms + 5ms, to_initiator, data_in(1, 0, 4096, true));
    }
    scene.close_all(60ms);
    CHECK(scene.sink.cycles.size() == 3);
    CHECK(scene.sink.anomalies.empty());
}

TEST_CASE("answers without a command are a task") {
    Scene scene;
    Link &link = scene.connect();
    link.send(0ms, to_initiator, data_in(5, 3, 512));
    link.send(1ms, to_initiator, data_in(5, 4, 512, true));
    link.send(2ms, to_initiator, response(6, 0));
    link.send(3ms, to_target, data_out(7, 0x77, 0, 512, true));
    scene.close_all(4ms);
    REQUIRE(scene.sink.cycles.size() == 3);
    for (const CycleRecord &r : scene.sink.cycles) {
        CHECK(r.outcome == TaskOutcome::no_command);
        CHECK(!r.cmd_sn);
        CHECK(!r.opcode);
        CHECK(!r.has_phases);
        CHECK(!r.response_time);
        CHECK(!r.complete);
    }
    CHECK(scene.sink.cycle(0).bytes_moved == 1024);
    CHECK(scene.sink.count(AnomalyKind::orphan_response) == 3);
}

TEST_CASE("a command that was waiting for a hole takes over its own answer") {
    Scene scene;
    Link &link = scene.connect();
    link.send(0ms, to_target, test_unit_ready(1, 1));
    link.send(1ms, to_initiator, response(1));
    SECTION("answered meanwhile") {
        link.send(5ms, to_initiator, data_in(2, 0, 4096, true));
        link.send_late(2ms, 25ms, to_target, read_command(2, 2, 4096));
    }
    SECTION("being answered") {
        link.send(4ms, to_initiator, data_in(2, 0, 2048));
        link.send_late(2ms, 4500us, to_target, read_command(2, 2, 4096));
        link.send(5ms, to_initiator, data_in(2, 1, 2048, true));
    }
    scene.close_all(30ms);
    REQUIRE(scene.sink.cycles.size() == 2);
    const CycleRecord &r = scene.sink.cycle(1);
    CHECK(r.outcome == TaskOutcome::good);
    CHECK(r.response_time == Duration{3ms});
    CHECK(r.queue_depth == 1);
    CHECK(sum(r.phases) == Duration{3ms});
    CHECK(scene.sink.cycle(0).next_command_wait == Duration{1ms});
}

TEST_CASE("an answer is kept while its command may still come") {
    Scene scene;
    Link &link = scene.connect();
    link.send(0ms, to_target, test_unit_ready(1, 1)); // outstanding: no wait for a next command
    link.pass_behind_hole(2ms, to_target, 48);
    link.send(5ms, to_initiator, data_in(2, 0, 4096, true));
    link.acknowledge(6ms, to_target);
    link.acknowledge(7ms, to_target);
    CHECK(scene.sink.ends.at(0).outcome == TaskOutcome::no_command);
    CHECK(scene.sink.cycles.empty());
    link.send_late(2ms, 25ms, to_target, read_command(2, 2, 4096));
    scene.close_all(30ms);
    REQUIRE(scene.sink.cycles.size() == 2);
    CHECK(scene.sink.cycle(1).outcome == TaskOutcome::good);
    CHECK(scene.sink.cycle(1).response_time == Duration{3ms});
    CHECK(scene.sink.cycle(1).queue_depth == 2);
}

TEST_CASE("records become final a round trip behind their ends, however many end in one") {
    Scene scene;
    Link &link = scene.connect();
    link.tcp.ends[0].rtt.latest_answer = link.tcp.ends[1].rtt.latest_answer = 10ms;
    constexpr std::uint32_t tasks = 400, depth = 8;
    for (std::uint32_t i = 0; i < tasks; ++i) {
        link.send(i * 1ms, to_target, read_command(i + 1, i + 1, 512));
        if (i >= depth)
            link.send(i * 1ms + 500us, to_initiator, data_in(i + 1 - depth, 0, 512, true, 1000));
    }
    REQUIRE(scene.sink.ends.size() == tasks - depth);
    CHECK(scene.sink.cycles.size() + 12 >= scene.sink.ends.size()); // those of the last 10 ms wait
    CHECK(scene.sink.cycles.size() + 10 <= scene.sink.ends.size());
}

TEST_CASE("only unseen bytes make a task incomplete") {
    Scene scene;
    Link &link = scene.connect();
    link.send(0ms, to_target, read_command(1, 1, 4096));
    link.send(1ms, to_target, read_command(2, 2, 4096));
    link.send(2ms, to_target, management(7, TaskManagementFunction::abort_task, 1));
    link.send(3ms, to_initiator, management_response(7));
    // It passed with its data: the capture ends before its answer.
    scene.close_all(6ms);
    CHECK(scene.sink.cycle(0).outcome == TaskOutcome::aborted);
    CHECK(scene.sink.cycle(0).complete);
    CHECK(scene.sink.cycle(1).outcome == TaskOutcome::unanswered);
    CHECK(scene.sink.cycle(1).complete);

    Scene holes;
    Link &torn = holes.connect();
    torn.send(0ms, to_target, read_command(1, 1, 4096));
    torn.sync_lost(to_initiator); // its answer may have been there
    Link &one_sided = holes.connect();
    one_sided.tcp.ends[1].seen = false;
    one_sided.send(1ms, to_target, read_command(1, 1, 4096));
    holes.close_all(6ms);
    CHECK(!holes.sink.cycle(0).complete);
    CHECK(!holes.sink.cycle(1).complete);
}

TEST_CASE("a task may end with no answer seen where PDU boundaries were lost") {
    Scene scene;
    Link &link = scene.connect();
    link.send(0ms, to_target, read_command(1, 1, 4096));
    link.send(1ms, to_initiator, data_in(1, 0, 2048));
    link.sync_lost(to_initiator);
    link.send(5ms, to_initiator, data_in(1, 3, 1024, true));
    scene.close_all(6ms);
    CHECK(scene.sink.cycle(0).outcome == TaskOutcome::good);
    CHECK(!scene.sink.cycle(0).complete);
    CHECK(scene.sink.count(AnomalyKind::data_sn_gap) == 0);
    CHECK(scene.sink.count(AnomalyKind::residual_mismatch) == 0);
}

TEST_CASE("of one direction alone nothing is said that the other one would tell") {
    const bool target_seen = GENERATE(false, true);
    CycleOptions options;
    options.gap_threshold = 1ms;
    Scene scene(options);
    Link &link = scene.connect();
    link.tcp.ends[1].seen = target_seen;
    link.acknowledges = false;
    link.send(0ms, to_target, write_command(1, 1, 8192));
    link.send(10ms, to_target, data_out(1, 7, 0, 4096, false)); // its R2T is in no frame
    link.send(20ms, to_target, data_out(1, 7, 1, 4096, true));
    link.send(30ms, to_target, read_command(2, 2, 4096));
    link.send(40ms, to_target, read_command(1, 3, 4096)); // the tag again
    link.flag(50ms, to_target, tcp_rst);
    link.close(60ms, CloseReason::reset);
    const TaskOutcome last = target_seen ? TaskOutcome::connection_lost : TaskOutcome::unanswered;
    CHECK(scene.sink.cycle(0).outcome == TaskOutcome::unanswered);
    CHECK(scene.sink.cycle(1).outcome == last);
    CHECK(scene.sink.cycle(2).outcome == last);
    CHECK(scene.sink.count(AnomalyKind::tag_reused) == (target_seen ? 1 : 0));
    REQUIRE(scene.sink.gaps.size() == 5);
    CHECK(scene.sink.gaps[0].kind == GapKind::unclassified); // no R2T: who was waited for?
    CHECK(scene.sink.gaps[1].kind == (target_seen ? GapKind::initiator_data : GapKind::unclassified));
    CHECK(scene.sink.gaps[2].kind == (target_seen ? GapKind::initiator_pause : GapKind::unclassified));
    CHECK(scene.sink.gaps[4].kind == (target_seen ? GapKind::path_down : GapKind::unclassified));
}

TEST_CASE("numbers out of sequence and bytes that do not add up are reported") {
    Scene scene;
    Link &link = scene.connect();
    link.send(0ms, to_target, read_command(1, 1, 4096));
    link.send(1ms, to_initiator, data_in(1, 0, 1024));
    link.send(2ms, to_initiator, data_in(1, 2, 1024, true));
    scene.close_all(6ms);
    CHECK(scene.sink.count(AnomalyKind::data_sn_gap) == 1);
    CHECK(scene.sink.count(AnomalyKind::residual_mismatch) == 1);
}

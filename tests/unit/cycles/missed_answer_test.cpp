// SPDX-License-Identifier: GPL-2.0-or-later
// Answers that the file does not hold: whose they were, and what they do not show.
#include "catch.h"

#include "conversation.h"

#include "analyzer/cycles/tasks/missed_answers.h"
#include "analyzer/iscsi/codec/wire.h"

using namespace iscsiscope;
using namespace iscsiscope::test;

namespace {

HeaderBytes numbered(HeaderBytes h, std::uint32_t stat_sn) {
    wire::store32(h.data() + header_field::stat_sn.at, stat_sn);
    return h;
}

// A connection on which status 10 has passed.
Link &begun(Scene &scene) {
    Link &link = scene.connect();
    link.send(0ms, to_target, test_unit_ready(100, 100));
    link.send(1ms, to_initiator, numbered(response(100), 10));
    return link;
}

Pdu ping(PduDirection d, std::uint32_t stat_sn = 0) {
    Pdu pdu;
    pdu.direction = d;
    pdu.header[0] = static_cast<std::byte>(d == to_target ? Opcode::nop_out : Opcode::nop_in);
    pdu.header[1] = std::byte{0x80};
    wire::store32(pdu.header.data() + header_field::initiator_task_tag.at, 7);
    wire::store32(pdu.header.data() + header_field::stat_sn.at, stat_sn);
    return pdu;
}

Pdu status(std::uint32_t stat_sn) {
    Pdu pdu;
    pdu.direction = to_initiator;
    pdu.header = numbered(response(1), stat_sn);
    return pdu;
}

} // namespace

TEST_CASE("a task whose answer is among PDUs that were not found ends when the next answer passes") {
    Scene scene;
    Link &link = begun(scene);
    link.send(10ms, to_target, read_command(1, 1, 4096));
    link.sync_lost(to_initiator);
    link.send(20ms, to_target, read_command(2, 2, 4096));
    link.send(21ms, to_initiator, numbered(data_in(2, 0, 4096, true), 12));
    link.send(90ms, to_target, test_unit_ready(3, 3));
    scene.close_all(100ms);
    CHECK(scene.sink.cycle(1).outcome == TaskOutcome::unanswered);
    CHECK(scene.sink.cycle(1).end == at(21ms));
    CHECK(!scene.sink.cycle(1).response_time);
    CHECK(!scene.sink.cycle(1).complete);
    CHECK(scene.sink.cycle(2).outcome == TaskOutcome::good);
}

TEST_CASE("of several open tasks those are without an answer that the target does not go on to answer") {
    Scene scene;
    Link &link = begun(scene);
    for (std::uint32_t n = 1; n <= 3; ++n)
        link.send(10ms, to_target, read_command(n, n, 4096));
    link.sync_lost(to_initiator);
    link.send(21ms, to_initiator, numbered(data_in(3, 0, 4096, true), 12));
    link.send(22ms, to_target, read_command(4, 4, 4096)); // behind the loss
    CHECK(scene.sink.ends.size() == 2);                   // 1 and 2 are open: one of them has been answered
    link.send(40ms, to_initiator, numbered(data_in(1, 0, 4096, true), 13));
    CHECK(scene.sink.ends.size() == 4);
    link.send(41ms, to_initiator, numbered(data_in(4, 0, 4096, true), 14));
    scene.close_all(100ms);
    CHECK(scene.sink.cycle(1).outcome == TaskOutcome::good);
    CHECK(scene.sink.cycle(2).outcome == TaskOutcome::unanswered);
    CHECK(scene.sink.cycle(2).end == at(21ms));
    CHECK(scene.sink.cycle(4).outcome == TaskOutcome::good);
}

TEST_CASE("a tag that is used again ends the task when its answer was missed, not now") {
    Scene scene;
    Link &link = begun(scene);
    link.send(10ms, to_target, read_command(1, 1, 4096));
    link.send(10ms, to_target, read_command(2, 2, 4096));
    link.send(10ms, to_target, read_command(3, 3, 4096));
    link.sync_lost(to_initiator);
    link.send(21ms, to_initiator, numbered(data_in(3, 0, 4096, true), 12));
    link.send(60ms, to_target, read_command(1, 4, 4096));
    link.send(61ms, to_initiator, numbered(data_in(1, 0, 4096, true), 13));
    link.send(70ms, to_initiator, numbered(data_in(2, 0, 4096, true), 14));
    scene.close_all(100ms);
    CHECK(scene.sink.cycle(1).outcome == TaskOutcome::unanswered);
    CHECK(scene.sink.cycle(1).end == at(21ms));
    CHECK(scene.sink.cycle(2).outcome == TaskOutcome::good); // nothing more was missed
}

TEST_CASE("numbers of statuses that are left out show missed answers only where boundaries were lost") {
    Scene scene;
    Link &link = begun(scene);
    link.send(10ms, to_target, read_command(1, 1, 4096));
    link.send(20ms, to_target, read_command(2, 2, 4096));
    link.send(21ms, to_initiator, numbered(data_in(2, 0, 4096, true), 12)); // a target with a habit
    link.send(30ms, to_initiator, numbered(data_in(1, 0, 4096, true), 13));
    scene.close_all(100ms);
    CHECK(scene.sink.cycle(1).outcome == TaskOutcome::good);
}

TEST_CASE("where commands were missed with their answers no other task is ended") {
    Scene scene;
    Link &link = begun(scene);
    link.sync_lost(to_target);
    link.sync_lost(to_initiator); // commands and answers 11 to 13 passed
    link.send(10ms, to_target, read_command(1, 5, 4096));
    link.send(10ms, to_target, read_command(2, 6, 4096));
    link.send(11ms, to_initiator, numbered(data_in(9, 0, 4096, true), 14)); // of a command that was missed
    link.send(12ms, to_initiator, numbered(data_in(1, 0, 4096, true), 15));
    link.send(13ms, to_initiator, numbered(data_in(2, 0, 4096, true), 16));
    scene.close_all(100ms);
    std::size_t good = 0;
    for (const CycleRecord &r : scene.sink.cycles)
        good += r.outcome == TaskOutcome::good ? 1 : 0;
    CHECK(good == 3); // the first one, 1 and 2
}

TEST_CASE("the missed answer to a ping is none of a task") {
    MissedAnswers missed;
    missed.delivered(status(10));
    missed.delivered(ping(to_target));
    missed.lost();
    missed.delivered(status(12));
    CHECK(missed.losses().empty());
    missed.lost();
    missed.delivered(status(15)); // 13 and 14
    REQUIRE(missed.losses().size() == 1);
    CHECK(missed.losses()[0].answers == 2);
    missed.delivered(ping(to_target));
    missed.delivered(ping(to_initiator, 16));
    missed.lost();
    missed.delivered(status(18)); // that ping has its answer
    CHECK(missed.losses().size() == 2);
    missed.delivered(ping(to_target));
    Pdu message;
    message.direction = to_initiator;
    message.header[0] = static_cast<std::byte>(Opcode::async_message);
    wire::store32(message.header.data() + header_field::initiator_task_tag.at, 0xffffffff);
    wire::store32(message.header.data() + header_field::stat_sn.at, 19);
    missed.delivered(message); // answers nothing
    missed.lost();
    missed.delivered(status(21));
    CHECK(missed.losses().size() == 2);
}

TEST_CASE("an answer that no frame holds is that of the open task, though the frame before it is older") {
    Scene scene;
    Link &link = begun(scene);
    link.send(10ms, to_target, read_command(1, 1, 4096));
    link.send_unseen(1ms, 12ms, to_initiator, data_in(1, 0, 4096, true));
    link.send(20ms, to_target, write_command(2, 2, 512, 512));
    link.send_unseen(1ms, 25ms, to_initiator, response(2));
    scene.close_all(100ms);
    CHECK(scene.sink.cycle(1).outcome == TaskOutcome::good);
    CHECK(!scene.sink.cycle(1).response_time); // no byte of the status is in a frame
    CHECK(!scene.sink.cycle(1).target_service);
    CHECK(scene.sink.cycle(2).outcome == TaskOutcome::good);
    CHECK(scene.sink.count(AnomalyKind::orphan_response) == 0);
}

TEST_CASE("a task whose answer was delivered behind later commands does not count in their queue depth") {
    Scene scene;
    Link &link = begun(scene);
    link.send(10ms, to_target, read_command(1, 1, 4096));
    link.send(20ms, to_target, read_command(2, 2, 4096));
    link.send(30ms, to_target, read_command(3, 3, 4096));
    link.send_late(15ms, 15ms, to_initiator, data_in(1, 0, 4096, true)); // its bytes waited
    link.send(31ms, to_initiator, data_in(2, 0, 4096, true));
    link.send(32ms, to_initiator, data_in(3, 0, 4096, true));
    scene.close_all(100ms);
    CHECK(scene.sink.cycle(2).queue_depth == 1);
    CHECK(scene.sink.cycle(3).queue_depth == 2);
}

TEST_CASE("of a command that no frame holds the response time is not known") {
    Scene scene;
    Link &link = begun(scene);
    link.send_unseen(1ms, 60ms, to_target, read_command(1, 1, 4096)); // it passed at some time behind 1 ms
    link.send(60ms, to_initiator, data_in(1, 0, 4096, true));
    scene.close_all(100ms);
    CHECK(scene.sink.cycle(1).outcome == TaskOutcome::good);
    CHECK(!scene.sink.cycle(1).response_time);
    CHECK(!scene.sink.cycle(0).next_command_wait);
}

TEST_CASE("no time is measured across a step of the capture's clock") {
    Scene scene;
    Link &link = begun(scene);
    link.send(10ms, to_target, read_command(1, 1, 4096));
    link.tcp.clock = 1;
    link.send(10ms + 1us, to_initiator, data_in(1, 0, 4096, true)); // how much later is not known
    link.send(11ms, to_target, read_command(2, 2, 4096));
    link.send(12ms, to_initiator, data_in(2, 0, 4096, true));
    link.tcp.clock = 2;
    link.send(13ms, to_target, read_command(3, 3, 4096));
    link.send(14ms, to_initiator, data_in(3, 0, 4096, true));
    // Its first bytes passed before the clock was set.
    link.tcp.clock = 3;
    link.tcp.last_time = at(20ms);
    link.send_late(19ms, 20ms, to_target, read_command(4, 4, 4096));
    link.send(21ms, to_initiator, data_in(4, 0, 4096, true));
    scene.close_all(100ms);
    CHECK(!scene.sink.cycle(1).response_time);
    CHECK(scene.sink.cycle(1).next_command_wait == 11ms - 10ms - 1us);
    CHECK(scene.sink.cycle(2).response_time == Duration{1ms});
    CHECK(!scene.sink.cycle(2).next_command_wait);
    CHECK(scene.sink.cycle(3).response_time == Duration{1ms});
    CHECK(!scene.sink.cycle(3).next_command_wait);
    CHECK(scene.sink.cycle(4).outcome == TaskOutcome::good);
    CHECK(!scene.sink.cycle(4).response_time);
}

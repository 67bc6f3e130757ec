// SPDX-License-Identifier: GPL-2.0-or-later
// docs/figures.md, "Idle gap": threshold, kinds, the task that a gap belongs to, the active life.
#include "catch.h"

#include "analyzer/cycles/gaps/evidence/outage.h"
#include "analyzer/cycles/gaps/gap_classifier.h"
#include "analyzer/cycles/gaps/gap_tracker.h"
#include "conversation.h"

using namespace iscsiscope;
using namespace iscsiscope::test;

namespace {

std::vector<GapKind> kinds(const Scene &scene) {
    std::vector<GapKind> kinds;
    for (const GapRecord &gap : scene.sink.gaps)
        kinds.push_back(gap.kind);
    return kinds;
}

using Kinds = std::vector<GapKind>;

// The adaptive default learns from spacings; where that is not what is tested, a fixed one stands.
CycleOptions fixed_threshold() {
    CycleOptions options;
    options.gap_threshold = 500us;
    return options;
}

} // namespace

TEST_CASE("kinds of the iSCSI layer") {
    Scene scene(fixed_threshold());
    Link &link = scene.connect();
    link.send(0ms, to_target, read_command(1, 1, 8192));
    link.begin(5ms, to_initiator, data_in(1, 0, 4096));         // target_first_data
    link.more(8ms, to_initiator, 4096);                         // target_data
    link.send(10ms, to_initiator, data_in(1, 1, 4096));         // target_data
    link.send(12ms, to_initiator, response(1));                 // target_status
    link.send(20ms, to_target, write_command(2, 2, 2048));      // initiator_idle
    link.send(25ms, to_initiator, r2t(2, 7, 0, 0, 2048));       // target_r2t
    link.send(27ms, to_target, data_out(2, 7, 0, 1024, false)); // initiator_burst
    link.send(29ms, to_target, data_out(2, 7, 1, 1024, true));  // initiator_data
    link.send(31ms, to_target, test_unit_ready(3, 3));          // initiator_pause
    link.send(33ms, to_target, NopOut{}.encode());              // control
    link.send(40ms, to_initiator, response(2));                 // target_status
    link.flag(50ms, to_target, tcp_rst);                        // path_down
    scene.close_all(60ms);
    CHECK(kinds(scene) == Kinds{GapKind::target_first_data, GapKind::target_data, GapKind::target_data,
                                GapKind::target_status, GapKind::initiator_idle, GapKind::target_r2t,
                                GapKind::initiator_burst, GapKind::initiator_data, GapKind::initiator_pause,
                                GapKind::control, GapKind::target_status, GapKind::path_down});
    REQUIRE(scene.sink.gaps.size() == 12);
    CHECK(scene.sink.gaps[0].cycle == CycleId{0});
    CHECK(scene.sink.gaps[4].cycle == CycleId{1});
    CHECK(scene.sink.gaps[8].cycle == CycleId{2});
    CHECK(!scene.sink.gaps[9].cycle);
    CHECK(scene.sink.gaps[4].before_frame == 5);
    CHECK(scene.sink.gaps[4].after_frame == 6);
    CHECK(scene.sink.gaps[4].length == Duration{8ms});

    const ConnectionRecord &c = scene.sink.connections.at(0);
    CHECK(c.active_start == at(0ms));
    CHECK(c.active_end == at(50ms)); // the end of the task outstanding at the last status
    CHECK(c.transfer == Duration{});
    CHECK(c.gap_time[static_cast<std::size_t>(GapKind::target_status)] == Duration{9ms});
    CHECK(c.gaps[static_cast<std::size_t>(GapKind::target_data)] == 2);

    const CycleRecord &r = scene.sink.cycle(0);
    CHECK(r.idle == Duration{20ms}); // to the next command
    CHECK(r.idle_gaps == 5);
    CHECK(scene.sink.cycle(1).idle_gaps == 6);
    CHECK(scene.sink.cycle(1).idle == Duration{20ms});
}

TEST_CASE("the threshold") {
    SECTION("is 100 us at least") {
        Scene scene;
        Link &link = scene.connect();
        link.send(0us, to_target, read_command(1, 1, 4096));
        link.send(100us, to_initiator, data_in(1, 0, 2048));
        link.send(201us, to_target, test_unit_ready(2, 2));
        scene.close_all(201us);
        REQUIRE(scene.sink.gaps.size() == 1);
        CHECK(scene.sink.gaps[0].length == Duration{101us});
    }
    SECTION("is an eighth of both round trips known at the gap's start") {
        Scene scene;
        Link &link = scene.connect();
        link.tcp.ends[0].rtt.minimum = Duration{2ms};
        link.tcp.ends[1].rtt.minimum = Duration{6ms};
        link.send(0us, to_target, read_command(1, 1, 4096));
        link.tcp.ends[1].rtt.minimum = Duration{1ms}; // inside the interval: too late for it
        link.send(1000us, to_initiator, data_in(1, 0, 2048));
        CHECK(scene.sink.gaps.empty());
        link.send(1376us, to_initiator, response(1));
        scene.close_all(1376us);
        CHECK(scene.sink.gaps.size() == 1);
    }
    SECTION("spares a slow link's packet spacing") {
        Scene scene;
        Link &link = scene.connect();
        link.send(0us, to_target, read_command(1, 1, 65536));
        link.begin(50us, to_initiator, data_in(1, 0, 40000));
        Duration t = 50us;
        for (int i = 0; i < 9; ++i)
            link.more(t += 600us, to_initiator, 1000);
        // Spacings: 600 us each; the first one was a gap, there was nothing to compare it with.
        link.acknowledge(t, to_target);
        CHECK(scene.sink.gaps.size() == 1);
        link.more(t += 2400us, to_initiator, 1000);
        link.acknowledge(t, to_target);
        CHECK(scene.sink.gaps.size() == 1);
        link.more(t += 2401us, to_initiator, 1000);
        link.acknowledge(t, to_target);
        CHECK(scene.sink.gaps.size() == 2);
        link.send(t += 600us, to_target,
                  test_unit_ready(2, 2)); // does not continue: the spacings do not count
        CHECK(scene.sink.gaps.size() == 3);
        scene.close_all(t);
    }
    SECTION("learns nothing from waits behind segments that are not full") {
        Scene scene;
        Link &link = scene.connect();
        link.tcp.ends[0].mss = 1460;
        link.send(0us, to_target, read_command(1, 1, 65536));
        link.begin(50us, to_initiator, data_in(1, 0, 40000));
        Duration t = 50us;
        for (int i = 0; i < 9; ++i) { // 40 ms behind each small segment: waits, not a link's pace
            link.more(t += 40ms, to_initiator, 1460);
            link.more(t += 10us, to_initiator, 500);
        }
        scene.close_all(t);
        CHECK(scene.sink.gaps.size() == 9);
    }
    SECTION("is what the user says") {
        CycleOptions options;
        options.gap_threshold = 10ms;
        Scene scene(options);
        Link &link = scene.connect();
        link.send(0ms, to_target, read_command(1, 1, 4096));
        link.send(10ms, to_initiator, data_in(1, 0, 2048));
        link.send(21ms, to_initiator, response(1));
        scene.close_all(21ms);
        CHECK(scene.sink.gaps.size() == 1);
    }
}

TEST_CASE("a repeated segment is no wait of the iSCSI layer") {
    Scene scene;
    Link &link = scene.connect();
    link.send(0ms, to_target, read_command(1, 1, 4096));
    link.repeat(200ms, to_target, 0, 48);
    link.send(205ms, to_initiator, data_in(1, 0, 4096, true));
    link.close(205ms);
    CHECK(kinds(scene) == Kinds{GapKind::unclassified, GapKind::target_first_data});
    CHECK(scene.sink.gaps[0].cycle == CycleId{0});
}

TEST_CASE("what was sent again for nothing was not lost") {
    GapEvidence e;
    e.repeats = true;
    e.role = PduRole::status;
    e.at_pdu_start = true;
    e.end = e.start + 48ms;
    e.tcp.kind = RetransmissionClass::tail_probe;
    e.tcp.recovers = true;
    CHECK(classify(e) == GapKind::fast_retransmit);
    e.tcp.kind = RetransmissionClass::spurious;
    e.tcp.recovers = false;
    CHECK(classify(e) == GapKind::unclassified); // nor is it the status that was waited for
    e.tcp.outstanding = e.tcp.release_advanced = e.tcp.prompt = true;
    e.tcp.limit_before = SendLimit::cwnd;
    CHECK(classify(e) == GapKind::cwnd_limited); // an ACK set it off
    e = {};
    e.end = e.start + 200ms;
    e.tcp.kind = RetransmissionClass::spurious;
    CHECK(classify(e) == GapKind::unclassified);
    e.path_silent = true; // the ACK was lost: the timer expired
    CHECK(classify(e) == GapKind::retransmission_timeout);
}

TEST_CASE("a congestion window or a send buffer holds only what its sender had: more of the same data") {
    GapEvidence e;
    e.role = PduRole::more_data_in;
    e.end = e.start + 40ms;
    e.tcp.outstanding = e.tcp.release_advanced = e.tcp.prompt = true;
    for (const auto &[limit, kind] : {std::pair(SendLimit::cwnd, GapKind::cwnd_limited),
                                      std::pair(SendLimit::send_buffer, GapKind::send_buffer)}) {
        e.tcp.limit_before = limit;
        e.role = PduRole::more_data_in;
        CHECK(classify(e) == kind);
        e.role = PduRole::first_data_in;
        e.at_pdu_start = true;
        CHECK(classify(e) == GapKind::target_first_data);
        e.at_pdu_start = false;
        CHECK(classify(e) == kind);
    }
    e.at_pdu_start = true;
    e.tcp.window_grows = true; // its own evidence
    CHECK(classify(e) == GapKind::cwnd_limited);
}

TEST_CASE("without the SYNs a window that ACKs release seems closed, inside a data sequence only") {
    GapEvidence e;
    e.role = PduRole::more_data_in;
    e.end = e.start + 40ms;
    e.tcp.outstanding = e.tcp.release_advanced = e.tcp.prompt = true;
    e.tcp.limit_before = SendLimit::receive_window;
    CHECK(classify(e) == GapKind::target_data); // its scale is known: then window_full states it
    e.tcp.window_inferred = true;
    CHECK(classify(e) == GapKind::window_closed);
    e.role = PduRole::first_data_in;
    e.at_pdu_start = true;
    CHECK(classify(e) == GapKind::target_first_data);
}

TEST_CASE("a gap that a repeat ended waits for the verdict on it, and those behind it with it") {
    const bool spurious = GENERATE(false, true);
    Recording sink;
    Connection tcp;
    tcp.ends[0].seen = tcp.ends[1].seen = true;
    std::array<PduRanges, 2> ranges;
    const RecordTables tables(sink);
    Ledger all(tables);
    NoTaskIntervals without_task;
    ConnectionLedger ledger;
    ledger.open({}, without_task, all);
    ActiveLife life;
    OpenTasks none_open;
    const std::optional<Duration> threshold = 1ms;
    SendCircumstances sending;
    GapTracker gaps({tcp, Side::opener, ranges, none_open, life, ledger, tables, threshold});
    Segment segment;
    segment.payload_length = 1000;
    const auto pass = [&](Duration when, std::uint64_t offset, bool again) {
        segment.time = at(when);
        ++segment.frame;
        sending = {};
        sending.recovers = sending.verdict_open = again;
        sending.kind = again ? RetransmissionClass::timeout : RetransmissionClass::unknown;
        SegmentReport report;
        report.segment = &segment;
        report.offset = report.first_new_offset = offset;
        report.new_bytes = again ? 0 : 1000;
        report.repeats = again;
        gaps.on_segment({report, &sending}, {}, nullptr);
    };
    TaskRef task{0, 7};
    ranges[0].push(0, 2000, task, PduRole::more_data_out, 0);
    pass(0ms, 0, false);
    pass(300ms, 0, true);
    pass(310ms, 1000, false);
    CHECK(sink.gaps.empty());
    CHECK(gaps.pending().unsettled_from() == at(0ms));
    ranges[0] = {}; // the PDU was found while it was known
    TcpRetransmission verdict;
    verdict.frame = 2;
    verdict.kind = spurious ? RetransmissionClass::spurious : RetransmissionClass::tail_probe;
    verdict.sender = Side::acceptor;
    gaps.settled(verdict); // of the other direction
    CHECK(gaps.pending().unsettled_from() == at(0ms));
    verdict.sender = Side::opener;
    gaps.settled(verdict);
    CHECK(gaps.pending().unsettled_from() == Time::max());
    gaps.flush(at(310ms), false);
    REQUIRE(sink.gaps.size() == 2);
    CHECK(sink.gaps[0].kind == (spurious ? GapKind::unclassified : GapKind::fast_retransmit));
    CHECK(sink.gaps[1].kind == GapKind::initiator_data);
    CHECK(sink.gaps[1].cycle == CycleId{7});
}

TEST_CASE("repeats into silence until the connection breaks are a path that is down") {
    Scene scene;
    Link &link = scene.connect();
    link.send(0ms, to_target, read_command(1, 1, 4096));
    link.send(5ms, to_initiator, data_in(1, 0, 4096, true));
    link.send(50ms, to_target, read_command(2, 2, 4096)); // idle: nothing was waiting for an answer
    link.repeat(250ms, to_target, 48, 48);
    link.repeat(650ms, to_target, 48, 48);
    CHECK(scene.sink.gaps.size() == 2); // the repeats wait for a sign of the target
    link.flag(1000ms, to_target, tcp_rst);
    link.close(2000ms, CloseReason::reset);
    CHECK(kinds(scene) == Kinds{GapKind::target_first_data, GapKind::initiator_idle, GapKind::path_down,
                                GapKind::path_down, GapKind::path_down});
    CHECK(scene.sink.connections.at(0).active_end == at(1000ms));
}

TEST_CASE("an outage lasts while bytes are sent again whose ACKs get lost") {
    GapEvidence timeout;
    timeout.start = at(0ms);
    timeout.end = at(400ms);
    timeout.path_silent = timeout.tcp.recovers = true;
    timeout.tcp.kind = RetransmissionClass::timeout;
    timeout.tcp.attempt = 2;
    GapEvidence spurious;
    spurious.start = at(400ms);
    spurious.end = at(1200ms);
    spurious.repeats = true;
    for (const bool silent : {true, false}) { // not silent: its ACK for the repeat had come
        Outage outage;
        REQUIRE(outage.judge(timeout, false, true) == Outage::Verdict::outage);
        CHECK((outage.judge(spurious, false, silent) == Outage::Verdict::outage) == silent);
    }
    CHECK(Outage().judge(spurious, false, true) == Outage::Verdict::none);
    Outage outage;
    REQUIRE(outage.judge(timeout, false, true) == Outage::Verdict::outage);
    spurious.start_answered = true; // the repeat before had got through
    CHECK(outage.judge(spurious, false, true) == Outage::Verdict::none);
}

TEST_CASE("a gap states whether the payload before it was acknowledged in it") {
    Scene scene;
    Link &link = scene.connect();
    link.send(0ms, to_target, read_command(1, 1, 4096));
    link.send(5ms, to_initiator,
              data_in(1, 0, 4096, true)); // its frame answers the command, and ends the gap
    link.acknowledge(6ms, to_target);
    link.send(50ms, to_target, read_command(2, 2, 4096));
    link.close(2000ms, CloseReason::reset);
    REQUIRE(scene.sink.gaps.size() >= 2);
    CHECK(!scene.sink.gaps[0].start_answered);
    CHECK(scene.sink.gaps[0].unanswered == 5ms);
    CHECK(scene.sink.gaps[1].start_answered);
    CHECK(scene.sink.gaps[1].unanswered == 45ms); // since the answer, which acknowledged the command
}

TEST_CASE("Nagle's algorithm at the target holds the status back") {
    Scene scene;
    Link &link = scene.connect();
    link.tcp.ends[0].mss = 1460;
    link.tcp.ends[0].rtt.minimum = Duration{1ms};
    link.tcp.ends[1].rtt.minimum = Duration{4ms};
    link.send(0ms, to_target, read_command(1, 1, 4096));
    link.send(6ms, to_initiator, data_in(1, 0, 1000)); // smaller than the MSS
    SECTION("sent when the ACK came") {
        link.acknowledge(8ms, to_target);
        link.send(8ms + 4ms + 600us, to_initiator, response(1));
        scene.close_all(12600us);
        CHECK(kinds(scene) == Kinds{GapKind::target_first_data, GapKind::ack_held_status});
    }
    SECTION("sent later") {
        link.acknowledge(8ms, to_target);
        link.send(8ms + 4ms + 700us, to_initiator, response(1));
        scene.close_all(12700us);
        CHECK(kinds(scene) == Kinds{GapKind::target_first_data, GapKind::target_status});
    }
    SECTION("sent before that ACK can have reached the target") {
        link.acknowledge(8ms, to_target);
        link.send(8ms + 4ms - 300us, to_initiator, response(1)); // the reaction of a host is 200 us
        scene.close_all(11700us);
        CHECK(kinds(scene) == Kinds{GapKind::target_first_data, GapKind::target_status});
    }
    SECTION("though a full segment went out in between") { // Minshall: the small one before it counts
        link.send(6050us, to_initiator, data_in(1, 1, 1460 - 48));
        link.acknowledge(8ms, to_target);
        link.send(8ms + 4ms, to_initiator, response(1));
        scene.close_all(12ms);
        CHECK(kinds(scene) == Kinds{GapKind::target_first_data, GapKind::ack_held_status});
    }
    SECTION("until the small one is acknowledged, whatever else is not") {
        link.send(6050us, to_initiator, data_in(1, 1, 1460 - 48));
        link.acknowledge_to(8ms, to_target, 48 + 1000);
        link.send(8ms + 4ms, to_initiator, data_in(1, 2, 500));
        scene.close_all(12ms);
        CHECK(kinds(scene) == Kinds{GapKind::target_first_data, GapKind::ack_held_data});
    }
    SECTION("and near the receiver its ACK passes before the rest of the run") {
        link.acknowledge_to(6010us, to_target, 48 + 1000);
        link.send(6050us, to_initiator, data_in(1, 1, 1460 - 48)); // under way when the ACK left
        link.send(6010us + 4ms, to_initiator, data_in(1, 2, 500));
        scene.close_all(10010us);
        CHECK(kinds(scene) == Kinds{GapKind::target_first_data, GapKind::ack_held_data});
    }
    SECTION("but not the answer to a command that carried the ACK") {
        link.send(8ms, to_target, test_unit_ready(2, 2));
        link.send(8ms + 4ms, to_initiator, response(2));
        scene.close_all(12ms);
        CHECK(kinds(scene).back() == GapKind::target_status);
    }
    SECTION("but never a full segment") {
        link.acknowledge(8ms, to_target);
        link.send(8ms + 4ms, to_initiator, data_in(1, 1, 1460 - 48));
        scene.close_all(12ms);
        CHECK(kinds(scene) == Kinds{GapKind::target_first_data, GapKind::target_data});
    }
    SECTION("a target that lets small segments follow unacknowledged ones") {
        link.send(6050us, to_initiator, data_in(1, 1, 1000));
        link.acknowledge(8ms, to_target);
        link.send(8ms + 4ms, to_initiator, response(1));
        scene.close_all(12ms);
        CHECK(kinds(scene) == Kinds{GapKind::target_first_data, GapKind::target_status});
    }
}

TEST_CASE("commands that wait for the command window") {
    Scene scene;
    Link &link = scene.connect();
    link.tcp.ends[0].rtt.minimum = Duration{1ms};
    link.tcp.ends[1].rtt.minimum = Duration{1ms};
    link.send(0ms, to_target, read_command(1, 1, 4096));
    link.send(2ms, to_initiator, data_in(1, 0, 4096, true, 3));
    link.send(2100us, to_target, read_command(2, 2, 4096));
    link.send(2200us, to_target, read_command(3, 3, 4096)); // the window is used up
    link.send(10ms, to_initiator, data_in(2, 0, 4096, true, 4));
    SECTION("sent at once when it opens") {
        link.send(11ms, to_target, read_command(4, 4, 4096));
        scene.close_all(11ms);
        CHECK(kinds(scene) ==
              Kinds{GapKind::target_first_data, GapKind::command_window, GapKind::command_window});
    }
    SECTION("nobody was waiting") {
        link.send(16ms, to_target, read_command(4, 4, 4096));
        scene.close_all(16ms);
        CHECK(kinds(scene) ==
              Kinds{GapKind::target_first_data, GapKind::target_first_data, GapKind::initiator_pause});
    }
}

TEST_CASE("gaps behind the last end are no part of the active life") {
    Scene scene(fixed_threshold());
    Link &link = scene.connect();
    link.send(0ms, to_target, NopOut{}.encode());
    link.send(10ms, to_target, test_unit_ready(1, 1));
    link.send(12ms, to_initiator, response(1));
    link.send(20ms, to_target, NopOut{}.encode());
    SECTION("the connection stays idle") {
        link.close(100ms);
        REQUIRE(scene.sink.gaps.size() == 4);
        CHECK(!scene.sink.gaps[0].in_active_life);
        CHECK(scene.sink.gaps[1].in_active_life);
        CHECK(!scene.sink.gaps[2].in_active_life);
        CHECK_FALSE(scene.sink.gaps[3].after_frame);
        CHECK(scene.sink.gaps[3].kind == GapKind::unclassified);
        CHECK(scene.sink.connections[0].active_end == at(12ms));
    }
    SECTION("another command follows") {
        CHECK(scene.sink.gaps.size() == 2); // the third is not known to belong to it
        link.send(30ms, to_target, test_unit_ready(2, 2));
        link.send(31ms, to_initiator, response(2));
        link.close(31ms);
        REQUIRE(scene.sink.gaps.size() == 5);
        CHECK(scene.sink.gaps[2].active_part == Duration{8ms});
        CHECK(scene.sink.connections[0].gap_time[static_cast<std::size_t>(GapKind::control)] ==
              Duration{8ms});
    }
    const ConnectionRecord &c = scene.sink.connections[0];
    Duration all = c.transfer;
    for (const Duration d : c.gap_time)
        all += d;
    CHECK(all == *c.active_end - *c.active_start);
}

TEST_CASE("an acknowledgment of bytes that no frame held") {
    Scene scene;
    Link &link = scene.connect();
    link.send(0ms, to_target, read_command(1, 1, 4096));
    link.send(2ms, to_initiator, data_in(1, 0, 2048));
    link.pass_unseen(to_target, 48); // what the capture dropped
    link.send(10ms, to_initiator, data_in(1, 1, 2048, true));
    scene.close_all(10ms);
    CHECK(kinds(scene) == Kinds{GapKind::target_first_data, GapKind::capture_loss});
}

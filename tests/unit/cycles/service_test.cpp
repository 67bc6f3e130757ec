// SPDX-License-Identifier: GPL-2.0-or-later
// target_service (docs/figures.md, "Where the capture was taken"), with times worked out by hand.
#include "catch.h"

#include "analyzer/cycles/service/service_evidence.h"
#include "conversation.h"

using namespace iscsiscope;
using namespace iscsiscope::test;

namespace {

// The waits of a task from a command in frame 1 to an answer in frame 2.
constexpr TargetWait waited(Duration from, Duration to) {
    return {at(from), at(to), 1, 2};
}

// A segment of the target: new bytes [from, to).
void answer_passes(ServiceEvidence &evidence, FrameNumber frame, Duration when, std::uint64_t from,
                   std::uint64_t to, std::uint64_t high_end, bool recovers = false, bool overtaken = false) {
    Segment s;
    s.frame = frame;
    s.time = at(when);
    s.payload_length = static_cast<std::uint32_t>(to - from);
    SegmentReport report;
    report.segment = &s;
    report.offset = report.first_new_offset = from;
    report.new_bytes = s.payload_length;
    report.out_of_order = from != high_end;
    evidence.answered(report, high_end, recovers, overtaken);
}

} // namespace

TEST_CASE("a read behind an earlier answer did not take the target that long") {
    Scene scene;
    Link &link = scene.connect();
    link.tcp.ends[1].rtt.minimum = Duration{2ms};
    link.send(0ms, to_target, read_command(1, 1, 4096));
    link.send(1ms, to_target, read_command(2, 2, 4096));
    link.begin(5ms, to_initiator, data_in(1, 0, 4096, true));
    link.more(9ms, to_initiator, 4096);
    link.send(10ms, to_initiator, data_in(2, 0, 4096, true));
    scene.close_all(30ms);
    CHECK(scene.sink.cycle(0).target_service == Duration{3ms});
    CHECK(scene.sink.cycle(1).target_service == Duration{3ms}); // 10 − 1 − 2, less 5 … 9
}

TEST_CASE("the Data-In PDUs of one answer pass as one") {
    Scene scene;
    Link &link = scene.connect();
    link.tcp.ends[1].rtt.minimum = Duration{1ms};
    link.send(0ms, to_target, read_command(1, 1, 8192));
    link.send(0ms, to_target, read_command(2, 2, 4096));
    link.send(3ms, to_initiator, data_in(1, 0, 4096));
    link.send(7ms, to_initiator, data_in(1, 1, 4096, true));
    link.send(8ms, to_initiator, data_in(2, 0, 4096, true));
    scene.close_all(30ms);
    CHECK(scene.sink.cycle(1).target_service == Duration{3ms}); // 8 − 1, less 3 … 7
}

TEST_CASE("all waits of a write with three R2Ts count") {
    Scene scene;
    Link &link = scene.connect();
    link.tcp.ends[1].rtt.minimum = Duration{2ms};
    link.send(0ms, to_target, write_command(1, 1, 3072));
    link.send(5ms, to_initiator, r2t(1, 0x10, 0, 0, 1024));
    link.begin(6ms, to_target, data_out(1, 0x10, 0, 1024, true));
    link.more(7ms, to_target, 1024);
    link.send(11ms, to_initiator, r2t(1, 0x11, 1, 1024, 1024));
    link.send(12ms, to_target, data_out(1, 0x11, 0, 1024, true));
    link.send(15ms, to_initiator, r2t(1, 0x12, 2, 2048, 1024));
    link.send(16ms, to_target, data_out(1, 0x12, 0, 1024, true));
    link.send(22ms, to_initiator, response(1));
    scene.close_all(30ms);
    // 5 − 2, 11 − 7 − 2, 15 − 12 − 2 and 22 − 16 − 2
    CHECK(scene.sink.cycle(0).target_service == Duration{3ms + 2ms + 1ms + 4ms});
}

TEST_CASE("an R2T that comes while data is due ends no wait") {
    Scene scene;
    Link &link = scene.connect();
    link.tcp.ends[1].rtt.minimum = Duration{1ms};
    link.send(0ms, to_target, write_command(1, 1, 2048));
    link.send(4ms, to_initiator, r2t(1, 0x10, 0, 0, 1024));
    link.send(6ms, to_initiator, r2t(1, 0x11, 1, 1024, 1024));
    link.send(7ms, to_target, data_out(1, 0x10, 0, 1024, true));
    link.send(8ms, to_target, data_out(1, 0x11, 0, 1024, true));
    link.send(11ms, to_initiator, response(1));
    scene.close_all(30ms);
    CHECK(scene.sink.cycle(0).target_service == Duration{3ms + 2ms}); // 4 − 1, 11 − 8 − 1
}

TEST_CASE("the wait of a write with immediate data begins with the end of the data") {
    Scene scene;
    Link &link = scene.connect();
    link.tcp.ends[1].rtt.minimum = Duration{1ms};
    link.begin(0ms, to_target, write_command(1, 1, 1024, 1024));
    link.more(4ms, to_target, 1024);
    link.send(8ms, to_initiator, response(1));
    scene.close_all(30ms);
    CHECK(scene.sink.cycle(0).target_service == Duration{3ms}); // 8 − 4 − 1
}

TEST_CASE("the same dialogue at either tap") {
    // The target takes 3 ms; 5 ms one way. The answer to the first command passes for 2 ms.
    const bool at_target = GENERATE(false, true);
    Scene scene;
    Link &link = scene.connect();
    link.tcp.ends[1].rtt.minimum = at_target ? Duration{} : Duration{10ms};
    const Duration asked = at_target ? 5ms : 0ms, answered = at_target ? 8ms : 13ms;
    link.send(asked, to_target, read_command(1, 1, 4096));
    link.send(asked, to_target, read_command(2, 2, 4096));
    link.begin(answered, to_initiator, data_in(1, 0, 4096, true));
    link.more(answered + 2ms, to_initiator, 4096);
    link.send(answered + 2ms, to_initiator, data_in(2, 0, 4096, true));
    scene.close_all(30ms);
    CHECK(scene.sink.cycle(0).target_service == Duration{3ms});
    CHECK(scene.sink.cycle(1).target_service == Duration{3ms});
}

TEST_CASE("an answer that was lost before the tap") {
    ServiceEvidence evidence;
    SECTION("with later bytes that passed before it was sent before them") {
        answer_passes(evidence, 8, 7ms, 1000, 2000, 500);
        answer_passes(evidence, 2, 40ms, 500, 1000, 2000, true);
        CHECK(evidence.own_time(waited(1ms, 40ms), Duration{2ms}).time == Duration{4ms});
    }
    SECTION("alone left the target at a time that is not known") {
        answer_passes(evidence, 2, 240ms, 500, 1000, 500, true);
        CHECK(!evidence.own_time(waited(1ms, 240ms), Duration{2ms}).time);
    }
    SECTION("and one that was only overtaken, which is in time") {
        answer_passes(evidence, 8, 7ms, 1000, 2000, 500);
        answer_passes(evidence, 2, 9ms, 500, 1000, 2000, false, true);
        CHECK(evidence.own_time(waited(1ms, 9ms), Duration{2ms}).time == Duration{6ms});
    }
    SECTION("is not the answer to another task") {
        answer_passes(evidence, 3, 240ms, 500, 1000, 500, true);
        CHECK(evidence.own_time(waited(230ms, 235ms), Duration{2ms}).time == Duration{3ms});
    }
}

TEST_CASE("a command that was lost behind the tap") {
    ServiceEvidence evidence;
    evidence.asked_again(1, at(200ms));
    CHECK(!evidence.own_time(waited(1ms, 210ms), Duration{2ms}).time);
    CHECK(evidence.own_time(waited(1ms, 10ms), Duration{2ms}).time == Duration{7ms});    // answered before
    CHECK(evidence.own_time(waited(205ms, 210ms), Duration{2ms}).time == Duration{3ms}); // asked after
    evidence.asked_again(7, at(300ms)); // only bytes behind frame 1
    CHECK(evidence.own_time(waited(290ms, 310ms), Duration{2ms}).time == Duration{18ms});
}

TEST_CASE("a wait in which the target's window was closed") {
    ServiceEvidence evidence;
    evidence.window_announced(0, at(0ms)); // no window has been announced yet
    CHECK(evidence.own_time(waited(0ms, 5ms), Duration{2ms}).time == Duration{3ms});
    evidence.window_announced(65535, at(1ms));
    evidence.window_announced(0, at(10ms));
    evidence.window_announced(65535, at(1500ms));
    CHECK(!evidence.own_time(waited(5ms, 1510ms), Duration{2ms}).time);
    CHECK(evidence.own_time(waited(5ms, 1510ms), Duration{2ms}).window_closed);
    CHECK(evidence.own_time(waited(5ms, 10ms), Duration{2ms}).time == Duration{3ms});
    CHECK(evidence.own_time(waited(1501ms, 1510ms), Duration{2ms}).time == Duration{7ms});
}

TEST_CASE("an R2T that is never answered") {
    Scene scene;
    Link &link = scene.connect();
    link.tcp.ends[1].rtt.minimum = Duration{2ms};
    link.begin(0ms, to_target, write_command(1, 1, 1024, 1024));
    link.more(1ms, to_target, 1024);
    link.send(5ms, to_initiator, r2t(1, 0x10, 0, 0, 1024));
    link.send(9ms, to_initiator, response(1));
    scene.close_all(30ms);
    CHECK(scene.sink.cycle(0).target_service == Duration{2ms + 4ms}); // 5 − 1 − 2, 9 − 5
}

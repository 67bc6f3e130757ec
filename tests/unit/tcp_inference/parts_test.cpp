// SPDX-License-Identifier: GPL-2.0-or-later
// The inference's parts, each by itself, with values worked out by hand.
#include "catch.h"
#include "comparison.h"

#include "analyzer/tcp/inference/congestion_state.h"
#include "analyzer/tcp/inference/cwnd_envelope.h"
#include "analyzer/tcp/inference/pace_detector.h"
#include "analyzer/tcp/inference/sender_pipe.h"
#include "analyzer/tcp/inference/window_scale.h"
#include "analyzer/tcp/round_trips/echo_sampler.h"
#include "analyzer/tcp/round_trips/tap_rtt_estimator.h"
#include "analyzer/tcp/stream/capture_position.h"
#include "tests/support/bundle.h"

using namespace iscsiscope;
using namespace std::chrono_literals;

namespace {

Time at(Duration d) {
    return time_from_ns(1'000'000'000'000) + d;
}

} // namespace

TEST_CASE("a pipe that sinks for a while with data waiting, twice, is a pace") {
    PaceDetector d;
    Duration now = 0ms;
    const auto groups = [&](std::uint64_t pipe, int n, bool waiting = true, std::uint64_t doubt = 0) {
        for (int i = 0; i < n; ++i)
            d.group(pipe, waiting, doubt, at(now += 1ms), 16ms);
    };
    groups(40, 8);
    groups(37, 8); // what offloading and a tick may hide
    CHECK_FALSE(d.suspected());
    groups(40, 1);
    groups(20, 4); // a host that stalled for less than a quarter of the round trip
    groups(40, 8);
    CHECK_FALSE(d.suspected());
    groups(20, 8, false); // the application had nothing to send
    groups(40, 1);
    groups(30, 8, true, 10); // the pipe may have been 40
    CHECK_FALSE(d.suspected());
    groups(40, 1);
    for (int i = 0; i < 8; ++i) { // refilled in bursts with pauses between: a sender's buffer
        now += 6ms;
        groups(30, 1);
    }
    CHECK_FALSE(d.suspected());
    groups(40, 1);
    groups(30, 6);
    CHECK(d.suspected());
    CHECK_FALSE(d.paced());
    groups(40, 1);
    groups(30, 6);
    CHECK_FALSE(d.paced()); // the same round trip
    d.round_trip_passed();
    groups(40, 1);
    d.forget_peak(); // a loss: now it may sink
    groups(30, 6);
    CHECK_FALSE(d.paced());
    groups(40, 1);
    groups(30, 6);
    CHECK(d.paced());
    for (int i = 0; i < 32; ++i)
        d.round_trip_passed();
    CHECK_FALSE(d.suspected());
}

TEST_CASE("the tap-side round trip: no queue, a steady queue, a queue that changes, stale samples") {
    TapRttEstimator l;
    CHECK_FALSE(l.now(at(0ms)));
    l.sample(at(0ms), 4ms);
    auto e = l.now(at(10ms));
    REQUIRE(e);
    CHECK(e->likely == 3800us); // a host sends on an ACK sooner than it answers data
    CHECK(e->most == 4ms);
    CHECK(e->steady);
    CHECK_FALSE(e->queued);
    l.sample(at(20ms), 4400us); // by chance: an eighth is no queue
    CHECK(l.now(at(30ms))->likely == 3800us);
    CHECK(l.now(at(30ms))->steady);
    for (int i = 2; i < 5; ++i)
        l.sample(at(i * 20ms), 12ms + i * 100us);
    e = l.now(at(100ms));
    CHECK(e->queued);
    CHECK(e->steady);
    CHECK(e->least == 3800us);
    CHECK(e->likely == 12400us);
    CHECK(e->most == 12400us);
    l.sample(at(110ms), 20ms);
    CHECK_FALSE(l.now(at(120ms))->steady);
    l.begins_anew();
    CHECK_FALSE(l.now(at(120ms))->steady);
    CHECK(l.now(at(120ms))->likely == 3800us);
    l.sample(at(130ms), 12ms);
    CHECK_FALSE(l.now(at(140ms))->steady); // one is not enough with a queue
    l.sample(at(150ms), 12ms);
    CHECK(l.now(at(160ms))->steady);
    CHECK_FALSE(l.now(at(900ms))->steady);
    l.sample(at(910ms), -1ms); // a clock that went back
    CHECK_FALSE(l.now(at(911ms))->steady);
    TapRttEstimator sender;
    sender.sample(at(0ms), 50us);
    CHECK(sender.now(at(5s))->steady); // at the sender no queue can come between
}

TEST_CASE("the smallest window scale that the flight agrees with") {
    WindowScale w;
    CHECK_FALSE(w.learnt());
    w.reached(30'000, 0); // a probe into a closed window
    CHECK_FALSE(w.learnt());
    w.reached(30'000, 40'000);
    CHECK(*w.learnt() == 0);
    w.reached(65'000, 1'000);
    CHECK(*w.learnt() == 7); // 64'000 < 65'000 <= 128'000
    w.reached(1'000, 1'000);
    CHECK(*w.learnt() == 7);
    w.reached(std::uint64_t{1} << 40, 1'000); // no scale allows that: not this window
    CHECK(*w.learnt() == 7);
    CHECK_FALSE(w.settled());
    for (int i = 0; i < 256; ++i)
        w.reached(100'000, 1'000);
    CHECK(w.settled());
    w.reached(200'000, 1'000);
    CHECK(*w.learnt() == 8);
    CHECK_FALSE(w.settled());
}

TEST_CASE(
    "a timestamp's way there and back lowers the least tap-side round trip; without a pause it is a sample") {
    EchoSampler e;
    RttTrack t;
    const auto echoed = [&](std::uint32_t stamp, Time when, Duration pause = 1s) {
        e.stamp_echoed(stamp, when, pause, 1000, t);
    };
    e.stamp_sent(100, 1000, 1010, 1000, at(0ms)); // may have passed before the capture began
    echoed(100, at(1ms));
    CHECK_FALSE(t.minimum);
    e.stamp_sent(0xfffffff0 + 100, 1000, 1010, 1000, at(2ms)); // older
    echoed(0xfffffff0 + 100, at(3ms));
    CHECK_FALSE(t.minimum);
    e.stamp_sent(105, 1000, 1010, 1000, at(10ms));
    e.stamp_sent(106, 1000, 1010, 1000, at(11ms));
    echoed(104, at(12ms));
    echoed(105, at(15ms));
    REQUIRE(t.minimum);
    CHECK(*t.minimum == 5ms);
    CHECK(t.samples == 0);
    CHECK(t.latest == Duration{});
    e.stamp_sent(110, 1000, 1010, 1000, at(20ms));
    echoed(111, at(21ms)); // 106 and 110 never came back
    CHECK(*t.minimum == 5ms);
    e.stamp_sent(112, 1000, 1010, 1000, at(30ms));
    echoed(112, at(33ms));
    CHECK(*t.minimum == 3ms);
    e.stamp_sent(113, 1000, 1010, 1000, at(40ms));
    echoed(113, at(140ms)); // it rested
    CHECK(*t.minimum == 3ms);
    CHECK(t.samples == 0);
    e.stamp_sent(114, 1000, 1010, 1000, at(150ms));
    e.stamp_sent(115, 990, 1000, 980, at(151ms)); // the segment before had ACKed its bytes
    echoed(114, at(154ms), 40us);
    CHECK(t.samples == 1);
    CHECK(t.latest == 4ms);
    echoed(115, at(155ms), 40us);
    CHECK(t.samples == 1);
    e.stamp_sent(116, 1000, 1000, 980, at(160ms)); // a pure ACK behind bytes that are not ACKed
    e.stamp_sent(116, 1000, 1000, 980, at(161ms)); // this one may have set off the echo
    echoed(116, at(164ms), 40us);
    CHECK(t.samples == 1);
    e.stamp_sent(117, 1000, 1000, 980, at(170ms));
    echoed(117, at(174ms), 40us);
    CHECK(t.samples == 2);
}

TEST_CASE("the capture position is not surer than its tap-side round trips") {
    Connection c;
    CHECK_FALSE(capture_position(c, Side::opener));
    const auto set = [&](Side s, Duration d, std::uint32_t answers) {
        c.ends[index(s)].rtt.minimum = d;
        c.ends[index(s)].rtt.answers = answers;
    };
    set(Side::opener, 40us, 100);
    CHECK_FALSE(capture_position(c, Side::opener));
    set(Side::acceptor, 360us, 100);
    auto p = capture_position(c, Side::opener);
    REQUIRE(p);
    CHECK(p->value == Approx(0.1));
    CHECK(p->low == 0.0);
    CHECK(p->high == Approx(40.0 / 155)); // without the handshake 200 µs and an eighth may be something else
    p = capture_position(c, Side::acceptor);
    CHECK(p->value == Approx(0.9));
    CHECK(p->high == 1.0);
    set(Side::acceptor, 32ms, 100);
    p = capture_position(c, Side::opener);
    CHECK(p->high < 0.002);
    set(Side::acceptor, 40ms, 1); // it may be a delayed ACK: nothing is sure
    p = capture_position(c, Side::opener);
    CHECK(p->low == 0.0);
    CHECK(p->high == 1.0);
    c.ends[0].syn_seen = c.ends[1].syn_seen = true; // with a handshake it is not
    CHECK(capture_position(c, Side::opener)->high < 0.002);
    set(Side::acceptor, 360us, 100);
    CHECK(capture_position(c, Side::opener)->high == Approx(0.2)); // 40 of 40 + 160
    set(Side::opener, 0us, 100);
    set(Side::acceptor, 0us, 100);
    p = capture_position(c, Side::opener);
    CHECK(p->low == 0.0);
    CHECK(p->high == 1.0);
}

// Captures that the testbed made with 16 ms one way, from either end, whole and from the middle on.
TEST_CASE("tap-side round trips and position of captures whose path is known") {
    for (const bool at_initiator : {true, false}) {
        for (const std::size_t skip : {0U, 60U}) {
            const std::string file = test::bundled(std::string("read-16ms-four-gaps.") +
                                                   (at_initiator ? "initiator" : "target") + ".pcapng.zst");
            const auto ends = test::read_min_tap_rtts(file, skip);
            INFO(file << " from frame " << skip);
            REQUIRE(ends);
            const Duration near = at_initiator ? ends->to_initiator : ends->to_target;
            const Duration far = at_initiator ? ends->to_target : ends->to_initiator;
            CHECK(near <= 200us);
            CHECK(far >= 32ms);
            CHECK(far <= 32ms * 1.05);
            CHECK(std::abs(ends->position.value - (at_initiator ? 0 : 1)) <= 0.02);
            CHECK(ends->position.low <= (at_initiator ? 0 : 1));
            CHECK(ends->position.high >= (at_initiator ? 0 : 1));
        }
    }
}

TEST_CASE("a level found by time behind a queue is no window until losses have made it fall") {
    CwndEnvelope e;
    Duration now = 0ms;
    std::uint64_t delivered = 0;
    const auto run = [&](std::uint64_t level, int releases) {
        for (int i = 0; i < releases; ++i) {
            delivered += 2;
            for (std::uint64_t p : {level - 1, level})
                e.send({.time = at(now += 1ms),
                        .pipe = p,
                        .pipe_low = p / 2,
                        .pipe_high = p + 2,
                        .delivered = delivered,
                        .pure_release = true,
                        .full = true,
                        .sure = true,
                        .by_time = true,
                        .queued = true},
                       Duration{8ms});
            if (i % 4 == 3)
                e.round_trip_passed();
        }
    };
    std::uint64_t level = 64;
    for (int loss = 0; loss < 2; ++loss) {
        run(level, 40);
        CHECK_FALSE(e.window());
        CHECK(e.in_doubt());
        e.entered_recovery();
        e.left_recovery();
        level /= 2;
    }
    run(level, 10);
    REQUIRE(e.window());
    CHECK(*e.window() == 16);
    CHECK(e.low() <= 14);
    CHECK(*e.high() >= 18);
    CHECK(*e.high() <= 20);
    e.entered_recovery();
    e.left_recovery();
    run(level, 10); // it did not yield: a pace after all
    CHECK_FALSE(e.window());
}

namespace {

// A sender whose segments of 1000 bytes reach the CongestionState.
struct Controlled {
    CongestionState state;
    CwndEnvelope window;
    Segment segment;
    SegmentReport report;

    Controlled() {
        segment.payload_length = 1000;
        report.segment = &segment;
    }
    SenderState sends(std::uint64_t offset, std::uint64_t acked, std::uint32_t sacked = 0,
                      bool timed_out = false) {
        AckSeen known;
        known.acked = acked;
        known.sacked_packets = sacked;
        report.offset = offset;
        state.knew(known, {report, offset, timed_out, offset == 0}, true, window);
        return state.now();
    }
    SenderState repeats(std::uint64_t sent_to, bool seen_before, bool timed_out, bool oldest = true) {
        report.repeats = seen_before;
        state.resent({report, sent_to, timed_out}, oldest, window);
        return state.now();
    }
};

} // namespace

TEST_CASE("the state of a sender follows its losses and repairs") {
    Controlled c;
    CHECK(c.state.now() == SenderState::unknown);
    CHECK(c.sends(0, 0) == SenderState::slow_start);
    c.state.window_known(false);
    CHECK(c.sends(1000, 0, 2) == SenderState::avoidance);
    CHECK(c.sends(2000, 0, 3) == SenderState::recovery);
    CHECK_FALSE(c.state.calm());
    c.state.window_known(true); // says nothing meanwhile
    CHECK(c.sends(3000, 1999, 3) == SenderState::recovery);
    CHECK(c.sends(4000, 2000) == SenderState::avoidance);
    CHECK(c.repeats(5000, false, false) == SenderState::avoidance); // may be reordered
    CHECK(c.repeats(5000, true, false) == SenderState::recovery);
    CHECK(c.repeats(5000, true, true, false) == SenderState::recovery); // not the oldest bytes
    CHECK(c.repeats(5000, false, true) == SenderState::loss);
    CHECK(c.repeats(5000, true, false) == SenderState::loss);
    CHECK(c.sends(5000, 4999) == SenderState::loss);
    CHECK(c.sends(6000, 5000) == SenderState::slow_start);
    CHECK(c.state.calm());
}

TEST_CASE("a CE mark cuts the window, and a silence with nothing in flight restarts it") {
    Controlled c;
    c.sends(0, 0);
    c.segment.flags = tcp_ack | tcp_cwr;
    CHECK(c.sends(1000, 0) == SenderState::recovery);
    c.segment.flags = tcp_ack;
    CHECK(c.sends(2000, 1000) == SenderState::avoidance);
    CHECK(c.sends(3000, 2000, 0, true) == SenderState::avoidance); // data were in flight
    CHECK(c.sends(4000, 4000, 0, true) == SenderState::idle_restart);
    CHECK_FALSE(c.state.calm());
    CHECK(c.sends(5000, 4000) == SenderState::idle_restart);
    CHECK(c.sends(6000, 5000) == SenderState::unknown);
}

TEST_CASE("late entries are kept as far as few entries move for them") {
    Segment segment;
    segment.payload_length = 10;
    SentLog lossy; // one segment in fifty comes behind two thousand others
    for (std::uint64_t at = 0; at < 100'000; at += 10) {
        if (at % 500 != 0 || at == 0)
            lossy.add(segment, at, 10);
        if (at >= 20'000 && at % 500 == 0)
            lossy.add_late(segment, at - 19'500, at - 19'490);
    }
    CHECK(lossy.holding(60'000) != nullptr);
    CHECK(lossy.holding(60'000)->late == 1);
    SentLog backwards;
    backwards.add(segment, 100'000, 10);
    for (std::uint64_t at = 99'990; at > 0; at -= 10)
        backwards.add_late(segment, at, at + 10);
    std::size_t kept = 0;
    backwards.visit(0, 200'000, [&](const SentLog::Sent &) { ++kept; });
    CHECK(kept > 100);
    CHECK(kept < 2'000);
    backwards.add(segment, 100'010, 10);
    CHECK(backwards.holding(100'010) != nullptr);
}

TEST_CASE("a pipe taken further is the pipe computed anew") {
    SentLog log;
    AckSeen ack;
    ack.acked = 1000;
    ack.packets = 1;
    ack.state = 1;
    const KnownRange::Known known{.least = &ack, .likely = &ack, .most = &ack};
    Segment segment;
    segment.payload_length = 1000;
    SegmentReport report;
    report.segment = &segment;
    SenderPipe taken, computed;
    const auto pass = [&](std::uint64_t offset, bool run) {
        log.add(segment, offset, 1000);
        report.offset = offset;
        report.continues_run = run;
        const bool follows = taken.follows(known, report, offset, 1000);
        CHECK(follows == run);
        const SenderPipe::Pipe a =
            follows ? taken.add(report, log) : taken.compute(known, report, log, 1000, true);
        const SenderPipe::Pipe b = computed.compute(known, report, log, 1000, true);
        CHECK(a.packets == b.packets);
        CHECK(a.low == b.low);
        CHECK(a.high == b.high);
        CHECK(a.bytes == b.bytes);
        CHECK(a.bytes_low == b.bytes_low);
        CHECK(a.bytes_high == b.bytes_high);
        return a;
    };
    CHECK_FALSE(taken.any());
    pass(0, false); // all of it is acknowledged: nothing is in flight, and the next one is computed
    CHECK(taken.any());
    CHECK(pass(1000, false).bytes == 1000);
    CHECK(pass(2000, true).packets == 2);
    CHECK(pass(3000, true).bytes == 3000);
    taken.resent(2000, 1000, 1000);
    computed.resent(2000, 1000, 1000);
    CHECK(pass(4000, false).bytes_high == 5000);
    CHECK(taken.last().high == 5);
    ack.acked = 2000;
    ack.packets = 2;
    ack.state = 2;
    CHECK(pass(5000, false).bytes_high == 4000); // the repeat is acknowledged
}

// SPDX-License-Identifier: GPL-2.0-or-later
// The diagnosis of hand-made conversations, and the clocks of hand-made pairs.
#include "catch.h"
#include "diagnosed_talk.h"

#include "analyzer/tcp/diagnosis/repeats/retransmission_judge.h"
#include "analyzer/tcp/pair/clock_fit.h"
#include "analyzer/tcp/round_trips/end_tap_rtt.h"
#include "tests/unit/tcp/fed_tcp.h"

#include <random>

using namespace iscsiscope;
using namespace traffic;
using namespace std::chrono_literals;

TEST_CASE("a repeat is judged by what its sender knew") {
    using enum RetransmissionClass;
    const auto kind = [](RepeatEvidence e) { return judge_repeat(e).kind; };
    RepeatEvidence e;
    e.round_trip = 10ms;
    e.signalled = true;
    e.silence = 1ms;
    CHECK(kind(e) == fast);
    e.oldest = true;
    CHECK(kind(e) == fast);
    e.silence = 300ms;
    CHECK(kind(e) == timeout);
    e.silence = 1ms;
    e.since_last_copy = 300ms; // repeated and lost again: the timer ran on under duplicate ACKs
    CHECK(kind(e) == timeout);
    e = {};
    e.round_trip = 10ms;
    e.last = true;
    e.silence = 21ms;
    CHECK(kind(e) == tail_probe);
    e.silence = 1ms;
    CHECK(kind(e) == unknown);
    e.prompt = true;
    CHECK(kind(e) == fast);
    e = {};
    e.oldest = e.last = true;
    e.silence = 210ms;
    CHECK(kind(e) == timeout);
    CHECK(judge_repeat(e).maybe_probe);
    e.probes = true;
    CHECK(kind(e) == tail_probe);
    e = {};
    e.in_loss = true;
    e.silence = 1ms;
    CHECK(kind(e) == timeout);
    CHECK_FALSE(judge_repeat(e).expiry);
}

TEST_CASE("a size that the path swallows") {
    Talk talk(9000);
    talk.data(0, 100, 1);
    talk.now += 10 * ms;
    talk.ack(100);
    for (int i = 0; i < 5; ++i) { // backed off
        talk.data(100, 8948, 2 + static_cast<std::uint32_t>(i) * 300);
        talk.now += 250 * ms << i;
    }
    const TcpDirectionFigures &f = talk.finish();
    CHECK(f.largest_acked_segment == 100);
    REQUIRE(f.smallest_black_holed);
    CHECK(*f.smallest_black_holed == 8948);
    CHECK(f.black_hole_frame);
    CHECK(talk.out.repeats.size() == 4);
    CHECK(f.lost_behind_tap == 4);
    CHECK(f.timeouts.count == 4);
}

TEST_CASE("a loss that large segments only share with others is no black hole") {
    Talk talk(9000);
    talk.data(0, 8948, 1);
    talk.now += 10 * ms;
    talk.ack(8948);
    for (int i = 0; i < 5; ++i) {
        talk.data(8948, 8948, 2 + static_cast<std::uint32_t>(i) * 300);
        talk.now += 250 * ms << i;
    }
    CHECK_FALSE(talk.finish().smallest_black_holed);
}

// Four full segments, each pair followed by one of 1200 bytes; large segments passed before.
static void send_mixed(Talk &talk, bool large_pass_tap) {
    talk.data(0, 1448, 1);
    talk.now += 10 * ms;
    talk.ack(1448);
    for (std::uint32_t at = 1448, i = 0; i < 2; ++i, at += 4096) {
        if (large_pass_tap) {
            talk.data(at, 1448, 2);
            talk.data(at + 1448, 1448, 2);
        }
        talk.data(at + 2896, 1200, 2);
    }
    talk.now += 10 * ms;
}

TEST_CASE("full segments that never arrive beside smaller ones that do are a black hole") {
    Talk talk;
    send_mixed(talk, true);
    talk.ack(1448, 60000, 1448 + 2896, 1448 + 4096);
    talk.ack(1448, 60000, 1448 + 6992, 1448 + 8192);
    for (std::uint32_t i = 0; i < 4; ++i) {
        talk.now += 250 * ms << i;
        talk.data(1448, 1448, 300 + i * 300);
    }
    talk.now += 10 * ms;
    talk.ack(1448 + 1448); // the path is whole again
    const TcpDirectionFigures &f = talk.finish();
    REQUIRE(f.smallest_black_holed);
    CHECK(*f.smallest_black_holed == 1448);
    CHECK(f.passed_black_hole == 1200);
    CHECK(f.largest_acked_segment == 1448);
}

TEST_CASE("segments of every size that get lost are no black hole") {
    Talk talk;
    send_mixed(talk, true);
    talk.ack(1448, 60000, 1448 + 2896, 1448 + 4096); // the second of 1200 bytes is lost as well
    for (std::uint32_t i = 0; i < 4; ++i) {
        talk.now += 250 * ms << i;
        talk.data(1448, 1448, 300 + i * 300);
    }
    CHECK_FALSE(talk.finish().smallest_black_holed);
}

TEST_CASE("one packet that a full queue drops again and again is no black hole of its size") {
    for (const std::uint32_t repeats : {3U, 5U, 6U}) {
        for (const std::uint32_t passed_before : {1448U, 1200U}) {
            Talk talk;
            talk.data(0, passed_before, 1);
            talk.now += 10 * ms;
            talk.ack(passed_before);
            talk.data(passed_before, 1448, 2);
            talk.data(passed_before + 1448, 1200, 2);
            talk.now += 10 * ms;
            talk.ack(passed_before, 60000, passed_before + 1448, passed_before + 1448 + 1200);
            for (std::uint32_t i = 0; i < repeats; ++i) {
                talk.now += 250 * ms << i;
                talk.data(passed_before, 1448, 300 + i * 300);
            }
            CAPTURE(repeats, passed_before);
            CHECK(talk.finish().smallest_black_holed.has_value() == (passed_before < 1448 || repeats == 6));
        }
    }
}

TEST_CASE("a repeat in smaller packets that arrives where full ones never did is a black hole's") {
    for (const std::uint32_t last : {1024U, 1448U}) { // of the same size: the path is whole again
        Talk talk;
        talk.data(0, 1448, 1);
        talk.now += 10 * ms;
        talk.ack(1448);
        for (std::uint32_t i = 0; i < 3; ++i)
            talk.data(1448 * (i + 1), 1448, 2);
        for (std::uint32_t i = 0; i < 4; ++i) {
            talk.now += 250 * ms << i;
            talk.data(1448, i == 3 ? last : 1448, 300 + i * 300);
        }
        talk.now += 10 * ms;
        talk.ack(1448 + last);
        CHECK(talk.finish().smallest_black_holed.has_value() == (last == 1024));
    }
}

TEST_CASE("holes of whole full segments between smaller ones are a black hole before the tap") {
    Talk talk;
    send_mixed(talk, false);
    talk.ack(1448, 60000, 1448 + 2896, 1448 + 4096);
    talk.ack(1448, 60000, 1448 + 6992, 1448 + 8192);
    talk.now += 3000 * ms;
    talk.data(1448, 1448, 3300);
    CHECK(talk.finish().passed_black_hole == 1200);

    Talk soon; // a repair without several timeouts
    send_mixed(soon, false);
    soon.now += 300 * ms;
    soon.data(1448, 1448, 330);
    CHECK_FALSE(soon.finish().smallest_black_holed);
}

TEST_CASE("a hole of whole full segments that smaller ones fill is a black hole before the tap") {
    for (const std::uint32_t size : {1024U, 1448U}) {
        Talk talk;
        talk.data(0, 48, 1);
        talk.now += 10 * ms;
        talk.ack(48);
        talk.now += 3000 * ms;
        talk.data(48, size, 3300); // eight full segments were lost
        talk.data(48 + 8 * 1448, 1024, 3300);
        talk.now += 10 * ms;
        talk.ack(48 + size);
        CHECK(talk.finish().smallest_black_holed.has_value() == (size == 1024));
    }
}

TEST_CASE("a receiver without room") {
    Talk talk;
    talk.data(0, 1448, 1);
    talk.now += 10 * ms;
    talk.ack(1448, 0);
    talk.now += 300 * ms;
    talk.ack(1448, 60000);
    talk.now += 10'000;
    talk.data(1448, 1448, 320);
    const TcpDirectionFigures &f = talk.finish();
    CHECK(f.zero_window.count == 1);
    CHECK(f.zero_window.total == 300ms);
    CHECK(f.window_full.total == 300ms);
    CHECK(f.largest_window == 60000U);
}

TEST_CASE("a late segment: overtaken, or lost and sent again") {
    const bool lost = GENERATE(false, true);
    Talk talk;
    talk.data(0, 1448, 1);
    talk.data(2896, 1448, 3);
    talk.data(4344, 1448, 3);
    talk.now += 10 * ms;
    talk.ack(1448, 60000, 2896, 5792);
    talk.now += lost ? 100'000 : 10'000;
    talk.data(1448, 1448, lost ? 14 : 2);
    talk.now += 10 * ms;
    talk.ack(5792);
    const TcpDirectionFigures &f = talk.finish();
    CHECK(talk.out.reorderings.size() == (lost ? 0 : 1));
    CHECK(talk.out.repeats.size() == (lost ? 1 : 0));
    if (lost) {
        CHECK(talk.out.repeats[0].kind == RetransmissionClass::fast);
        CHECK(f.lost_before_tap == 1);
    } else {
        CHECK(talk.out.reorderings[0].segments == 2);
        CHECK(talk.out.reorderings[0].proof == ReorderingProof::timestamp);
    }
}

TEST_CASE("a late segment with the time stamp of those that overtook it") {
    Talk talk;
    std::uint32_t at = 0;
    const auto sent = [&](std::uint32_t stamp) {
        talk.data(at, 1448, stamp);
        at += 1448;
        talk.now += 10 * ms;
        talk.ack(at);
        talk.now += 10 * ms;
    };
    for (std::uint32_t i = 0; i < 5; ++i) // the clock of its sender has a step of 1 ms
        sent(20 * i);
    talk.data(at + 1448, 1448, 101);
    talk.now += 12 * ms; // longer than a round trip
    talk.data(at, 1448, 101);
    talk.now += 10 * ms;
    talk.ack(at + 2896);
    talk.finish();
    REQUIRE(talk.out.reorderings.size() == 1);
    CHECK(talk.out.reorderings[0].proof == ReorderingProof::timestamp);
    CHECK(talk.out.repeats.empty());
}

TEST_CASE("a segment overtaken beyond the tap is acknowledged behind later ones, and never sent again") {
    const bool again = GENERATE(false, true);
    Talk talk;
    for (std::uint32_t i = 0; i < 4; ++i)
        talk.data(1448 * i, 1448, 1);
    talk.now += 10 * ms;
    talk.ack(1448, 60000, 2896, 4344);
    talk.now += 1 * ms;
    if (again)
        talk.data(1448, 1448, 12);
    talk.now += 10 * ms;
    talk.ack(5792);
    const TcpDirectionFigures &f = talk.finish();
    CHECK(f.overtaken_behind_tap == (again ? 0 : 1));
    CHECK(f.first_overtaken_behind_tap ==
          (again ? OptionalFrame() : OptionalFrame(5))); // the second segment of data
    CHECK(talk.out.reorderings.empty());
}

TEST_CASE("a repeat in smaller packets is no black hole of their size") {
    Talk talk;
    talk.data(0, 400, 1);
    talk.now += 10 * ms;
    talk.ack(400);
    for (std::uint32_t i = 0; i < 3; ++i)
        talk.data(400 + 1448 * i, 1448, 12);
    for (int i = 0; i < 4; ++i) {
        talk.now += 300 * ms;
        talk.data(400 + 2 * 1448, 1448, 400);
    }
    talk.now += 300 * ms;
    talk.data(400 + 2 * 1448, 1024, 2000);
    talk.data(400 + 2 * 1448 + 1024, 424, 2000);
    talk.now += 10 * ms;
    talk.ack(400);
    CHECK(talk.finish().smallest_black_holed == 1448U);
}

TEST_CASE("the end of a run that was lost before the tap") {
    const bool had_more = GENERATE(true, false); // behind a full segment, or behind a small one
    Talk talk;
    std::uint32_t at = 0, stamp = 0;
    for (int i = 0; i < 20; ++i, at += 1448)
        talk.data(at, 1448, ++stamp);
    if (!had_more) {
        talk.data(at, 100, ++stamp);
        at += 100;
    }
    talk.now += 10 * ms;
    talk.ack(at); // its frame takes an IP identification, so that one of the sender's is missing
    talk.now += 40 * ms;
    talk.data(at, 100, stamp + 50);
    talk.now += 10 * ms;
    talk.ack(at + 100);
    const TcpDirectionFigures &f = talk.finish();
    CHECK(f.lost_before_tap == (had_more ? 1U : 0U));
    REQUIRE(talk.out.repeats.size() == (had_more ? 1U : 0U));
    if (had_more)
        CHECK(talk.out.repeats[0].kind == RetransmissionClass::tail_probe);
}

TEST_CASE("in a file without pure ACKs a missing IP identification shows no loss") {
    const bool with_acks = GENERATE(true, false);
    Talk talk;
    for (int i = 0; with_acks && i < 2; ++i)
        talk.ack_answer(0, 0);
    std::uint32_t sent = 0;
    for (std::uint32_t i = 0; i < 12; ++i, sent += 48)
        talk.data(sent, 48, i);
    talk.now += 10 * ms;
    talk.answer(sent, 0, 48); // its frame takes an IP identification, so that one of the sender's is missing
    talk.now += 1000 * ms;
    talk.data(sent, 48, 20);
    talk.now += 10 * ms;
    talk.answer(sent + 48, 48, 48);
    CHECK(talk.finish().lost_before_tap == (with_acks ? 1U : 0U));
}

TEST_CASE("an ACK held back, and one that was not") {
    Talk talk;
    std::uint32_t at = 0;
    for (int i = 0; i < 10; ++i) {
        talk.data(at, 1000, static_cast<std::uint32_t>(i) * 100 + 1);
        at += 1000;
        talk.now += (i == 7 ? 50 : 10) * ms;
        talk.ack(at);
        talk.now += 50 * ms;
    }
    const TcpDirectionFigures &f = talk.finish();
    CHECK(f.delayed_acks.count == 1);
    CHECK(f.delayed_acks.longest == 40ms);
    CHECK(f.ack_delays[5] == 1); // 35 to 45 ms
    CHECK(std::accumulate(f.ack_delays.begin(), f.ack_delays.end(), std::uint64_t{0}) == 10);
}

TEST_CASE("the round trip to an end is that of its samples, and as far as they vary") {
    EndTapRtt end;
    RttTrack track;
    const auto segment = [&](std::optional<Duration> answer, std::optional<Duration> sample) {
        track.news = {};
        if (answer)
            track.add_answer(*answer);
        if (sample)
            track.add_sample(*sample, {});
        end.take(track);
    };
    for (int i = 0; i < 4; ++i)
        segment(15ms, 10ms); // 5 ms of a program
    CHECK(end.usual() == 10ms);
    CHECK(end.smooth() == 15ms);
    segment({}, 18ms); // SRTT 10 + 8/8 = 11; the deviation (18 - 11) / 4
    CHECK(end.usual() == 18ms);
    segment({}, {}); // nothing new
    CHECK(end.usual() == 18ms);
    CHECK(end.samples().count() == 5);
    segment(23ms, 11ms); // SRTT 11; the deviation falls by a quarter
    CHECK(end.usual() == 11ms + 1312500ns);
    CHECK(end.smooth() == 16ms); // 15 + 8/8
}

TEST_CASE("an ACK released a sender one tap round trip later, whatever its program took before") {
    Talk talk;
    std::uint32_t sent = 0, answered = 0;
    for (int i = 0; i < 12; ++i) { // 10 ms of the way, 5 of the program
        talk.data(sent, 100, 0);
        sent += 100;
        talk.now += 15 * ms;
        talk.answer(sent, answered, 100);
        answered += 100;
        talk.now += 1 * ms;
    }
    const auto sent_after_ack = [&](std::int64_t wait) {
        talk.answer(sent, answered, 1460);
        answered += 1460;
        talk.now += ms / 10;
        talk.ack_answer(sent, answered);
        talk.now += wait;
        talk.answer(sent, answered, 1460);
        answered += 1460;
        talk.now += 50 * ms;
        talk.ack_answer(sent, answered);
        return talk.out.last;
    };
    CHECK(sent_after_ack(10 * ms).prompt);
    const SendCircumstances late = sent_after_ack(14 * ms);
    CHECK(late.release_advanced);
    CHECK(late.since_release == 4ms);
    CHECK_FALSE(late.prompt);
}

TEST_CASE("a receiver that complains of a second copy") {
    const bool repeated = GENERATE(false, true);
    Talk talk;
    talk.data(0, 1448, 1);
    talk.now += 300 * ms;
    if (repeated)
        talk.data(0, 1448, 301);
    talk.now += 10 * ms;
    talk.ack(1448);
    talk.now += 1 * ms;
    talk.ack(1448, 60000, 0, 1448); // RFC 2883
    const TcpDirectionFigures &f = talk.finish();
    CHECK(f.duplicates_received == (repeated ? 0U : 1U));
    CHECK(f.retransmissions[static_cast<std::size_t>(RetransmissionClass::spurious)] == (repeated ? 1U : 0U));
    CHECK(f.lost_behind_tap == 0);
}

TEST_CASE("frames lost behind the SYN leave no time that was never set") {
    Diagnosed out;
    FedTcp engine{out, out};
    FrameNumber frame = 0;
    std::uint32_t stamp = 100;
    const std::int64_t start = 1'795'294'749'000 * ms;
    const auto feed = [&](int side, std::uint32_t offset, std::uint32_t acked, std::size_t bytes,
                          std::uint8_t flags, std::int64_t when) {
        traffic::Packet p;
        p.side = side;
        p.sequence = traffic::initial_sequence[side] + offset - ((flags & tcp_syn) != 0 ? 1 : 0);
        p.acknowledgment = (flags & tcp_ack) != 0 ? traffic::initial_sequence[1 - side] + acked : 0;
        p.flags = flags;
        p.payload.resize(bytes);
        p.time_ns = start + when;
        Segment s = traffic::segment(p, ++frame);
        s.options.has_timestamps = true;
        s.options.timestamp_value = ++stamp;
        s.options.timestamp_echo = stamp - 1;
        engine.feed(s);
    };
    feed(0, 0, 0, 0, tcp_syn, 0); // what followed it up to the target's first data is not in the capture
    std::uint32_t sent = 0, asked = 48;
    for (int round = 0; round < 40; ++round) {
        const std::int64_t now = (10 + 5 * round) * ms;
        for (int i = 0; i < 3; ++i, sent += 1000)
            feed(1, sent, asked, 1000, tcp_ack, now + i * ms / 10);
        feed(0, asked, sent, 48, tcp_ack, now + 2 * ms);
        asked += 48;
    }
    engine.finish();
    REQUIRE(out.samples.size() > 100);
    constexpr Duration span = 300ms;
    for (const TcpSample &s : out.samples) {
        CHECK(s.rtt.value_or(Duration{}) <= span);
        CHECK(s.answered_after.value_or(Duration{}) <= span);
    }
    for (const TcpDirectionFigures &f : out.figures)
        for (const TcpQuantiles *q : {&f.rtt, &f.rtt_to_sender, &f.rtt_to_receiver, &f.queue_delay})
            CHECK(q->maximum.value_or(Duration{}) <= span);
}

TEST_CASE("two clocks are distinguished by their lowest differences") {
    std::mt19937 random(7);
    std::exponential_distribution<double> queue(1e-6);       // 1 ms on average
    const double offset = 3e6, drift = -42'000, delay = 2e6; // ns, ns a second, ns
    LowerEnvelope forward, backward;
    for (int i = 0; i < 20'000; ++i) {
        const double t = i * 1e-3 - 10;
        forward.add(t, offset + drift * t + delay + queue(random));
        backward.add(t, delay + queue(random) - offset - drift * t);
    }
    const ClockFit fit = fit_clocks(forward, backward, true);
    CHECK(fit.offset == Approx(offset).margin(5'000));
    CHECK(fit.drift == Approx(drift).margin(500));
    CHECK(fit.half_rtt == Approx(delay).margin(5'000));
    CHECK(fit_clocks(forward, backward, false).drift == 0);
}

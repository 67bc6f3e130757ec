// SPDX-License-Identifier: GPL-2.0-or-later
// The inference against senders whose window is known: a synthetic one at any tap, and a real kernel.
#include "catch.h"
#include "comparison.h"
#include "synthetic_sender.h"

#include "analyzer/tcp/track/ack_bounds.h"
#include "analyzer/tcp/track/known_acks.h"
#include "analyzer/tcp/track/sack_board.h"
#include "analyzer/tcp/track/sent_log.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <unordered_map>

using namespace iscsiscope;
using namespace iscsiscope::test;

namespace {

struct Outcome {
    std::size_t samples = 0, limited = 0, limited_estimated = 0, inside = 0, unlimited_estimated = 0;
    double worst = 0, p90 = 0;
    double naive = 0; // median
};

Outcome judge(const SyntheticRun &run) {
    std::unordered_map<std::uint64_t, const SyntheticTruth *> truth;
    for (const SyntheticTruth &t : run.truth)
        truth[t.end_offset] = &t;
    Outcome o;
    std::vector<double> errors, naive;
    for (const TcpSample &s : run.samples) {
        const auto found = truth.find(s.end_offset);
        if (found == truth.end())
            continue;
        const SyntheticTruth &t = *found->second;
        ++o.samples;
        o.limited += t.limited ? 1 : 0;
        o.inside += t.cwnd >= s.cwnd_low && (!s.cwnd_high || t.cwnd <= *s.cwnd_high) ? 1 : 0;
        if (!s.cwnd)
            continue;
        (t.limited ? o.limited_estimated : o.unlimited_estimated) += 1;
        errors.push_back(std::abs(static_cast<double>(*s.cwnd) - static_cast<double>(t.cwnd)) /
                         static_cast<double>(t.cwnd));
        naive.push_back(std::abs(static_cast<double>(s.flight_at_tap) - static_cast<double>(t.cwnd)) /
                        static_cast<double>(t.cwnd));
    }
    std::sort(errors.begin(), errors.end());
    std::sort(naive.begin(), naive.end());
    if (!errors.empty()) {
        o.p90 = errors[errors.size() * 9 / 10];
        o.worst = errors.back();
        o.naive = naive[naive.size() / 2];
    }
    return o;
}

std::string captures() {
    const char *set = std::getenv("ISCSISCOPE_CAPTURES");
    return set != nullptr ? set : std::string(ISCSISCOPE_SOURCE_DIR) + "/../shared/captures";
}

} // namespace

TEST_CASE("the window of a bulk sender is found at every tap") {
    for (const double tap : {0.0, 0.25, 0.75, 1.0}) {
        for (unsigned seed = 1; seed <= 4; ++seed) {
            SyntheticSetting set;
            set.seed = seed;
            set.tap = tap;
            const SyntheticRun run = run_synthetic(set);
            const Outcome o = judge(run);
            INFO("tap " << tap << " seed " << seed << " samples " << o.samples << " limited " << o.limited
                        << " estimated " << o.limited_estimated << " p90 " << o.p90 << " inside " << o.inside
                        << " naive " << o.naive);
            CHECK(run.retransmissions > 0);
            CHECK(o.samples > 5000);
            CHECK(o.p90 <= 0.05);
            CHECK(o.inside >= o.samples * 95 / 100);
            CHECK(o.limited_estimated >= o.limited * 6 / 10);
            if (tap == 1.0)
                CHECK(o.naive > 0.5); // what the estimate is for
        }
    }
}

TEST_CASE("where the application holds the sender there are bounds and no number") {
    for (const double tap : {0.0, 0.5, 1.0}) {
        SyntheticSetting set;
        set.tap = tap;
        set.burst = 6;
        set.packets = 1200;
        const Outcome o = judge(run_synthetic(set));
        INFO("tap " << tap);
        CHECK(o.samples == 1200);
        CHECK(o.unlimited_estimated == 0);
        CHECK(o.inside == o.samples);
    }
}

// RFC 7323's rule for the echo leaves it behind the sender's knowledge after every answer.
TEST_CASE("an echo that did not advance does not raise the lower bound") {
    for (const double tap : {0.0, 0.25, 1.0}) {
        for (const std::uint64_t every : {1U, 3U, 20U}) {
            SyntheticSetting set;
            set.tap = tap;
            set.answer_every = every;
            const SyntheticRun run = run_synthetic(set);
            std::unordered_map<std::uint64_t, const SyntheticTruth *> truth;
            for (const SyntheticTruth &t : run.truth)
                truth[t.end_offset] = &t;
            std::size_t too_high = 0;
            for (const TcpSample &s : run.samples)
                too_high += s.cwnd_low > truth.at(s.end_offset)->cwnd ? 1 : 0;
            const Outcome o = judge(run);
            INFO("tap " << tap << " every " << every << " too high " << too_high << " inside " << o.inside
                        << " of " << o.samples << " estimated " << o.limited_estimated << " of "
                        << o.limited);
            CHECK(too_high <= o.samples / 100);
            CHECK(o.p90 <= 0.1);
            CHECK(o.inside >= o.samples * 95 / 100);
        }
    }
}

TEST_CASE("frames that the capturing host lost do not spoil the window") {
    SyntheticSetting set;
    set.tap = 1.0;
    set.capture_loss = 0.01;
    const Outcome o = judge(run_synthetic(set));
    INFO("estimated " << o.limited_estimated << " of " << o.limited << " p90 " << o.p90 << " inside "
                      << o.inside);
    CHECK(o.limited_estimated > o.limited / 4);
    CHECK(o.p90 <= 0.1);
    CHECK(o.inside >= o.samples * 95 / 100);
}

TEST_CASE("a paced sender is called so, without a number, and its window is inside the bounds") {
    for (const double tap : {0.0, 0.25, 0.75, 1.0}) {
        for (const bool timestamps : {true, false}) {
            if (!timestamps && tap > 0.5)
                continue; // behind a queue without timestamps nothing tells a pace
            SyntheticSetting set;
            set.tap = tap;
            set.paced = true;
            set.packets = 16000; // the first cycles of gains, until they are recognised, are few of them
            set.timestamps = timestamps;
            set.answer_every = timestamps ? 0 : 20;
            const SyntheticRun run = run_synthetic(set);
            const Outcome o = judge(run);
            std::size_t pacing = 0, late_numbers = 0, seen = 0;
            for (const TcpSample &s : run.samples) {
                if (++seen * 5 < run.samples.size())
                    continue;
                pacing += s.limit == SendLimit::pacing ? 1 : 0;
                late_numbers += s.cwnd ? 1 : 0;
            }
            INFO("tap " << tap << " timestamps " << timestamps << " pacing " << pacing << " numbers "
                        << late_numbers << " inside " << o.inside << " of " << o.samples);
            CHECK(run.retransmissions == 0);
            CHECK(pacing >= run.samples.size() * 3 / 4);
            CHECK(late_numbers == 0);
            CHECK(o.inside >= o.samples * 95 / 100);
        }
    }
}

TEST_CASE("without timestamps fresh tap-side round trips give the window before the queue") {
    for (const unsigned hint : {0U, 20U}) {
        for (const double tap : {0.0, 0.25}) {
            SyntheticSetting set;
            set.tap = tap;
            set.timestamps = false;
            set.hint_every = hint;                 // told from iSCSI's answers, or else
            set.answer_every = hint == 0 ? 20 : 0; // seen from TCP's own
            const SyntheticRun run = run_synthetic(set);
            const Outcome o = judge(run);
            INFO("tap " << tap << " hint " << hint << " estimated " << o.limited_estimated << " of "
                        << o.limited << " p90 " << o.p90 << " inside " << o.inside << " of " << o.samples);
            CHECK(o.limited_estimated >= o.limited / 2);
            CHECK(o.p90 <= 0.1);
            CHECK(o.inside >= o.samples * 95 / 100);
        }
    }
}

TEST_CASE("without the handshake a window scale is learnt, and told as inferred") {
    SyntheticSetting set;
    set.handshake = false; // the windows were 60000 << 7
    const SyntheticRun run = run_synthetic(set);
    REQUIRE(run.learnt_scale);
    CHECK(*run.learnt_scale >= 1); // 99 packets were under way at most: more than 60000 << 1
    CHECK(*run.learnt_scale <= 7);
    REQUIRE(run.samples.back().receive_window);
    CHECK(run.samples.back().receive_window_inferred);
    CHECK(*run.samples.back().receive_window == std::uint64_t{60000} << *run.learnt_scale);
    for (const TcpSample &s : run.samples)
        CHECK(s.limit != SendLimit::receive_window);
    CHECK_FALSE(run_synthetic({}).learnt_scale); // the SYNs tell
}

TEST_CASE("without timestamps and any tap-side round trip the lower bound holds, and only the sender's tap "
          "has a number") {
    for (const double tap : {0.0, 1.0}) {
        SyntheticSetting set;
        set.tap = tap;
        set.timestamps = false; // and no data the other way
        const SyntheticRun run = run_synthetic(set);
        const Outcome o = judge(run);
        INFO("tap " << tap << " inside " << o.inside << " of " << o.samples << " p90 " << o.p90);
        CHECK(o.inside >= o.samples * 95 / 100);
        if (tap == 0.0)
            CHECK(o.p90 <= 0.05); // the handshake shows that nothing lies between tap and sender
        else
            CHECK(o.limited_estimated + o.unlimited_estimated == 0);
        for (const TcpSample &s : run.samples)
            REQUIRE(s.anchor != Anchor::timestamp);
    }
}

TEST_CASE("the full round trip is seen from any tap") {
    for (const double tap : {0.0, 0.5, 1.0}) {
        SyntheticSetting set;
        set.tap = tap;
        set.queue = 2000; // no loss
        set.packets = 300;
        set.packet_ms = 0.01;
        const SyntheticRun run = run_synthetic(set);
        REQUIRE(run.samples.back().rtt);
        CHECK(to_ns(*run.samples.back().rtt) >= 20'000'000);
        CHECK(to_ns(*run.samples.back().rtt) <= 25'000'000);
    }
}

TEST_CASE("a real kernel's window, held against its TCP_INFO") {
    const std::string name = captures() + "/n_cwnd_write_reno_20mbit";
    if (!std::filesystem::exists(name + ".tcpinfo.txt")) {
        std::printf("SKIPPED: %s.tcpinfo.txt is not there\n", name.c_str());
        return;
    }
    const CaptureSamples c = read_samples(name + ".ini.pcap.zst", false);
    REQUIRE(c.error.empty());
    const auto truth = read_truth(name + ".tcpinfo.txt", "initiator", c.sender_port);
    const Accuracy a = compare(c.samples, truth);
    const double covered = share(a.limited_estimated, a.limited), inside = share(a.inside(), a.rows());
    const double median = quantile(a.errors, 0.5), p90 = quantile(a.errors, 0.9);
    const double width = quantile(a.widths, 0.5);
    std::printf(
        "FIGURE: n_cwnd_write_reno_20mbit: congestion window, error: %.2f %% median, %.2f %% p90; naive "
        "%.1f %%; %.1f %% of limited rows estimated, %.1f %% of all inside the bounds, %.1f %% wide\n",
        100 * median, 100 * p90, 100 * quantile(a.naive, 0.5), 100 * covered, 100 * inside, 100 * width);
    CHECK(a.rows() > 1000);
    CHECK(covered > 0.8);
    CHECK(median <= 0.02);
    CHECK(p90 <= 0.1);
    CHECK(inside >= 0.95);
    CHECK(width <= 0.25);
}

namespace {

// A segment of so many bytes in a SentLog with full segments of 1000.
void passes(SentLog &log, std::uint64_t offset, std::uint32_t length, FrameNumber frame = 0) {
    Segment s;
    s.payload_length = length;
    s.frame = frame;
    log.add(s, offset, 1000);
}

} // namespace

TEST_CASE("packets are counted over holes, short ones and frames larger than a segment") {
    SentLog p;
    passes(p, 0, 48);      // 1
    passes(p, 48, 1000);   // 2
    passes(p, 1048, 3500); // 6: a large frame
    CHECK(p.packets_to(48, 1000) == 1);
    CHECK(p.packets_to(1048, 1000) == 2);
    CHECK(p.packets_to(3048, 1000) == 4);
    CHECK(p.packets_to(4547, 1000) == 5);
    CHECK(p.packets_to(4548, 1000) == 6);
    CHECK(p.packets_to(9999, 1000) == 6);
    p.reached(3048, 1000);
    CHECK(p.packets_to(3048, 1000) == 4);
    CHECK(p.packets_to(4548, 1000) == 6);
}

TEST_CASE("a late frame adds no packets to its hole, and is found as what first carried its bytes") {
    SentLog p;
    passes(p, 0, 1000, 1);
    passes(p, 3000, 1000, 2); // behind a hole of two packets
    CHECK(p.packets() == 4);
    CHECK(p.packets_to(1000, 1000) == 1);
    CHECK(p.packets_to(2000, 1000) == 2);
    CHECK(p.packets_to(3000, 1000) == 3);
    Segment late;
    late.frame = 3;
    p.add_late(late, 1000, 2000);
    CHECK(p.packets() == 4);
    CHECK(p.packets_to(2000, 1000) == 2);
    CHECK(p.packets_to(2500, 1000) == 2);
    CHECK(p.packets_to(3000, 1000) == 3);
    CHECK(p.holding(1500)->frame == 3);
    CHECK(p.holding(2500) == nullptr);
    CHECK(p.first_from(2000)->frame == 2);
    p.reached(2000, 1000);
    CHECK(p.packets_to(2000, 1000) == 2);
    CHECK(p.packets_to(3000, 1000) == 3);
    CHECK(p.packets_to(4000, 1000) == 4);
}

TEST_CASE("bytes that no frame held count once they are acknowledged, and begin no entry") {
    SentLog p;
    p.reached(2500, 1000);
    CHECK(p.end() == 2500);
    CHECK(p.packets() == 3);
    CHECK_FALSE(p.last());
    CHECK(p.holding(2400) == nullptr);
    passes(p, 2000, 1000, 1); // half of it is new
    CHECK(p.last());
    CHECK(p.packets() == 4);
    CHECK(p.holding(2400) == nullptr);
    CHECK(p.holding(2500)->begin == 2500);
    CHECK(p.packets_to(2500, 1000) == 3);
    CHECK(p.packets_to(3000, 1000) == 4);
}

TEST_CASE("a sent log keeps 32 acknowledged entries, and the packets of those that it forgot") {
    SentLog p;
    std::uint64_t acknowledged = 0;
    for (std::uint64_t i = 0; i < 100; ++i)
        passes(p, i * 500, 500, i + 1);
    p.reached(30'250, 1000);
    p.acknowledged(30'250, [&](const SentLog::Sent &) { ++acknowledged; });
    CHECK(acknowledged == 60);
    CHECK(p.holding(29'999) == nullptr); // more than 32 are in flight
    CHECK(p.holding(30'000)->frame == 61);
    CHECK(p.packets_to(30'250, 1000) == 60);
    CHECK(p.packets_to(40'000, 1000) == 80);
    p.reached(50'000, 1000);
    p.acknowledged(50'000, [&](const SentLog::Sent &) { ++acknowledged; });
    CHECK(acknowledged == 100);
    CHECK(p.holding(33'999) == nullptr);
    CHECK(p.holding(34'000)->frame == 69);
    CHECK(p.packets_to(50'000, 1000) == 100);
}

TEST_CASE("the SACK board merges, and forgets what is acknowledged") {
    SackBoard b;
    CHECK(b.add(10, 20));
    CHECK(b.add(30, 40));
    CHECK_FALSE(b.add(12, 18));
    CHECK(b.add(20, 30));
    CHECK(b.ranges().size() == 1);
    CHECK(b.bytes() == 30);
    CHECK(b.add(50, 60));
    CHECK(b.acknowledged(35));
    CHECK(b.bytes() == 15);
    CHECK(b.acknowledged(60));
    CHECK(b.ranges().empty());
    CHECK(b.bytes() == 0);
    CHECK_FALSE(b.acknowledged(70));
}

TEST_CASE("an echoed timestamp names the ACKs of its tick") {
    AckedLog log;
    AckBounds h{log};
    const auto ack = [&](std::uint32_t stamp, std::uint64_t offset) {
        AckSeen s;
        s.timestamp = stamp;
        s.acked = offset;
        if (!log.empty() && log.latest().same_state(s))
            log.repeated(stamp);
        else
            log.add(s, true);
    };
    ack(0xfffffffe, 10); // the clock wraps
    ack(0xfffffffe, 20);
    ack(1, 20); // says nothing new, but carries its stamp
    ack(1, 30);
    ack(3, 40);
    auto k = h.at_timestamp(0xfffffffe);
    CHECK(k.least->acked == 10);
    CHECK(k.most->acked == 20);
    k = h.at_timestamp(1);
    CHECK(k.least->acked == 20);
    CHECK(k.most->acked == 30);
    k = h.at_timestamp(2); // its ACK is not in the capture
    CHECK(k.least->acked == 30);
    CHECK(k.most->acked == 40); // it was no later than the next that is
    CHECK_FALSE(k.exact_tick);
    k = h.at_timestamp(3);
    CHECK(k.least->acked == 40);
    CHECK(k.exact_tick);
}

TEST_CASE("an ACK that brings only another window is no news, and of another state") {
    AckedLog log;
    KnownAcks known{log};
    const auto ack = [&](std::int64_t ms, std::uint64_t offset, std::uint32_t window, bool news) {
        AckSeen s;
        s.time = time_from_ns(ms * 1'000'000);
        s.acked = offset;
        s.window = window;
        s.timestamp = static_cast<std::uint32_t>(ms);
        log.add(s, news);
    };
    ack(10, 100, 5, true);
    ack(20, 100, 6, false);
    ack(30, 100, 6, true); // a duplicate: the same state again
    ack(40, 200, 6, true);
    CHECK(log.latest().state == 3);
    CHECK(log.at(3)->state == log.at(2)->state);
    CHECK(log.at(3)->since == log.at(2)->time);
    CHECK(known.latest().acked == 200);
    // What reaches its sender 5 ms later: news by news.
    const Duration later = std::chrono::milliseconds{5};
    CHECK(known.learn_next(time_from_ns(14'000'000), later) == nullptr);
    CHECK(known.learn_next(time_from_ns(26'000'000), later)->time == time_from_ns(10'000'000));
    CHECK(known.learn_next(time_from_ns(26'000'000), later) == nullptr);
    CHECK(known.learn_next(time_from_ns(99'000'000), later)->time == time_from_ns(30'000'000));
    CHECK(known.after(known.number())->acked == 200);
    CHECK(known.learn_next(time_from_ns(99'000'000), later)->acked == 200);
    CHECK(known.learn_next(time_from_ns(99'000'000), later) == nullptr);
    // A segment that echoes the stamp of the first one: its sender knew no later one.
    Segment echo;
    echo.options.has_timestamps = true;
    echo.options.timestamp_echo = 10;
    echo.time = time_from_ns(50'000'000);
    CHECK(known.known_by(echo, later) == 1);
    known.sent(echo, later);
    echo.options.timestamp_echo = 30;
    CHECK(known.known_by(echo, later) == 3);
}

TEST_CASE("what was forgotten is not held, and numbers keep their ACKs") {
    AckedLog log;
    AckBounds bounds{log};
    for (std::uint64_t n = 1; n <= 5000; ++n) {
        AckSeen s;
        s.time = time_from_ns(static_cast<std::int64_t>(n) * 1000);
        s.acked = n * 10;
        log.add(s, true);
    }
    CHECK(log.first() == 905); // at most 4096
    CHECK(log.at(904) == nullptr);
    CHECK(log.at(905)->acked == 9050);
    std::uint64_t near = 0;
    CHECK(bounds.last_by(time_from_ns(904'999), near) == nullptr);
    CHECK(bounds.last_by(time_from_ns(2'000'500), near)->acked == 20000);
    CHECK(near == 2000);
    bounds.forget_before(time_from_ns(3'000'000));
    log.forget_below(bounds.first());
    CHECK(log.first() == 3000);
    CHECK(bounds.last_by(time_from_ns(2'999'999), near) == nullptr);
    CHECK(bounds.last_by(time_from_ns(9'000'000), near)->acked == 50000);
}

TEST_CASE("news that has left the log is not looked for") {
    AckedLog log;
    KnownAcks known{log};
    for (std::uint32_t n = 0; n < 5000; ++n) { // one ACK, and then windows only
        AckSeen s;
        s.time = time_from_ns(n);
        s.window = n;
        log.add(s, n == 0);
    }
    CHECK(log.latest_news() == 1);
    CHECK(known.learn_next(time_from_ns(1'000'000), {}) == nullptr);
    CHECK(known.after(0) == nullptr);
    CHECK_FALSE(known.latest().known());
    Segment echo;
    echo.options.has_timestamps = true;
    known.note_release(echo);
    known.skip_unknown();
    CHECK_FALSE(known.known().known());
}

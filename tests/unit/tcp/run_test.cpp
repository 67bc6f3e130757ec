// SPDX-License-Identifier: GPL-2.0-or-later
// The fast paths for segments that continue a run (docs/short-ways.md): the results must equal those without
// them.
#include "catch.h"
#include "traffic.h"

#include "analyzer/tcp/diagnosis/tcp_diagnosis.h"
#include "analyzer/tcp/stream/segment_run.h"
#include "tests/unit/tcp/fed_tcp.h"

#include <deque>
#include <map>
#include <random>
#include <tuple>

using namespace iscsiscope;

namespace {

auto parts(const TcpSample &s) {
    return std::tuple(s.sender, s.frame, s.time, s.end_offset, s.anchor, s.flight, s.flight_low,
                      s.flight_high, s.flight_at_tap, s.cwnd, s.cwnd_low, s.cwnd_high, s.state, s.limit,
                      s.receive_window, s.receive_window_inferred, s.rtt, s.mss);
}
auto parts(const TcpRetransmission &r) {
    return std::tuple(r.frame, r.original_frame, r.original_time, r.offset, r.length, r.kind, r.place,
                      r.silence, r.delay, r.signal_frame, r.attempt, r.flight);
}
auto parts(const TcpReordering &r) {
    return std::tuple(r.frame, r.overtaken_by, r.delay, r.segments, r.bytes, r.proof);
}
auto parts(FrameNumber frame, const SendCircumstances &s) {
    return std::tuple(frame, s.recovers, s.kind, s.overtaken, s.attempt, s.original_frame, s.release_frame,
                      s.since_release, s.prompt, s.outstanding, s.window_full, s.limit_before, s.state_before,
                      s.plateau_before, s.recovering_before);
}
auto parts(const TcpDirectionFigures &f) {
    return std::tuple(f.limit_time, f.busy, f.flights.count, f.flights.sum, f.flights.squares,
                      f.largest_flight, f.samples, f.full_segment, f.retransmissions, f.zero_window.total,
                      f.window_full.total, f.recoveries.total, f.duplicate_acks, f.pure_acks, f.rtt.median,
                      f.rtt_to_sender.median, f.rtt_to_receiver.median, f.largest_window, f.smallest_window,
                      f.largest_acked_segment);
}

// Everything that one diagnosis reports, in its order.
class Said final : public TcpDiagnosisSink {
public:
    explicit Said(ShortWays short_ways) : diagnosis(*this, true, short_ways) {}
    TcpDiagnosis diagnosis;
    std::vector<decltype(parts(TcpSample{}))> samples;
    std::vector<decltype(parts(TcpRetransmission{}))> repeats;
    std::vector<decltype(parts(TcpReordering{}))> reorderings;
    std::vector<decltype(parts(FrameNumber{}, SendCircumstances{}))> circumstances;
    std::vector<decltype(parts(TcpDirectionFigures{}))> figures;

    void on_tcp_sample(const Connection &, const TcpSample &s) override { samples.push_back(parts(s)); }
    void on_retransmission(const Connection &, const TcpRetransmission &r) override {
        repeats.push_back(parts(r));
    }
    void on_reordering(const Connection &, const TcpReordering &r) override {
        reorderings.push_back(parts(r));
    }
};

// Passes each report to one diagnosis as it is, and to another one, without short ways, with continues_run
// cleared.
class Both final : public StreamSink, public AnomalySink {
public:
    Said with{ShortWays::taken}, without{ShortWays::left_out};
    std::size_t segments = 0, running_on = 0;

    void on_open(const Connection &) override {}
    void on_piece(const Connection &, Side, const StreamPiece &) override {}
    void on_segment(const Connection &c, const SegmentReport &r) override {
        ++segments;
        running_on += r.continues_run ? 1 : 0;
        tell(with, c, r);
        SegmentReport plain = r;
        plain.continues_run = false;
        tell(without, other_of(c), plain);
    }
    void on_close(const Connection &c, CloseReason, Time, FrameNumber) override {
        finish(with, c);
        finish(without, other_of(c));
        notes_.erase(c.stream);
    }
    std::uint64_t content_needed_from(const Connection &, Side) override { return ~std::uint64_t{0}; }
    void on_anomaly(const Anomaly &) override {}

private:
    // The connection with other notes: two diagnoses follow it.
    Connection other_of(Connection c) {
        c.notes = &notes_[c.stream];
        return c;
    }
    static void finish(Said &said, const Connection &c) {
        for (const Side s : {Side::opener, Side::acceptor})
            said.figures.push_back(parts(said.diagnosis.finish(c, s, c.last_time)));
    }
    static void tell(Said &said, const Connection &c, const SegmentReport &r) {
        if (const SendCircumstances *s = said.diagnosis.on_segment(c, r))
            said.circumstances.push_back(parts(r.segment->frame, *s));
    }

    std::map<StreamId, ConnectionNotes> notes_; // of `without`
};

// Bursts of the opener and ACKs of the acceptor at random: losses and repeats, SACKs, small windows, pauses,
// ticks of the clocks, echoes that lag.
void talk(unsigned seed, bool stamps, bool handshake, Both &both) {
    std::mt19937 random(seed);
    const auto upto = [&](std::uint32_t n) {
        return std::uniform_int_distribution<std::uint32_t>(0, n)(random);
    };
    FedTcp engine{both, both};
    FrameNumber frame = 0;
    const std::int64_t tap_rtt = seed % 5 == 0 ? 0 : 4'000'000; // tap → opener → tap
    std::int64_t now = 1'000'000'000;
    std::uint32_t sent = 0, acked = 0, back = 0, size = 48;
    std::deque<std::pair<std::int64_t, std::uint32_t>> answers; // on the way to the opener
    std::uint32_t had = 0;                                      // of them
    const auto feed = [&](Segment s, std::uint32_t length) {
        s.payload_length = length;
        s.options.has_timestamps = stamps;
        s.options.timestamp_value =
            static_cast<std::uint32_t>(now / 1'000'000) + (s.source.port == 3260 ? 500 : 0);
        s.options.timestamp_echo =
            static_cast<std::uint32_t>((now - tap_rtt) / 2'000'000 * 2) + (s.source.port == 3260 ? 0 : 500);
        s.time = time_from_ns(now);
        engine.feed(s);
    };
    if (handshake)
        for (const traffic::Packet &p : traffic::handshake()) {
            now += 5'000'000;
            feed(traffic::segment(p, ++frame), 0);
        }
    const auto heard = [&] {
        for (; !answers.empty() && answers.front().first + tap_rtt <= now; answers.pop_front())
            had = answers.front().second;
        return had;
    };
    const auto segment = [&](int side, std::uint32_t offset, std::uint32_t acknowledged) {
        return traffic::segment({.side = side,
                                 .sequence = traffic::initial_sequence[side] + offset,
                                 .acknowledgment = traffic::initial_sequence[1 - side] + acknowledged,
                                 .window = static_cast<std::uint16_t>(upto(20) == 0 ? 3000 : 60000),
                                 .payload = {}},
                                ++frame);
    };
    for (int round = 0; round < 400; ++round) {
        now += upto(9) == 0 ? upto(400'000'000) : upto(6'000'000);
        if (upto(20) == 0 && sent >= acked + size)
            feed(segment(0, sent - size, heard()), size); // what follows runs on from a repeat
        for (std::uint32_t n = upto(40); n > 0; --n) {
            now += upto(15) == 0 ? 60'000 : 1'200;
            size = upto(12) == 0 ? 48 : 1448;
            if (upto(600) != 0) // else it is lost before the tap
                feed(segment(0, sent, heard()), size);
            sent += size;
            if (upto(2) == 0) { // the other end answers meanwhile
                acked = std::max(acked, sent - std::min(sent, upto(4) * 1448));
                now += upto(1'000);
                feed(segment(1, back, acked), 0);
                answers.emplace_back(now, back);
            }
            if (upto(300) == 0 && sent > acked)
                feed(segment(0, acked, heard()), std::min(1448U, sent - acked));
        }
        for (std::uint32_t n = upto(10); n > 0; --n) {
            now += upto(300'000);
            Segment s = segment(1, back, acked);
            if (upto(6) == 0 && sent - acked > 6000) {
                s.options.sack_count = 1;
                s.options.sack[0] = {traffic::initial_sequence[0] + acked + 1448,
                                     traffic::initial_sequence[0] + acked + 1448 * (2 + upto(2))};
            } else {
                acked = std::min(sent, acked + upto(9) * 1448);
                s.acknowledgment = traffic::initial_sequence[0] + acked;
            }
            const std::uint32_t answer = upto(4) == 0 ? 48 : 0;
            feed(s, answer);
            back += answer;
            answers.emplace_back(now, back);
        }
    }
    engine.finish();
}

} // namespace

TEST_CASE("what runs on changes no result") {
    for (unsigned seed = 0; seed < 24; ++seed) {
        CAPTURE(seed);
        Both both;
        talk(seed, seed % 3 != 0, seed % 4 != 1, both);
        CHECK(both.running_on * 4 > both.segments); // it is what most of them do
        CHECK((both.with.samples == both.without.samples));
        CHECK((both.with.repeats == both.without.repeats));
        CHECK((both.with.reorderings == both.without.reorderings));
        CHECK((both.with.circumstances == both.without.circumstances));
        CHECK((both.with.figures == both.without.figures));
        CHECK(!both.with.samples.empty());
        CHECK(!both.with.repeats.empty());
    }
}

TEST_CASE("a run ends with anything that may be news") {
    Segment s = traffic::segment({.side = 0, .sequence = 1000, .acknowledgment = 5, .payload = {}}, 1);
    s.payload_length = 100;
    s.options.has_timestamps = true;
    const auto follows = [&](auto change) {
        SegmentRun run;
        CHECK_FALSE(run.continues(s));
        run.note(s);
        Segment next = s;
        next.sequence += 100;
        next.time += std::chrono::microseconds(1);
        change(next);
        return run.continues(next);
    };
    CHECK(follows([](Segment &) {}));
    CHECK(follows([](Segment &n) { n.flags |= tcp_psh; }));
    CHECK(follows([](Segment &n) { n.payload_length = 50; }));
    CHECK_FALSE(follows([](Segment &n) { n.sequence += 1; }));
    CHECK_FALSE(follows([](Segment &n) { n.acknowledgment += 1; }));
    CHECK_FALSE(follows([](Segment &n) { n.window += 1; }));
    CHECK_FALSE(follows([](Segment &n) { n.options.timestamp_value += 1; }));
    CHECK_FALSE(follows([](Segment &n) { n.options.timestamp_echo += 1; }));
    CHECK_FALSE(follows([](Segment &n) { n.options.has_timestamps = false; }));
    CHECK_FALSE(follows([](Segment &n) { n.options.sack_count = 1; }));
    CHECK_FALSE(follows([](Segment &n) { n.flags |= tcp_fin; }));
    CHECK_FALSE(follows([](Segment &n) { n.flags |= tcp_cwr; }));
    CHECK_FALSE(follows([](Segment &n) { n.ip_ecn = 3; }));
    CHECK_FALSE(follows([](Segment &n) { n.payload_length = 1; })); // a probe
    CHECK_FALSE(follows([](Segment &n) { n.time -= std::chrono::microseconds(2); }));
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Which ACKs and timestamp echoes are round-trip samples: packets made by hand, and two simulated hosts.
#include "catch.h"
#include "tcp/traffic.h"
#include "tests/unit/tcp/fed_tcp.h"

#include <algorithm>
#include <map>

using namespace iscsiscope;
using namespace traffic;
using namespace std::chrono_literals;

namespace {

constexpr std::uint32_t mss = 1448;

// A packet with timestamps. Times and stamps count from the connection's beginning.
struct Stamped {
    Packet packet;
    std::uint32_t value = 0, echo = 0; // 0: no timestamps
};

// Collects the samples of the tap-side round trip to each end, and the connection as it was last.
struct Samples final : StreamSink, AnomalySink {
    std::array<std::vector<Duration>, 2> of;
    Connection last;

    void on_open(const Connection &) override {}
    void on_piece(const Connection &, Side, const StreamPiece &) override {}
    void on_segment(const Connection &c, const SegmentReport &) override {
        for (const Side end : {Side::opener, Side::acceptor})
            if (const RttTrack &track = c.end(end).rtt; track.samples != last.end(end).rtt.samples)
                of[index(end)].push_back(track.latest);
        last = c;
    }
    void on_close(const Connection &, CloseReason, Time, FrameNumber) override {}
    std::uint64_t content_needed_from(const Connection &, Side) override { return 0; }
    void on_anomaly(const Anomaly &) override {}

    const std::vector<Duration> &to_acceptor() const { return of[1]; }
};

Samples run(const std::vector<Stamped> &packets) {
    Samples samples;
    FedTcp engine{samples, samples};
    for (std::size_t i = 0; i < packets.size(); ++i) {
        Segment s = segment(packets[i].packet, i + 1);
        s.options.has_mss = (s.flags & tcp_syn) != 0;
        s.options.mss = 1460;
        s.options.has_timestamps = packets[i].value != 0;
        s.options.timestamp_value = packets[i].value;
        s.options.timestamp_echo = packets[i].echo;
        engine.feed(s);
    }
    engine.finish();
    return samples;
}

// A conversation of two ends, packet by packet: 0 is the opener. The handshake gives no sample, for its SYN
// is repeated.
class Talk {
public:
    Talk() {
        for (const Packet &p : handshake())
            packets_.push_back({p, 0, 0});
        packets_.insert(packets_.begin() + 1, packets_[0]);
        packets_.insert(packets_.begin() + 2, packets_[2]);
    }
    // The segment follows the sender's last one and ACKs all data of the other end, or `held_back` bytes
    // less.
    Talk &says(int side, std::uint32_t length, Duration when, std::uint32_t held_back = 0,
               std::uint16_t window = 60000) {
        add(side, sent_[side], length, when, sent_[1 - side] - held_back, window);
        sent_[side] += length;
        return *this;
    }
    Talk &repeats(int side, std::uint32_t length, Duration when) {
        add(side, sent_[side] - length, length, when, sent_[1 - side], 60000);
        return *this;
    }
    Talk &stamps(std::uint32_t value, std::uint32_t echo) {
        packets_.back().value = value;
        packets_.back().echo = echo;
        return *this;
    }
    Samples samples() const { return run(packets_); }

private:
    void add(int side, std::uint32_t offset, std::uint32_t length, Duration when, std::uint32_t acked,
             std::uint16_t window) {
        packets_.push_back({{.side = side,
                             .sequence = initial_sequence[side] + offset,
                             .acknowledgment = initial_sequence[1 - side] + acked,
                             .window = window,
                             .payload = std::vector<std::byte>(length),
                             .time_ns = 1'000'000 + when.count()},
                            0,
                            0});
    }

    std::vector<Stamped> packets_;
    std::uint32_t sent_[2] = {0, 0};
};

} // namespace

TEST_CASE("an ACK of more than a full segment is a sample, from the segment that set it off", "[tcp]") {
    const Samples s =
        Talk().says(0, mss, 0ms).says(0, mss, 15ms).says(1, 0, 18ms).samples(); // 15 ms: the sender paused
    CHECK(s.to_acceptor() == std::vector<Duration>{3ms});
    CHECK(s.last.ends[1].rtt.answers == 1);
}

TEST_CASE("an ACK on an answer that took service time is no sample", "[tcp]") {
    const Samples s =
        Talk().says(0, 48, 0ms).says(1, mss, 9ms).says(0, 2 * mss, 20ms).says(1, 100, 29ms).samples();
    CHECK(s.to_acceptor().empty());
    CHECK(s.last.ends[1].rtt.answers == 2);
    CHECK(s.last.ends[1].rtt.minimum == 9ms); // an answer bounds the round trip
}

TEST_CASE("a delayed ACK is no sample", "[tcp]") {
    CHECK(Talk().says(0, 48, 0ms).says(1, 0, 43ms).samples().to_acceptor().empty());
    CHECK(Talk().says(0, mss, 0ms).says(1, 0, 43ms).samples().to_acceptor().empty());
    // Nor is one that a pause of the sender ended: its next segment came long behind the one that is ACKed.
    CHECK(Talk().says(0, mss, 0ms).says(0, mss, 10ms).says(1, 0, 12ms, mss).samples().to_acceptor().empty());
}

TEST_CASE("an ACK into a smaller window may have waited for the program that reads", "[tcp]") {
    const Samples s = Talk()
                          .says(0, 2 * mss, 0ms)
                          .says(1, 0, 3ms)
                          .says(0, 2 * mss, 10ms)
                          .says(1, 0, 15ms, 0, 50000)
                          .says(0, 2 * mss, 20ms)
                          .says(1, 0, 23ms, 0, 50000)
                          .samples();
    CHECK(s.to_acceptor() == std::vector<Duration>{3ms, 3ms});
}

TEST_CASE("an ACK of one segment and not of the next, close behind, is a sample once that one is ACKed",
          "[tcp]") {
    Talk talk;
    talk.says(0, 100, 0ms).says(0, 100, 40us).says(1, 500, 3ms, 100);
    CHECK(talk.samples().to_acceptor().empty());
    Talk repeated = talk;
    CHECK(talk.says(1, 0, 43ms).samples().to_acceptor() == std::vector<Duration>{3ms});
    // The next segment was lost, so that the ACK may have been held: Karn's rule for both.
    CHECK(repeated.repeats(0, 100, 30ms).says(1, 0, 33ms).samples().to_acceptor().empty());
}

TEST_CASE("Karn's rule holds for each segment that was under way", "[tcp]") {
    const Samples s =
        Talk().says(0, mss, 0ms).says(0, mss, 0ms).repeats(0, mss, 30ms).says(1, 0, 33ms).samples();
    CHECK(s.to_acceptor().empty());
    CHECK(s.last.ends[1].rtt.answers == 0);
}

TEST_CASE("a SYN that was sent again gives no round trip, although its answer echoes its stamp", "[tcp]") {
    const auto answered = [](int copies) {
        const std::vector<Packet> steps = handshake();
        std::vector<Stamped> packets;
        for (int i = 0; i < copies; ++i) {
            packets.push_back({steps[0], 100 + 1000 * static_cast<std::uint32_t>(i), 0});
            packets.back().packet.time_ns = i * 1'000'000'000LL;
        }
        const Stamped last = packets.back();
        packets.push_back({steps[1], 7, last.value});
        packets.back().packet.time_ns = last.packet.time_ns + 12'000'000;
        packets.push_back({steps[2], last.value + 12, 7});
        packets.back().packet.time_ns = last.packet.time_ns + 12'100'000;
        return run(packets).last.ends[1].rtt;
    };
    CHECK(answered(1).minimum == 12ms);
    CHECK(answered(1).samples > 0);
    CHECK_FALSE(answered(3).minimum.has_value());
    CHECK(answered(3).samples == 0);
}

TEST_CASE("a timestamp echo is a sample if its end had sent shortly before", "[tcp]") {
    Talk talk;
    talk.says(0, 0, 0ms).stamps(100, 7); // may have passed before the capture began
    talk.says(1, mss, 5ms).stamps(50, 100);
    talk.says(0, 0, 10ms).stamps(110, 50);
    talk.says(1, mss, 12'960us).stamps(57, 100);
    talk.says(1, mss, 13ms).stamps(57, 110);
    CHECK(talk.samples().to_acceptor() == std::vector<Duration>{3ms});
    talk.says(0, 0, 20ms).stamps(120, 57);
    talk.says(1, mss, 29ms).stamps(73, 120); // held until its end had something to send
    talk.says(0, 0, 30ms).stamps(130, 73);
    talk.says(1, mss, 32ms).stamps(76, 130);
    const Samples s = talk.samples();
    CHECK(s.to_acceptor() == std::vector<Duration>{3ms});
    CHECK(s.last.ends[1].rtt.minimum == 2ms);
}

TEST_CASE("a stamp whose segment the end had ACKed before it echoed the stamp is no sample", "[tcp]") {
    Talk talk;
    talk.says(0, 10, 0ms).stamps(100, 7);
    talk.says(0, 10, 10ms)
        .stamps(110, 7); // two segments wait for one ACK, which echoes the first one's stamp
    talk.says(0, 10, 10'500us).stamps(111, 7);
    talk.says(0, 10, 17'100us).stamps(111, 7);
    talk.says(1, 0, 20ms, 10).stamps(60, 110);
    talk.says(1, mss, 20'040us).stamps(60, 111);
    CHECK(talk.samples().to_acceptor().empty());
}

namespace {

// Two hosts with delayed ACKs, and programs that answer after a while. The ways have no jitter and lose
// nothing.
class Simulation {
public:
    Simulation(unsigned seed, Duration to_opener, Duration to_acceptor)
        : random_(seed), way_{to_opener, to_acceptor} {
        for (const Packet &p : handshake())
            passed_.insert({0ms, {p, 0, 0}});
    }

    Samples run(int requests) {
        Duration at = 10ms;
        for (int i = 0; i < requests; ++i) {
            at += std::chrono::microseconds(between(10, 9000));
            write(i % 5 == 4 ? 1 : 0, at);
        }
        while (!events_.empty()) {
            const auto first = events_.begin();
            const Event e = first->second;
            const Duration now = first->first;
            events_.erase(first);
            happens(e, now);
        }
        std::vector<Stamped> packets;
        for (auto &[when, p] : passed_) {
            packets.push_back(p);
            packets.back().packet.time_ns = when.count();
        }
        return ::run(packets);
    }
    // The time of the way tap → end → tap.
    Duration tap_rtt(int side) const { return 2 * way_[side]; }

private:
    static constexpr Duration reaction = 2us;
    enum class Kind { segment_due, arrives, ack_due };
    struct Event {
        Kind kind{};
        int side = 0; // the host that it happens to
        std::uint32_t sequence = 0, length = 0, value = 0, echo = 0;
    };
    struct Host {
        std::uint32_t next = 0, received = 0, acked = 0, echo = 0;
        bool ack_planned = false;
        Duration free{}; // its link is free from then on
    };

    std::uint32_t between(std::uint32_t a, std::uint32_t b) {
        return std::uniform_int_distribution<std::uint32_t>(a, b)(random_);
    }
    // A program writes up to 30 kB, which the link carries at 1 Gbit/s.
    void write(int side, Duration at) {
        for (std::uint32_t left = between(0, 2) == 0 ? 48 : between(1, 30'000); left > 0;) {
            const std::uint32_t length = std::min(left, mss);
            hosts_[side].free = std::max(at, hosts_[side].free) + 12us;
            events_.insert({hosts_[side].free, {Kind::segment_due, side, 0, length, 0, 0}});
            left -= length;
        }
    }
    void transmit(int side, std::uint32_t length, Duration now) {
        Host &h = hosts_[side];
        const auto stamp = static_cast<std::uint32_t>(now / 1ms + 1000);
        passed_.insert({now + way_[side],
                        {{.side = side,
                          .sequence = initial_sequence[side] + h.next,
                          .acknowledgment = initial_sequence[1 - side] + h.received,
                          .payload = std::vector<std::byte>(length)},
                         stamp,
                         h.echo}});
        events_.insert({now + way_[0] + way_[1], {Kind::arrives, 1 - side, h.next, length, stamp, h.echo}});
        h.next += length;
        h.acked = h.received;
        h.ack_planned = false;
    }
    void happens(const Event &e, Duration now) {
        Host &h = hosts_[e.side];
        if (e.kind == Kind::segment_due) {
            transmit(e.side, e.length, now);
        } else if (e.kind == Kind::ack_due) {
            if (h.ack_planned && h.acked != h.received)
                transmit(e.side, 0, now);
        } else {
            if (e.sequence <= h.acked) // RFC 7323 section 4.3
                h.echo = e.value;
            h.received += e.length;
            if (e.length == 0)
                return;
            const bool at_once = h.received - h.acked > mss;
            if (at_once || !h.ack_planned)
                events_.insert({now + (at_once ? reaction : 40ms), {Kind::ack_due, e.side, 0, 0, 0, 0}});
            h.ack_planned = true;
            if (e.length < mss && e.side == 1) // the program of the acceptor answers
                write(1, now + std::chrono::microseconds(between(5, 8000)));
        }
    }

    std::mt19937 random_;
    std::array<Duration, 2> way_; // tap to end, one way
    std::array<Host, 2> hosts_;
    std::multimap<Duration, Event> events_;
    std::multimap<Duration, Stamped> passed_; // at the tap
};

} // namespace

TEST_CASE("simulated hosts: a sample is never below the true way, nor above it by more than its accuracy",
          "[tcp]") {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        const Duration far = std::chrono::microseconds(50 + 997 * seed), near = seed % 3 == 0 ? far / 3 : 1us;
        const bool at_opener = seed % 2 == 0;
        Simulation simulation(seed, at_opener ? near : far, at_opener ? far : near);
        const Samples s = simulation.run(400);
        for (const int side : {0, 1}) {
            INFO("seed " << seed << ", side " << side);
            const Duration truth = simulation.tap_rtt(side);
            const auto &found = s.of[static_cast<std::size_t>(side)];
            CHECK(found.size() > 50);
            for (std::size_t i = 1; i < found.size();
                 ++i) { // the first one is of the handshake, which has no way
                REQUIRE(found[i] >= truth);
                REQUIRE(found[i] <= truth + truth / 7 + 52us); // 2 µs: a host's reaction
            }
        }
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Two captures of one conversation, made by hand: contents that differ between them, and one common clock.
#include "catch.h"
#include "recording.h"
#include "tcp_bytes.h"

#include "analyzer/base/crc32c/crc32c.h"
#include "analyzer/tcp/pair/capture_pair.h"
#include "analyzer/tcp/pair/payload_blocks.h"
#include "tests/unit/tcp/fed_tcp.h"

#include <set>

using namespace iscsiscope;
using namespace traffic;

namespace {

constexpr std::int64_t us = 1'000, ms = 1'000'000;
constexpr std::uint32_t size = 300; // of a segment's payload

// One packet as one capture holds it.
struct Taken {
    Packet packet;
    std::uint32_t stamp = 0;
    unsigned xor_sum = 0;       // changes the right checksum
    int add_sequence = 0;       // damage of the sequence number
    std::uint16_t port = 50000; // of the opener
};

// Payload that repeats nowhere.
Bytes payload_at(std::uint32_t at, std::uint32_t length = size) {
    Bytes b(length);
    for (std::uint32_t i = 0; i < length; ++i)
        b[i] = static_cast<std::byte>((at + i) * 2654435761U >> 16);
    return b;
}

// One capture, filled without an engine: every segment is reported.
struct Tap {
    PairSide side;
    FrameNumber frame = 0;
    Connection connection;

    void take(const Taken &t) {
        Segment s = segment(t.packet, ++frame, t.port);
        s.options.has_timestamps = true;
        s.options.timestamp_value = t.stamp;
        s.ip_id = static_cast<std::uint16_t>(t.stamp);
        const Bytes header = tcp_header(s, t.xor_sum);
        s.header = header;
        s.sequence += static_cast<std::uint32_t>(t.add_sequence);
        connection.stream = StreamId{t.port};
        connection.ends[0].endpoint = t.packet.side == 0 ? s.source : s.destination;
        connection.ends[1].endpoint = t.packet.side == 0 ? s.destination : s.source;
        SegmentReport r;
        r.segment = &s;
        r.side = t.packet.side == 0 ? Side::opener : Side::acceptor;
        r.offset = s.sequence - initial_sequence[t.packet.side];
        side.on_segment(segment_record(connection, r));
    }
};

// The opener's tap `a` and the acceptor's tap `b`, whose clock runs `ahead` of a's.
struct Run {
    Tap a, b;
    std::int64_t now = 1'000 * ms, delay = 5 * ms, ahead = 0;
    std::uint32_t stamp = 1;

    Taken data(std::uint32_t at) const {
        return {.packet = {.side = 0,
                           .sequence = initial_sequence[0] + at,
                           .acknowledgment = initial_sequence[1],
                           .payload = payload_at(at)},
                .stamp = stamp};
    }
    // A packet of side 0 passes a, then b as `arrives`; of side 1 the other way.
    void pass(const Taken &sent, const Taken *arrives) {
        const bool forward = sent.packet.side == 0;
        Taken first = sent;
        first.packet.time_ns = now + (forward ? 0 : ahead);
        (forward ? a : b).take(first);
        if (arrives) {
            Taken second = *arrives;
            second.packet.time_ns = now + delay + (forward ? ahead : 0);
            (forward ? b : a).take(second);
        }
        now += 10 * ms;
        ++stamp;
    }
    void send(std::uint32_t at) {
        const Taken t = data(at);
        pass(t, &t);
    }
    void answer(std::uint32_t upto) {
        const Taken t{.packet = {.side = 1,
                                 .sequence = initial_sequence[1],
                                 .acknowledgment = initial_sequence[0] + upto,
                                 .payload = {}},
                      .stamp = stamp};
        pass(t, &t);
    }
    // Ten segments with their answers.
    void talk(std::uint32_t from) {
        for (std::uint32_t i = 0; i < 10; ++i) {
            send(from + i * size);
            answer(from + (i + 1) * size);
        }
    }
    PairFigures solved(PairOptions options = {}) const { return solve(a.side, b.side, options); }
};

PairedDirection forward(const PairFigures &f) {
    REQUIRE(f.connections.size() == 1);
    return f.connections[0].directions[0];
}

PayloadSums sums_of(const Bytes &payload, std::vector<std::uint32_t> &blocks) {
    append_blocks(payload, blocks);
    return {blocks, static_cast<std::uint32_t>(payload.size())};
}

PayloadComparison compared(const Bytes &a, const Bytes &b) {
    std::vector<std::uint32_t> x, y;
    return compare_payloads(sums_of(a, x), sums_of(b, y));
}

} // namespace

TEST_CASE("the CRC of a block shows which byte differs", "[pair]") {
    for (const std::uint32_t length : {1U, 64U, payload_block}) {
        Bytes block(length);
        const std::uint32_t zero = crc32c(0, block);
        std::set<std::uint32_t> seen;
        for (std::uint32_t at = 0; at < length; ++at) {
            for (unsigned value = 1; value < 256; ++value) {
                block[at] = static_cast<std::byte>(value);
                seen.insert(crc32c(0, block) ^ zero);
                if (value % 51 == 1)
                    CHECK(differing_byte(crc32c(0, block) ^ zero, length) == at);
            }
            block[at] = std::byte{0};
        }
        CHECK(seen.size() == 255 * length); // no two of them are alike
    }
}

TEST_CASE("payloads are compared block by block", "[pair]") {
    const Bytes a = payload_at(0, 1448);
    Bytes b = a;
    CHECK_FALSE(compared(a, b).differs);
    CHECK(compared(a, b).compared == 1448);
    for (const std::size_t at : {std::size_t{0}, std::size_t{127}, std::size_t{128}, std::size_t{1447}}) {
        b = a;
        b[at] ^= std::byte{0x10};
        CHECK(compared(a, b).differs);
        CHECK(compared(a, b).at == at);
        CHECK(compared(a, b).within == 1);
    }
    b = a;
    b[20] ^= std::byte{1};
    b[31] ^= std::byte{1};
    CHECK(compared(a, b).at == 16); // two bytes of one block: the block is named
    CHECK(compared(a, b).within == 16);
    b = a;
    b[200] ^= std::byte{1};
    b[240] ^= std::byte{1};
    CHECK(compared(a, b).at == 128);
    CHECK(compared(a, b).within == 128);
    const auto cut_to = [&](std::size_t bytes) {
        b.resize(bytes);
        return compared(a, b).compared;
    };
    CHECK(cut_to(330) == 256); // as far as whole blocks are in both
    CHECK(compared(a, b).differs);
    CHECK(cut_to(128) == 128);
    CHECK_FALSE(compared(a, b).differs);
    CHECK(cut_to(127) == 112);
    CHECK(cut_to(30) == 16);
    CHECK(cut_to(15) == 0);
    CHECK(compared({}, {}).compared == 0);
}

TEST_CASE("contents that are equal in both captures", "[pair]") {
    Run run;
    run.talk(0);
    const PairedContents c = forward(run.solved()).contents;
    CHECK(c.segments == 10);
    CHECK(c.bytes == 10 * size);
    CHECK(c.damaged == 0);
    CHECK(c.listed.empty());
}

TEST_CASE("a damaged segment and its good repeat are one damaged segment", "[pair]") {
    Run run;
    run.talk(0);
    const Taken sent = run.data(3000);
    Taken damaged = sent;
    damaged.packet.payload[137] ^= std::byte{0x04};
    // The damaged bytes keep the sum of the bytes that were sent.
    const Bytes right = tcp_header(segment(sent.packet, 1)), wrong = tcp_header(segment(damaged.packet, 1));
    damaged.xor_sum = static_cast<unsigned>((std::to_integer<unsigned>(right[16] ^ wrong[16]) << 8) |
                                            std::to_integer<unsigned>(right[17] ^ wrong[17]));
    run.pass(sent, &damaged);
    const FrameNumber first = run.a.frame, second = run.b.frame;
    run.send(3000); // the repeat
    run.answer(3300);
    run.talk(3300);
    const PairedDirection d = forward(run.solved());
    CHECK(d.matched == 22);
    CHECK(d.lost.empty());
    const PairedContents &c = d.contents;
    CHECK(c.damaged == 1);
    CHECK(c.payload_differs == 1);
    CHECK(c.wrong_checksum == 1);
    CHECK(c.undetected == 0);
    REQUIRE(c.listed.size() == 1);
    CHECK(c.listed[0].frame_a == first);
    CHECK(c.listed[0].frame_b == second);
    CHECK(c.listed[0].differs_at == 137U);
    CHECK(c.listed[0].differs_within == 1);
    CHECK(c.listed[0].checksum_a == TcpChecksum::right);
    CHECK(c.listed[0].checksum_b == TcpChecksum::wrong);
}

TEST_CASE("bytes that were replaced together with their checksum", "[pair]") {
    Run run;
    run.talk(0);
    const Taken sent = run.data(3000);
    Taken other = sent;
    other.packet.payload[0] ^= std::byte{0xff};
    run.pass(sent, &other);
    run.talk(3300);
    const PairedContents c = forward(run.solved()).contents;
    CHECK(c.damaged == 1);
    CHECK(c.wrong_checksum == 0);
    CHECK(c.undetected == 1);
}

TEST_CASE("damage of the header", "[pair]") {
    Run run;
    run.talk(0);
    const Taken sent = run.data(3000);
    Taken damaged = sent;
    std::uint64_t matched = 22; // the port separates a segment from its connection
    SECTION("the sequence number") {
        damaged.add_sequence = 1 << 20;
        damaged.xor_sum = 0x10;
    }
    SECTION("TSval") {
        damaged.stamp ^= 0x100;
        damaged.xor_sum = 0x100;
    }
    SECTION("a port") {
        damaged.port ^= 0x40;
        damaged.xor_sum = 0x40;
        matched = 21;
    }
    SECTION("a field that is not compared, or the sum itself") {
        damaged.xor_sum = 0x8000;
    }
    run.pass(sent, &damaged);
    run.send(3000);
    run.talk(3300);
    const PairedDirection d = forward(run.solved());
    CHECK(d.lost.empty());
    CHECK(d.unmatched_second == 0);
    CHECK(d.matched == matched);
    CHECK(d.contents.damaged == 1);
    CHECK(d.contents.wrong_checksum == 1);
    CHECK(d.contents.payload_differs == 0);
    REQUIRE(d.contents.listed.size() == 1);
    CHECK_FALSE(d.contents.listed[0].differs_at);
}

TEST_CASE("checksums that a network card has yet to fill in are no damage", "[pair]") {
    for (const bool at_sender : {false, true})
        for (const bool at_receiver : {false, true}) {
            Run run;
            for (std::uint32_t i = 0; i < 20; ++i) {
                Taken sent = run.data(i * size), arrives = sent;
                sent.xor_sum = at_sender ? 0x4242 : 0;
                arrives.xor_sum = at_receiver ? 0x4242 : 0;
                run.pass(sent, &arrives);
                run.answer((i + 1) * size);
            }
            const PairedDirection d = forward(run.solved());
            CHECK(d.matched == 20);
            CHECK(d.contents.damaged == 0);
        }
}

TEST_CASE("a lost segment is not a damaged one", "[pair]") {
    Run run;
    run.talk(0);
    run.pass(run.data(3000), nullptr);
    run.send(3000);
    run.talk(3300);
    const PairedDirection d = forward(run.solved());
    CHECK(d.lost.size() == 1);
    CHECK(d.contents.damaged == 0);
}

TEST_CASE("one clock makes one-way delays absolute", "[pair]") {
    Run run;
    run.talk(0);
    run.delay = 7 * ms; // from here on both ways take longer, which looks like nothing else
    run.talk(3000);
    const PairFigures plain = run.solved(), same = run.solved({.same_clock = true});
    REQUIRE((plain.clock && same.clock));
    CHECK(plain.clock->asymmetry > Duration{0});
    CHECK_FALSE(plain.same_clock);
    CHECK(same.clock->same_clock);
    CHECK(same.clock->offset == Duration{0});
    CHECK(same.clock->drift_ppm == 0);
    CHECK(same.clock->asymmetry == Duration{0});
    REQUIRE(same.same_clock);
    CHECK(same.same_clock->holds());
    CHECK(to_ns(same.same_clock->least) == 5 * ms);
    for (const PairedDirection &d : same.connections[0].directions) {
        CHECK(to_ns(*d.delay.minimum) == 5 * ms);
        CHECK(to_ns(*d.delay.maximum) == 7 * ms);
    }
}

TEST_CASE("an asymmetric path is seen with one clock only", "[pair]") {
    Run run;
    for (std::uint32_t i = 0; i < 10; ++i) {
        run.delay = 2 * ms;
        run.send(i * size);
        run.delay = 8 * ms;
        run.answer((i + 1) * size);
    }
    const PairFigures plain = run.solved(), same = run.solved({.same_clock = true});
    CHECK(to_ns(plain.clock->offset) == -3 * ms); // as if b's clock were behind
    CHECK(to_ns(*forward(plain).delay.median) == Approx(5 * ms).epsilon(0.001));
    CHECK(to_ns(*forward(same).delay.median) == Approx(2 * ms).epsilon(0.001));
}

TEST_CASE("time stamps that contradict one clock", "[pair]") {
    Run run;
    run.ahead = -9 * ms;
    run.talk(0);
    const PairFigures f = run.solved({.same_clock = true});
    REQUIRE(f.same_clock);
    CHECK_FALSE(f.same_clock->holds());
    CHECK(f.same_clock->negative == 10); // of one direction
    CHECK(f.same_clock->segments == 20);
    CHECK(to_ns(f.same_clock->least) == -4 * ms);
    REQUIRE(f.same_clock->measured);
    CHECK(to_ns(f.same_clock->measured->offset) == -9 * ms);
    // The measured relation is used.
    REQUIRE(f.clock);
    CHECK_FALSE(f.clock->same_clock);
    CHECK(to_ns(*forward(f).delay.minimum) == 5 * ms);
}

TEST_CASE("a difference below the precision of the time stamps does not contradict one clock", "[pair]") {
    Run run;
    run.delay = 0;
    run.ahead = -800; // ns
    run.talk(0);
    CHECK(run.solved({.same_clock = true, .precision = Duration{1 * us}}).same_clock->holds());
    CHECK_FALSE(run.solved({.same_clock = true, .precision = Duration{1}}).same_clock->holds());
}

TEST_CASE("one direction is enough with one clock", "[pair]") {
    Run run;
    for (std::uint32_t i = 0; i < 10; ++i)
        run.send(i * size);
    // b's capture has nothing of the other direction.
    run.a.take({.packet = {.side = 1,
                           .sequence = initial_sequence[1],
                           .payload = payload_at(0),
                           .time_ns = run.now - 50 * ms}});
    CHECK_FALSE(run.solved().clock);
    for (const bool turned : {false, true}) {
        const PairFigures f =
            turned ? solve(run.b.side, run.a.side, {.same_clock = true}) : run.solved({.same_clock = true});
        REQUIRE(f.clock);
        CHECK(f.same_clock->holds());
        CHECK(f.connections[0].directions[1].lost.empty());
        CHECK(f.connections[0].directions[1].unmatched_second == 0);
        CHECK(forward(f).a_first != turned);
        CHECK(to_ns(*forward(f).delay.median) == Approx(5 * ms).epsilon(0.001));
    }
}

TEST_CASE("the engine reports a damaged segment although it does not follow it", "[pair]") {
    struct Damaged final : StreamSink, AnomalySink {
        std::vector<FrameNumber> followed, damaged;
        void on_open(const Connection &) override {}
        void on_piece(const Connection &, Side, const StreamPiece &) override {}
        void on_segment(const Connection &, const SegmentReport &r) override {
            followed.push_back(r.segment->frame);
        }
        void on_damaged(const Connection &, const SegmentReport &r) override {
            CHECK(r.side == Side::opener);
            damaged.push_back(r.segment->frame);
        }
        void on_close(const Connection &, CloseReason, Time, FrameNumber) override {}
        std::uint64_t content_needed_from(const Connection &, Side) override { return 0; }
        void on_anomaly(const Anomaly &) override {}
    } out;
    FedTcp engine(out, out);
    FrameNumber frame = 0;
    for (const Packet &p : handshake())
        engine.feed(segment(p, ++frame));
    for (std::uint32_t i = 0; i < 6; ++i) {
        const Packet p{.side = 0,
                       .sequence = initial_sequence[0] + i * size,
                       .acknowledgment = initial_sequence[1],
                       .payload = payload_at(i * size),
                       .time_ns = i * ms};
        Segment s = segment(p, ++frame);
        const Bytes header = tcp_header(s, i == 5 ? 0x0100 : 0);
        s.header = header;
        engine.feed(s);
    }
    engine.finish();
    CHECK(out.damaged == std::vector<FrameNumber>{9});
    CHECK(out.followed.size() == 8);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "catch.h"
#include "tcp/recording.h"
#include "tcp/traffic.h"
#include "tests/unit/tcp/fed_tcp.h"

#include <algorithm>
#include <rapidcheck.h>

using namespace iscsiscope;
using namespace traffic;

namespace {

std::vector<std::byte> random_bytes(std::size_t count, std::mt19937 &random) {
    std::vector<std::byte> out(count);
    for (std::byte &b : out)
        b = static_cast<std::byte>(random());
    return out;
}

void run(Recording &recording, const std::vector<Packet> &packets) {
    FedTcp engine{recording, recording};
    for (std::size_t i = 0; i < packets.size(); ++i)
        engine.feed(segment(packets[i], i + 1));
    engine.finish();
}

// Handshake, then both directions scrambled and mixed.
std::vector<Packet> conversation(const std::vector<std::byte> (&streams)[2], std::mt19937 &random,
                                 const Disorder &how) {
    std::vector<Packet> out = handshake();
    std::vector<Packet> side[2] = {scramble(0, streams[0], random, how),
                                   scramble(1, streams[1], random, how)};
    std::size_t at[2] = {0, 0};
    while (at[0] < side[0].size() || at[1] < side[1].size()) {
        const int s = at[1] == side[1].size() || (at[0] < side[0].size() && random() % 2 == 0) ? 0 : 1;
        out.push_back(side[s][at[s]++]);
    }
    stamp(out, random);
    return out;
}

} // namespace

TEST_CASE("any cutting, repeating and reordering gives the stream, with first-seen times", "[tcp]") {
    const bool ok = rc::check([](std::uint32_t seed) {
        std::mt19937 random{seed};
        const std::vector<std::byte> streams[2] = {random_bytes(random() % 30000, random),
                                                   random_bytes(random() % 30000, random)};
        const Disorder how{.smallest = 1,
                           .largest = static_cast<std::uint32_t>(1 + random() % 3000),
                           .repeat = 0.3,
                           .reorder_distance = random() % 30};
        const auto packets = conversation(streams, random, how);
        Recording r;
        run(r, packets);
        RC_ASSERT(r.opened.size() == 1U);
        for (int side = 0; side < 2; ++side) {
            const auto oracle = first_seen(side, packets, streams[side].size());
            std::uint64_t next = 0;
            for (const auto &piece : r.pieces) {
                if (piece.side != static_cast<Side>(side))
                    continue;
                RC_ASSERT(piece.offset == next);
                RC_ASSERT(!piece.unseen);
                RC_ASSERT(piece.bytes.size() == piece.length);
                for (std::uint32_t k = 0; k < piece.length; ++k) {
                    RC_ASSERT(piece.bytes[k] == streams[side][next + k]);
                    RC_ASSERT(piece.time_ns == oracle[next + k]->time_ns);
                    RC_ASSERT(piece.frame == oracle[next + k]->frame);
                }
                next += piece.length;
            }
            RC_ASSERT(next == streams[side].size());
        }
        // Repeats are reported exactly where a segment carries a byte seen before.
        std::vector<bool> seen[2] = {std::vector<bool>(streams[0].size()),
                                     std::vector<bool>(streams[1].size())};
        for (std::size_t i = 0; i < packets.size(); ++i) {
            const Packet &p = packets[i];
            const std::uint32_t begin = p.sequence - initial_sequence[p.side];
            bool repeats = false;
            std::uint32_t fresh = 0;
            for (std::size_t k = 0; k < p.payload.size(); ++k) {
                if (seen[p.side][begin + k])
                    repeats = true;
                else
                    ++fresh;
                seen[p.side][begin + k] = true;
            }
            RC_ASSERT(r.reports[i].repeats == repeats);
            RC_ASSERT(r.reports[i].new_bytes == fresh);
        }
        RC_ASSERT(r.anomalies.empty());
    });
    REQUIRE(ok);
}

TEST_CASE("a hole that was ACKed is given up after the grace and passed as unseen", "[tcp]") {
    std::mt19937 random{1};
    const auto stream = random_bytes(4000, random);
    std::vector<Packet> packets = handshake();
    const auto add = [&](std::size_t from, std::size_t to, std::int64_t time_ns) {
        Packet p{.side = 0,
                 .sequence = initial_sequence[0] + static_cast<std::uint32_t>(from),
                 .acknowledgment = initial_sequence[1],
                 .payload = {stream.begin() + static_cast<std::ptrdiff_t>(from),
                             stream.begin() + static_cast<std::ptrdiff_t>(to)},
                 .time_ns = time_ns};
        packets.push_back(p);
    };
    const auto ack = [&](std::uint32_t upto, std::int64_t time_ns) {
        packets.push_back({.side = 1,
                           .sequence = initial_sequence[1],
                           .acknowledgment = initial_sequence[0] + upto,
                           .payload = {},
                           .time_ns = time_ns});
    };
    add(0, 1000, 1'000'000);
    add(2000, 3000, 1'100'000); // 1000..2000 is not in the capture
    ack(3000, 2'000'000);
    SECTION("among many frames the grace is shorter") {
        for (int n = 0; n < 511; ++n)
            ack(3000, 2'000'000 + n * 6'000);
        add(1000, 2000, 6'000'000); // frame 512 behind the ACK, 4 ms later
        Recording r;
        run(r, packets);
        CHECK(r.closed[0].connection.ends[0].unseen_bytes == 0);
        packets.pop_back();
        for (int n = 0; n < 3; ++n)
            ack(3000, 6'000'000 + n);
        add(1000, 2000, 6'100'000);
        Recording late;
        run(late, packets);
        CHECK(late.closed[0].connection.ends[0].unseen_bytes == 1000);
    }
    SECTION("filled within the grace it is no hole") {
        add(1000, 2000, 3'000'000);
        add(3000, 4000, 90'000'000);
        Recording r;
        run(r, packets);
        CHECK(r.anomalies.empty());
        CHECK(r.opened.size() == 1);
        CHECK(r.closed[0].connection.ends[0].unseen_bytes == 0);
    }
    SECTION("what is never acknowledged is lost, not missing from the capture") {
        Recording r;
        packets.pop_back(); // the ACK
        ack(1000, 2'000'000);
        packets.push_back({.side = 1,
                           .sequence = initial_sequence[1],
                           .acknowledgment = initial_sequence[0] + 1000,
                           .flags = tcp_ack | tcp_rst,
                           .payload = {},
                           .time_ns = 3'000'000});
        Packet other = packets[0]; // of another connection
        other.time_ns = 5'000'000;
        FedTcp engine{r, r};
        for (std::size_t i = 0; i < packets.size(); ++i)
            engine.feed(segment(packets[i], i + 1));
        engine.feed(segment(other, 50, 50001));
        engine.finish();
        CHECK(r.anomalies[AnomalyKind::stream_hole] == 0);
        const ConnectionEnd &end = r.closed.at(0).connection.ends[0];
        CHECK(end.lost_bytes == 1000);
        CHECK(end.missed_bytes() == 0);
        CHECK(end.unseen_bytes == 1000); // so that the bytes behind it keep their places
        const auto unseen =
            std::find_if(r.pieces.begin(), r.pieces.end(), [](const auto &q) { return q.unseen; });
        REQUIRE(unseen != r.pieces.end());
        CHECK(unseen->frame == packets.size()); // the last frame of its own connection
    }
    SECTION("of a connection that goes on when the capture ends, the ACK may follow") {
        packets.pop_back();
        ack(1000, 2'000'000);
        Recording r;
        run(r, packets);
        CHECK(r.anomalies[AnomalyKind::stream_hole] == 1);
        CHECK(r.closed.at(0).connection.ends[0].lost_bytes == 0);
        CHECK(r.closed[0].connection.ends[0].missed_bytes() == 1000);
    }
    SECTION("an end that has closed acknowledges no more") {
        packets.pop_back();
        ack(1000, 2'000'000);
        packets.push_back({.side = 1,
                           .sequence = initial_sequence[1],
                           .acknowledgment = initial_sequence[0] + 1000,
                           .flags = tcp_ack | tcp_fin,
                           .payload = {},
                           .time_ns = 3'000'000});
        Recording r;
        run(r, packets);
        CHECK(r.closed.at(0).connection.ends[0].lost_bytes == 1000);
        CHECK(r.closed[0].connection.ends[0].missed_bytes() == 0);
    }
    SECTION("else it is given up, the rest goes on, and a late copy is no repeat") {
        add(3000, 4000, 90'000'000);
        add(1000, 2000, 95'000'000);
        Recording r;
        run(r, packets);
        CHECK(r.anomalies[AnomalyKind::stream_hole] == 1);
        CHECK(r.anomalies[AnomalyKind::late_fill] == 1);
        CHECK(r.closed[0].connection.ends[0].unseen_bytes == 1000);
        CHECK(r.closed[0].connection.ends[0].stream_bytes == 3000);
        CHECK(r.closed[0].connection.ends[0].repeated_segments == 0);
        REQUIRE(r.pieces.size() == 4);
        CHECK(r.pieces[1].unseen);
        CHECK(r.pieces[1].offset == 1000);
        CHECK(r.pieces[1].length == 1000);
        CHECK(r.pieces[2].time_ns == 1'100'000);
    }
    SECTION("a hole never ACKed is kept open while the other end is seen, until the end") {
        packets.pop_back();
        packets.push_back({.side = 1,
                           .sequence = initial_sequence[1],
                           .acknowledgment = initial_sequence[0] + 1000,
                           .payload = {},
                           .time_ns = 2'000'000'000});
        add(3000, 4000, 9'000'000'000);
        packets.push_back({.side = 1,
                           .sequence = initial_sequence[1],
                           .acknowledgment = initial_sequence[0] + 1000,
                           .payload = {},
                           .time_ns = 9'100'000'000});
        add(1000, 2000, 9'200'000'000);
        Recording r;
        run(r, packets);
        CHECK(r.anomalies.empty());
        CHECK(r.closed[0].connection.ends[0].stream_bytes == 4000);
    }
}

TEST_CASE("content behind a hole is not kept below what is needed, its times are", "[tcp]") {
    std::mt19937 random{1};
    const auto stream = random_bytes(3000, random);
    std::vector<Packet> packets = handshake();
    for (const auto &[from, to] : {std::pair{0, 1000}, {2000, 3000}, {1000, 2000}}) {
        packets.push_back({.side = 0,
                           .sequence = initial_sequence[0] + static_cast<std::uint32_t>(from),
                           .acknowledgment = initial_sequence[1],
                           .payload = {stream.begin() + from, stream.begin() + to},
                           .time_ns = 1'000'000 + from});
    }
    Recording r;
    r.needed_from = 5000;
    run(r, packets);
    REQUIRE(r.pieces.size() == 3);
    CHECK(r.pieces[2].bytes.empty());
    CHECK(r.pieces[2].captured == 1000);
    CHECK(r.pieces[2].time_ns == 1'002'000);
}

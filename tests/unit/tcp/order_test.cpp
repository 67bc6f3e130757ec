// SPDX-License-Identifier: GPL-2.0-or-later
// Pieces come after the bytes that their senders had acknowledged.
#include "catch.h"
#include "tcp/recording.h"
#include "tcp/traffic.h"
#include "tests/unit/tcp/fed_tcp.h"

#include <rapidcheck.h>

using namespace iscsiscope;
using namespace traffic;

namespace {

constexpr std::int64_t ms = 1'000'000;

// Two ends that take turns: each packet acknowledges all that the other end has sent.
class Dialogue {
public:
    std::vector<Packet> packets = handshake();

    void say(int side, std::size_t bytes, std::int64_t after_ns = ms) {
        clock_ += after_ns;
        Packet p;
        p.side = side;
        p.sequence = initial_sequence[side] + sent_[side];
        p.acknowledgment = initial_sequence[1 - side] + sent_[1 - side];
        p.payload.assign(bytes, std::byte{1});
        p.time_ns = clock_;
        sent_[side] += static_cast<std::uint32_t>(bytes);
        packets.push_back(std::move(p));
    }

private:
    std::uint32_t sent_[2] = {0, 0};
    std::int64_t clock_ = 0;
};

// The sides of the pieces that hold bytes of frames, by frame.
std::vector<FrameNumber> frames_of(const Recording &r) {
    std::vector<FrameNumber> out;
    for (const auto &piece : r.pieces)
        if (!piece.unseen)
            out.push_back(piece.frame);
    return out;
}

// Feeds the packets with these indices left out; frame numbers are those of all packets.
void feed(FedTcp &engine, const std::vector<Packet> &packets, const std::vector<std::size_t> &missing = {}) {
    for (std::size_t i = 0; i < packets.size(); ++i)
        if (std::find(missing.begin(), missing.end(), i) == missing.end())
            engine.feed(segment(packets[i], i + 1));
}

} // namespace

TEST_CASE("what answers bytes comes after them, whatever the file lacks", "[tcp]") {
    const bool ok = rc::check([](std::uint32_t seed) {
        std::mt19937 random{seed};
        Dialogue dialogue;
        for (int i = 0; i < 300; ++i)
            dialogue.say(static_cast<int>(random() % 2), 1 + random() % 2000,
                         static_cast<std::int64_t>(random() % 5'000'000));
        std::vector<std::size_t> missing;
        for (std::size_t i = 3; i < dialogue.packets.size(); ++i)
            if (random() % 20 == 0)
                missing.push_back(i);
        Recording r;
        FedTcp engine{r, r};
        feed(engine, dialogue.packets, missing);
        const std::size_t before_end = r.pieces.size();
        engine.finish();
        std::uint64_t delivered[2] = {0, 0};
        for (std::size_t i = 0; i < r.pieces.size(); ++i) {
            const auto &piece = r.pieces[i];
            const auto side = index(piece.side);
            RC_ASSERT(piece.offset == delivered[side]);
            if (!piece.unseen && i < before_end) {
                const Packet &packet = dialogue.packets[piece.frame - 1];
                RC_ASSERT(packet.acknowledgment - initial_sequence[1 - side] <= delivered[1 - side]);
            }
            delivered[side] += piece.length;
        }
        for (int side = 0; side < 2; ++side) {
            std::uint64_t seen =
                0; // the end of the last packet that the file holds, or what was acknowledged
            for (std::size_t i = 3; i < dialogue.packets.size(); ++i) {
                const Packet &p = dialogue.packets[i];
                if (std::find(missing.begin(), missing.end(), i) != missing.end())
                    continue;
                if (p.side == side)
                    seen =
                        std::max<std::uint64_t>(seen, p.sequence - initial_sequence[side] + p.payload.size());
                else
                    seen = std::max<std::uint64_t>(seen, p.acknowledgment - initial_sequence[side]);
            }
            RC_ASSERT(delivered[side] == seen);
        }
    });
    REQUIRE(ok);
}

TEST_CASE("an ACK captured before its data waits for them", "[tcp]") {
    Dialogue dialogue;
    dialogue.say(0, 100);
    dialogue.say(1, 100);
    dialogue.say(0, 100);
    std::swap(dialogue.packets[3], dialogue.packets[4]); // the answer is frame 4, the request frame 5
    Recording r;
    FedTcp engine{r, r};
    feed(engine, dialogue.packets);
    CHECK(frames_of(r) == std::vector<FrameNumber>{5, 4, 6});
}

TEST_CASE("a piece waits for bytes that stay away until these are given up", "[tcp]") {
    Dialogue dialogue;
    dialogue.say(0, 100);
    dialogue.say(1, 100); // is not in the file
    dialogue.say(0, 100);
    dialogue.say(0, 100, 999 * ms);
    dialogue.say(0, 100, 2 * ms);
    Recording r;
    FedTcp engine{r, r};
    const auto &p = dialogue.packets;
    feed(engine, {p.begin(), p.begin() + 6}, {4});
    CHECK(frames_of(r) == std::vector<FrameNumber>{4});
    engine.feed(segment(p[6], 7)); // the bytes that stay away were acknowledged long before
    CHECK(frames_of(r) == std::vector<FrameNumber>{4, 6, 7});
    engine.feed(segment(p[7], 8));
    CHECK(frames_of(r) == std::vector<FrameNumber>{4, 6, 7, 8});
}

TEST_CASE("pieces that wait for the other direction are bounded", "[tcp]") {
    Dialogue dialogue;
    dialogue.say(1, 100); // is not in the file
    for (int i = 0; i < 100; ++i)
        dialogue.say(0, 1000, 1000);
    Recording r;
    FedTcp engine{r, r, {.max_kept_bytes = 10'000}};
    feed(engine, dialogue.packets, {3});
    CHECK(frames_of(r).size() >= 90);
    std::uint64_t kept = 0;
    for (const auto &piece : r.pieces)
        kept += piece.bytes.size();
    CHECK(kept == 1000 * frames_of(r).size());
}

TEST_CASE("pieces that wait are delivered when the connection ends", "[tcp]") {
    Dialogue dialogue;
    dialogue.say(1, 100); // is not in the file
    dialogue.say(0, 100);
    dialogue.say(0, 50);
    Recording r;
    FedTcp engine{r, r};
    feed(engine, dialogue.packets, {3});
    CHECK(frames_of(r).empty());
    engine.finish();
    CHECK(frames_of(r) == std::vector<FrameNumber>{5, 6});
    REQUIRE(r.closed.size() == 1);
    CHECK(r.closed[0].connection.ends[0].stream_bytes == 150);
    CHECK(r.closed[0].connection.ends[1].unseen_bytes == 100);
}

TEST_CASE("a connection that ends gives its holes up before what waits for them", "[tcp]") {
    Dialogue dialogue;
    dialogue.say(0, 100);
    dialogue.say(0, 100); // is not in the file
    dialogue.say(0, 100);
    dialogue.say(1, 100); // acknowledges all of them
    dialogue.say(0, 100);
    dialogue.say(1, 100);
    dialogue.say(0, 10);
    dialogue.say(1, 10);
    auto &p = dialogue.packets;
    p[p.size() - 2].flags = p.back().flags = tcp_ack | tcp_fin;
    Recording r;
    FedTcp engine{r, r};
    feed(engine, p, {4});
    CHECK(frames_of(r) == std::vector<FrameNumber>{4, 6, 7, 8, 9, 10, 11});
}

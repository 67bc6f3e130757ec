// SPDX-License-Identifier: GPL-2.0-or-later
#include "catch.h"
#include "recording.h"
#include "tcp_bytes.h"
#include "tests/unit/tcp/fed_tcp.h"
#include "traffic.h"

using namespace iscsiscope;
using namespace traffic;

namespace {

// The engine, fed with segments of the opener that hold real TCP headers.
struct Play {
    Recording out;
    FedTcp tcp{out, out};
    FrameNumber frame = 0;
    std::int64_t now = 0;
    std::uint32_t sent = 0;

    Play() {
        for (const Packet &p : handshake())
            tcp.feed(segment(p, ++frame));
    }

    // Sends 8 bytes of `value` at `at`. xor_sum is added to the right checksum, so 0 is right. acked: bytes
    // of the acceptor, which has sent none.
    void send(std::uint32_t at, int value, unsigned xor_sum = 0, std::uint32_t acked = 0) {
        const Packet p{.side = 0,
                       .sequence = initial_sequence[0] + at,
                       .acknowledgment = initial_sequence[1] + acked,
                       .payload = Bytes(8, static_cast<std::byte>(value)),
                       .time_ns = now += 1'000'000};
        Segment s = segment(p, ++frame);
        const Bytes header = tcp_header(s, xor_sum);
        s.header = header;
        tcp.feed(s);
    }

    int damaged() const {
        const auto it = out.anomalies.find(AnomalyKind::damaged_frame);
        return it == out.anomalies.end() ? 0 : it->second;
    }

    // The bytes of the opener's stream that the engine passed on, one per piece of eight.
    std::vector<int> values() const {
        std::vector<int> v;
        for (const auto &p : out.pieces)
            if (p.side == Side::opener)
                for (std::size_t i = 0; i < p.bytes.size(); i += 8)
                    v.push_back(std::to_integer<int>(p.bytes[i]));
        return v;
    }
};

} // namespace

TEST_CASE("a damaged segment is as if it had been lost, and its repeat takes its place", "[tcp]") {
    Play p;
    for (std::uint32_t i = 0; i < 4; ++i)
        p.send(8 * i, static_cast<int>(i));
    p.send(32, 99, 0x0100); // one bit of the sum is wrong
    CHECK(p.damaged() == 1);
    p.send(40, 5); // behind the hole
    p.send(32, 4); // the receiver never acknowledged the damaged one
    CHECK(p.values() == std::vector<int>{0, 1, 2, 3, 4, 5});
    CHECK(p.out.anomalies.count(AnomalyKind::overlap_differs) == 0);
}

TEST_CASE("sums that are wrong from the start are those of a card to come", "[tcp]") {
    Play p;
    for (std::uint32_t i = 0; i < 50; ++i)
        p.send(8 * i, static_cast<int>(i), 0x4242);
    CHECK(p.damaged() == 0);
    CHECK(p.values().size() == 50);
    for (std::uint32_t i = 50; i < 60; ++i) // a few right ones prove nothing
        p.send(8 * i, static_cast<int>(i));
    p.send(480, 60, 0x4242);
    CHECK(p.damaged() == 0);
    CHECK(p.values().size() == 61);
}

TEST_CASE("segments whose content nobody needs are not verified", "[tcp]") {
    Play p;
    for (std::uint32_t i = 0; i < 8; ++i)
        p.send(8 * i, static_cast<int>(i));
    p.out.needed_from = 1000;
    p.send(64, 8, 1);
    CHECK(p.damaged() == 0);
    p.out.needed_from = 0;
    for (std::uint32_t i = 9; i < 125; ++i)
        p.send(8 * i, 0);
    p.send(1000, 1, 1); // the first byte needed
    CHECK(p.damaged() == 1);
}

TEST_CASE("an acknowledgment of bytes that no frame holds is verified before it is believed", "[tcp]") {
    Play p;
    for (std::uint32_t i = 0; i < 8; ++i)
        p.send(8 * i, static_cast<int>(i));
    p.out.needed_from = 1000;
    p.send(64, 8, 0x0100, 1U << 28); // one bit of the number was damaged
    CHECK(p.damaged() == 1);
    p.send(64, 8, 0, 1000); // the capture lacks these
    CHECK(p.damaged() == 1);
}

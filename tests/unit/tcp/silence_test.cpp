// SPDX-License-Identifier: GPL-2.0-or-later
// What a silence of the sender shows: swallowed sizes, timeouts behind probes, windows that begin anew.
#include "catch.h"
#include "diagnosed_talk.h"

#include "analyzer/tcp/diagnosis/history/flight_plateau.h"
#include "analyzer/tcp/diagnosis/history/window_restart.h"

using namespace iscsiscope;
using namespace traffic;

TEST_CASE("pages behind a small segment of their flight that alone arrives are swallowed, though no full "
          "segments") {
    Talk talk(9000);
    talk.data(0, 4096, 1);
    talk.now += 10 * ms;
    talk.ack(4096);
    talk.data(4096, 48, 2);
    talk.data(4144, 4096, 2);
    talk.data(8240, 4096, 2);
    talk.now += 10 * ms;
    talk.ack(4144);
    for (std::uint32_t i = 0; i < 4; ++i) {
        talk.now += 250 * ms << i;
        talk.data(4144, 4096, 300 + i * 300);
    }
    const TcpDirectionFigures &f = talk.finish();
    REQUIRE(f.smallest_black_holed);
    CHECK(*f.smallest_black_holed == 4096);
    CHECK(f.passed_black_hole == 48);
}

TEST_CASE("behind a tail loss probe the next repeat is a timeout, though it begins with other bytes") {
    Talk talk;
    talk.data(0, 1448, 1);
    talk.now += 10 * ms;
    talk.ack(1448);
    talk.data(1448, 48, 2);
    talk.data(1496, 48, 2);
    talk.now += 60 * ms;
    talk.data(1496, 48, 62); // the probe repeats the last segment
    talk.now += 240 * ms;
    talk.data(1448, 96, 302);
    talk.now += 10 * ms;
    talk.echo = 302;
    talk.ack(1544);
    talk.finish();
    REQUIRE(talk.out.repeats.size() == 2);
    CHECK(talk.out.repeats[0].kind == RetransmissionClass::tail_probe);
    CHECK(talk.out.repeats[1].kind == RetransmissionClass::timeout);
}

TEST_CASE("bursts of one size with silences between them are no level of a send buffer") {
    for (const bool silent : {false, true}) {
        FlightPlateau level;
        Time now{};
        for (int burst = 0; burst < 40; ++burst) {
            for (int round = 0; round < 2; ++round) {
                level.sample(now, 60'000, std::chrono::milliseconds{4});
                now += std::chrono::milliseconds{4};
            }
            if (silent)
                now += std::chrono::milliseconds{250};
        }
        CHECK(level.flat(1448, false) == !silent);
    }
}

namespace {

// A sender over 20 ms, whose full segments are of 1,000 bytes.
struct Restarted {
    static constexpr std::uint32_t full = 1000;
    static constexpr Duration round_trip = std::chrono::milliseconds{20};

    WindowRestart window;
    SlowStarts sums;
    FrameNumber frame = 0;

    Restarted() { window.opened(); }
    // A flight passes, and the wait behind it ends.
    bool flight(std::uint64_t segments, Duration wait = round_trip, bool released = true) {
        window.sent(++frame, full);
        window.in_flight(segments * full);
        return window.waited({wait, round_trip, segments * full, full, released, frame + 1},
                             [this]() -> SlowStarts & { return sums; });
    }
    // Data ends, and the next begins so much later.
    void pause(Duration silence, std::uint32_t last = 100) {
        window.sent(++frame, last);
        window.resumed(silence, round_trip, full);
    }
};

constexpr Duration long_silence = std::chrono::seconds{2};

} // namespace

TEST_CASE("flights that double from the initial window after a silence show a window that began anew") {
    Restarted s;
    CHECK((s.flight(10) && s.flight(20) && s.flight(40)));
    CHECK(s.sums.opening.count == 3);
    CHECK(s.sums.transfers_opening == 1);
    s.pause(long_silence);
    CHECK((s.flight(10) && s.flight(20) && s.flight(40) && s.flight(80)));
    s.pause(long_silence);
    CHECK((s.flight(20) && s.flight(30))); // half of what was left; ACKs for two segments each
    CHECK(s.sums.after_idle.count == 6);
    CHECK(s.sums.transfers_after_idle == 2);
    CHECK(s.sums.shortest_silence == long_silence);
    CHECK(s.sums.run[3].segments == 80);
}

TEST_CASE("flights of one size, leaps, losses, short silences and held ACKs show none") {
    Restarted s;
    REQUIRE((s.flight(10) && s.flight(20)));
    s.pause(long_silence);
    CHECK(s.flight(10));
    CHECK_FALSE(s.flight(10)); // a buffer, or pieces
    CHECK_FALSE(s.flight(20)); // settled
    s.pause(long_silence);
    CHECK(s.flight(10));
    CHECK_FALSE(s.flight(60)); // more than the window can have become
    s.pause(long_silence);
    CHECK(s.flight(10));
    s.window.lost();
    CHECK_FALSE(s.flight(20));
    s.pause(std::chrono::milliseconds{100});
    CHECK_FALSE(s.flight(10));
    s.pause(long_silence, Restarted::full); // behind a full segment it was a timeout
    CHECK_FALSE(s.flight(10));
    s.pause(long_silence);
    CHECK_FALSE(s.flight(10, std::chrono::milliseconds{60})); // a held ACK
    CHECK_FALSE(s.flight(10, std::chrono::milliseconds{2}));  // within the flight
    CHECK_FALSE(s.flight(10, Restarted::round_trip, false));  // no ACK
    CHECK(s.flight(10));
    s.pause(long_silence);
    CHECK_FALSE(s.flight(2)); // less than any initial window since RFC 3390
}

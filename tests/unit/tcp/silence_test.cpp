// SPDX-License-Identifier: GPL-2.0-or-later
// What a silence of the sender shows: swallowed sizes, timeouts behind probes, windows that begin anew.
#include "catch.h"
#include "diagnosed_talk.h"

#include "analyzer/tcp/diagnosis/history/flight_plateau.h"

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

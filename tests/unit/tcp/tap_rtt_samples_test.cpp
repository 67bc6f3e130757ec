// SPDX-License-Identifier: GPL-2.0-or-later
// The recent round trips without waiting, with values worked out by hand.
#include "catch.h"

#include "analyzer/tcp/round_trips/tap_rtt_samples.h"

using namespace iscsiscope;
using namespace std::chrono_literals;

namespace {

Time at(Duration d) {
    return time_from_ns(1'000'000'000'000) + d;
}

} // namespace

TEST_CASE("the usual round trip is the lower quartile of those without waiting") {
    TapRttSamples tap_rtts;
    std::uint64_t offset = 0;
    const auto tap_rtt = [&](Duration begin, Duration length, bool pure = true, std::uint32_t bytes = 100) {
        offset += bytes;
        tap_rtts.sent(offset, at(begin));
        tap_rtts.acked(offset, at(begin + length), pure, 1000, Duration{4ms});
    };
    CHECK(!tap_rtts.usual());
    tap_rtts.handshake(6ms);
    CHECK(tap_rtts.usual() == Duration{6ms});
    tap_rtt(10ms, 6ms);
    tap_rtt(20ms, 9ms, false); // with an answer
    tap_rtt(40ms, 45ms);       // a delayed ACK
    tap_rtt(90ms, 8ms);
    tap_rtt(100ms, 7ms);
    tap_rtt(110ms, 7ms);
    CHECK(tap_rtts.usual() == Duration{6ms}); // 6, 6, 7, 7, 8
    tap_rtt(200ms, 45ms, true, 2000);         // two full segments are acknowledged at once
    tap_rtt(250ms, 45ms, true, 2000);
    tap_rtt(300ms, 45ms, true, 2000);
    tap_rtt(350ms, 45ms, true, 2000);
    CHECK(tap_rtts.usual() == Duration{7ms}); // the third of nine
    SECTION("no round trip is taken where a copy is acknowledged") {
        for (int i = 0; i < 9; ++i) {
            offset += 100;
            tap_rtts.sent(offset, at(400ms));
            tap_rtts.disturbed();
            tap_rtts.acked(offset, at(420ms), true, 1000, Duration{4ms});
        }
        CHECK(tap_rtts.usual() == Duration{7ms});
    }
    SECTION("the last 63 count") {
        for (int i = 0; i < 63; ++i)
            tap_rtt(std::chrono::milliseconds(400 + 30 * i), 20ms);
        CHECK(tap_rtts.usual() == Duration{20ms});
    }
    SECTION("answers that come sooner show that the path has become shorter") {
        for (int i = 0; i < 25; ++i)
            tap_rtt(std::chrono::milliseconds(400 + 30 * i), 4ms, false);
        CHECK(tap_rtts.usual() == Duration{7ms}); // with the one of 6 ms, 26 of 35 are clearly shorter
        tap_rtt(2000ms, 4ms, false);
        CHECK(!tap_rtts.usual()); // 27 of 36
    }
}

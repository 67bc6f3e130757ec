// SPDX-License-Identifier: GPL-2.0-or-later
// The samples of the whole round trip, with values worked out by hand.
#include "catch.h"

#include "analyzer/tcp/round_trips/round_trip_statistics.h"

using namespace iscsiscope;
using namespace std::chrono_literals;

namespace {

// A connection of which segments give round trips.
struct Trips {
    std::array<RttTrack, 2> tracks;
    RoundTripStatistics statistics;

    RttTrack &to(Side end) { return tracks[index(end)]; }
    // The segment is over. Returns the sample of the whole round trip that it gave.
    std::optional<Duration> over() {
        const bool is_new = statistics.take(tracks[0], tracks[1]);
        for (RttTrack &t : tracks)
            t.news = {};
        return is_new ? std::optional(WholeTrip::length(tracks[0], tracks[1])) : std::nullopt;
    }
    std::optional<Duration> sample(Side end, Duration length) {
        to(end).add_sample(length, {});
        return over();
    }
};

} // namespace

TEST_CASE("a sample of the longer tap-side round trip is one of the whole round trip", "[tcp]") {
    Trips t;
    CHECK_FALSE(t.sample(Side::acceptor, 10ms)); // nothing is known of the other one
    CHECK(t.statistics.wholes() == nullptr);
    CHECK(t.statistics.whole().latest() == WholeTrip::Sample{});
    CHECK(t.sample(Side::opener, 2ms) == 12ms);
    CHECK_FALSE(t.sample(Side::opener, 3ms));
    CHECK(t.sample(Side::acceptor, 11ms) == 14ms);
    CHECK(t.statistics.whole().latest().longer == Side::acceptor);
    t.to(Side::acceptor).add_answer(30ms); // a held ACK
    CHECK_FALSE(t.over());
    CHECK_FALSE(t.over()); // a segment without news
    REQUIRE(t.statistics.wholes() != nullptr);
    CHECK(t.statistics.wholes()->count() == 2);
    CHECK(t.statistics.wholes()->maximum() == std::chrono::nanoseconds(14ms).count());
    CHECK(t.statistics.ends()[index(Side::opener)].samples().count() == 2);
}

TEST_CASE("another tap-side round trip becomes the longer one when an echo lowers the first one's minimum",
          "[tcp]") {
    Trips t;
    t.sample(Side::opener, 5ms);
    CHECK(t.sample(Side::acceptor, 6ms) == 11ms);
    const WholeTrip::Sample before = t.statistics.whole().latest();
    t.to(Side::acceptor).lower_minimum(4ms);
    CHECK(t.over() == 11ms);
    CHECK(t.statistics.whole().latest() != before);
    CHECK(t.statistics.whole().latest().longer == Side::opener);
    CHECK_FALSE(t.sample(Side::acceptor, 6ms));
    CHECK(t.sample(Side::opener, 7ms) == 13ms);
}

TEST_CASE("two samples in one segment are one of the whole round trip", "[tcp]") {
    Trips t;
    t.sample(Side::opener, 1ms);
    t.sample(Side::acceptor, 6ms);
    t.to(Side::acceptor).add_sample(8ms, {}); // it was in doubt until this segment
    t.to(Side::acceptor).add_sample(7ms, {});
    CHECK(t.over() == 8ms);
    CHECK(t.statistics.wholes()->count() == 2);
    CHECK(t.statistics.ends()[index(Side::acceptor)].samples().count() == 2);
}

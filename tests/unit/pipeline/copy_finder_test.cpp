// SPDX-License-Identifier: GPL-2.0-or-later
// Which segments are second copies that a mirror port made.
#include "catch.h"
#include "endpoints.h"

#include "analyzer/pipeline/order/copy_finder.h"

#include <chrono>
#include <vector>

using namespace iscsiscope;
using namespace std::chrono_literals;

namespace {

// The segment with this number of one sender, a millisecond after the one before.
Segment segment(std::uint32_t number) {
    Segment s;
    s.frame = number + 1;
    s.time = time_from_ns(1'000'000'000) + number * 1ms;
    s.source = endpoint_of(10, 50001);
    s.destination = endpoint_of(20, 3260);
    s.flags = tcp_ack;
    s.sequence = 1000 + 100 * number;
    s.acknowledgment = 5000;
    s.payload_length = 100;
    s.ip_ttl = 64;
    s.source_mac = {2, 0, 0, 0, 0, 10};
    s.has_ip_id = true;
    s.ip_id = static_cast<std::uint16_t>(7 + number);
    s.options.has_timestamps = true;
    s.options.timestamp_value = 90000 + number;
    return s;
}

Segment later(Segment s, Duration by) {
    s.time += by;
    ++s.frame;
    return s;
}

} // namespace

TEST_CASE("a copy is found by what a device changes, or by the IP identification", "[pipeline]") {
    const Segment first = segment(1);
    Segment routed = later(first, 3us), tagged = routed, sent_again = routed, unmarked = routed;
    routed.ip_ttl = 63;
    tagged.source_mac = {2, 0, 0, 0, 0, 99};
    sent_again.ip_id = 900;
    unmarked.ip_id = 0;
    CopyFinder finder;
    CHECK(finder.find(first) == CopyKind::none);
    CHECK(finder.find(routed) == CopyKind::same_connection);
    CHECK(finder.find(tagged) == CopyKind::same_connection);
    CHECK(finder.find(later(first, 4us)) == CopyKind::same_connection);
    CHECK(finder.find(sent_again) == CopyKind::none);
    CHECK(finder.find(unmarked) == CopyKind::none);
    CHECK(finder.find(later(first, 6ms)) == CopyKind::none); // too late for a copy
}

TEST_CASE("a copy comes within 64 segments, and one in front of the other", "[pipeline]") {
    for (const std::size_t apart : {1U, 63U, 64U, 200U}) {
        CopyFinder finder;
        const Segment first = segment(1);
        CHECK(finder.find(first) == CopyKind::none);
        for (std::uint32_t i = 2; i <= apart; ++i) {
            Segment other = segment(i);
            other.time = first.time;
            REQUIRE(finder.find(other) == CopyKind::none);
        }
        CAPTURE(apart);
        CHECK((finder.find(later(first, 1us)) == CopyKind::same_connection) == (apart <= 64));
    }
}

TEST_CASE("an IP identification that many segments have proves no copy", "[pipeline]") {
    CopyFinder finder;
    Segment first = segment(1), second = segment(2);
    first.ip_id = second.ip_id = 77;
    second.time = first.time;
    finder.find(first);
    finder.find(second);
    CHECK(finder.find(later(first, 1us)) == CopyKind::none);
}

TEST_CASE("of a connection before and behind address translation one is a copy", "[pipeline]") {
    CopyFinder finder;
    const auto behind = [](Segment s) {
        s.source = endpoint_of(99, 61001);
        return later(s, 4us);
    };
    const auto answer = [](const Segment &s, bool translated) {
        Segment a = segment(500);
        a.time = s.time + (translated ? 200us : 203us);
        a.source = s.destination;
        a.destination = translated ? endpoint_of(99, 61001) : s.source;
        a.sequence = 5000;
        a.acknowledgment = s.sequence + s.payload_length;
        return a;
    };
    Segment syn = segment(1);
    syn.flags = tcp_syn;
    syn.payload_length = 0;
    CHECK(finder.find(syn) == CopyKind::none);
    CHECK(finder.find(behind(syn)) == CopyKind::translated);
    CHECK(finder.find(answer(syn, true)) == CopyKind::translated); // seen before that of the other one
    CHECK(finder.find(answer(syn, false)) == CopyKind::none);
    const Segment data = segment(2);
    CHECK(finder.find(data) == CopyKind::none);
    CHECK(finder.find(behind(data)) == CopyKind::translated);
    Segment anew = behind(segment(300)); // a connection of its own
    anew.flags = tcp_syn;
    CHECK(finder.find(anew) == CopyKind::none);
    CHECK(finder.find(behind(segment(301))) == CopyKind::none);
}

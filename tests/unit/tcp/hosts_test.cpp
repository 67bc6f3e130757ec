// SPDX-License-Identifier: GPL-2.0-or-later
#include "catch.h"
#include "tcp/traffic.h"

#include "analyzer/tcp/stream/connection_directory.h"

#include <chrono>

using namespace iscsiscope;
using namespace traffic;
using namespace std::chrono_literals;

namespace {

constexpr Time at(Duration d) {
    return Time{1000s} + d;
}

IpAddress address(std::uint8_t last) {
    IpAddress a;
    a.bytes[15] = last;
    return a;
}

// Two connections between the same hosts, opened from either of them.
struct Hosts {
    HostPairs pairs;
    HostShare one, two;
    Hosts() {
        one.join(pairs, address(1), address(2), 0);
        two.join(pairs, address(2), address(1), 0);
    }
    HostSeen seen(const HostShare &share, Side side) const { return share.moment().of[index(side)]; }
};

constexpr std::uint32_t isn = 1'000'000;

Segment sent(int side, std::uint32_t offset, std::uint32_t length, Duration when, std::uint16_t id,
             std::uint16_t port = 50000, std::uint32_t acked = 0) {
    const Packet p{.side = side,
                   .sequence = isn + offset,
                   .acknowledgment = isn + acked,
                   .payload = std::vector<std::byte>(length)};
    Segment s = segment(p, 1, port);
    s.time = at(when);
    s.has_ip_id = true;
    s.ip_id = id;
    return s;
}

} // namespace

TEST_CASE("the pauses between repairs hide no outage of the path") {
    Hosts h;
    const auto answer = [&](HostShare &share, Side side, Duration when) {
        share.note(h.pairs, side, at(when), 0, true, false);
    };
    const auto longest = [&](Duration from, Duration to) {
        return h.seen(h.one, Side::opener).unanswered_in(at(from), at(to));
    };
    CHECK(longest(0ms, 50ms) == 50ms); // nothing has come yet
    for (int i = 0; i <= 20; ++i)
        answer(h.one, Side::opener, i * 5ms); // no pause is long enough
    CHECK(longest(0ms, 400ms) == 300ms);
    CHECK_FALSE(h.seen(h.one, Side::opener).silent_in(at(0ms), at(100ms)));
    answer(h.one, Side::opener, 1700ms); // one connection repairs, then another
    answer(h.two, Side::acceptor, 1900ms);
    CHECK(longest(700ms, 2000ms) == 1000ms);
    CHECK(h.seen(h.one, Side::opener).silent_in(at(1900ms), at(2000ms)));
    for (int i = 1; i <= 8; ++i)
        answer(h.one, Side::opener, 1900ms + i * 150ms);
    CHECK(longest(700ms, 4000ms) == 900ms); // eight are kept; the one since is the longest
}

TEST_CASE("a moment stays as it was while a host goes on") {
    Hosts h;
    h.one.note(h.pairs, Side::opener, at(0ms), 0, true, false);
    h.one.note(h.pairs, Side::opener, at(200ms), 0, true, false);
    const HostMoment then = h.one.moment();
    h.two.note(h.pairs, Side::acceptor, at(500ms), 0, true, false);
    const RetiredSilences kept = h.pairs.take_retired();
    CHECK_FALSE(kept.empty());
    CHECK(then.of[0].unanswered_in(at(0ms), at(600ms)) == 400ms);
    CHECK(h.one.moment().of[0].unanswered_in(at(0ms), at(600ms)) == 300ms);
    h.one.leave(h.pairs);
    CHECK_FALSE(h.pairs.has_retired());
    h.two.leave(h.pairs);
    CHECK(h.pairs.has_retired()); // the last connection took the pair with it
}

TEST_CASE("the rate of a host's path is that of frames behind full segments, not that of its workload") {
    Hosts h;
    const auto two_segments = [&](int i) { // 2896 bytes each millisecond, in two segments 12 us apart
        h.one.note(h.pairs, Side::acceptor, at(i * 1ms), 1448, false, true);
        h.one.note(h.pairs, Side::acceptor, at(i * 1ms + 12us), 1448, false, false);
    };
    for (int i = 0; i < 40; ++i)
        two_segments(i);
    CHECK(h.seen(h.two, Side::opener).time_of(1448) == Duration{}); // 57,920 bytes
    for (int i = 40; i < 100; ++i)
        two_segments(i);
    CHECK(h.seen(h.two, Side::opener).time_of(1448) == Duration{12us});
    CHECK(h.seen(h.two, Side::opener).others == 100 * 2896);
    CHECK(h.seen(h.one, Side::acceptor).others == 0);
    CHECK(h.seen(h.one, Side::opener).time_of(1448) == Duration{});
}

TEST_CASE("other services of the two hosts say nothing of a connection") {
    HostPairs pairs;
    HostShare storage, shell;
    storage.join(pairs, address(1), address(2), 3260);
    shell.join(pairs, address(1), address(2), 22);
    storage.note(pairs, Side::acceptor, at(0ms), 100, true, false);
    for (int i = 1; i <= 100; ++i)
        shell.note(pairs, Side::acceptor, at(i * 10ms), 100, true, false);
    const HostSeen target = storage.moment().of[1];
    CHECK(target.silent_in(at(0ms), at(1000ms)));
    CHECK(target.unanswered_in(at(0ms), at(1000ms)) == 1000ms);
    CHECK(target.others == 0);
    CHECK_FALSE(shell.moment().of[1].silent_in(at(0ms), at(1000ms)));
    storage.leave(pairs);
    shell.leave(pairs);
}

TEST_CASE("a host that talks with itself is two hosts") {
    HostPairs pairs;
    HostShare share;
    share.join(pairs, address(1), address(1), 0);
    share.note(pairs, Side::opener, at(0ms), 5000, false, true);
    share.note(pairs, Side::acceptor, at(1ms), 100, true, false);
    const HostMoment moment = share.moment();
    CHECK(moment.of[0].others == 0);
    CHECK(moment.of[1].others == 0);
    CHECK(moment.of[0].frames.last == at(0ms));
    CHECK(moment.of[1].frames.last == at(1ms));
    CHECK(moment.of[0].answers.last == Events::never);
    share.leave(pairs);
}

TEST_CASE("what a segment adds to the account of its hosts") {
    ConnectionDirectory directory({});
    const auto place = [&](const Segment &s) { return directory.place(s).hosts; };
    CHECK(place(sent(0, 0, 0, -1ms, 0)).of[0].frames.last ==
          Events::never); // nothing before its first payload
    place(sent(0, 0, 100, 0ms, 1));
    place(sent(0, 0, 100, 1ms, 1)); // a copy that a mirror port made
    place(sent(0, 0, 100, 2ms, 2)); // sent again
    const HostMoment other = place(sent(0, 0, 10, 3ms, 3, 50001));
    CHECK(other.of[0].others == 200);
    CHECK(other.of[0].frames.last == at(3ms));
    CHECK(other.of[1].frames.last == Events::never);

    // ACKs for new bytes: the first one, and each that goes further; not that of a FIN.
    const auto answered = [&](const Segment &s) { return place(s).of[1].answers.last == s.time; };
    CHECK(answered(sent(1, 0, 0, 10ms, 1, 50000, 100)));
    CHECK_FALSE(answered(sent(1, 0, 0, 11ms, 2, 50000, 100)));
    CHECK_FALSE(answered(sent(1, 0, 0, 12ms, 3, 50000, 50)));
    CHECK(answered(sent(1, 0, 0, 13ms, 4, 50000, 200)));
    Segment fin = sent(0, 200, 0, 14ms, 5);
    fin.flags |= tcp_fin;
    place(fin);
    CHECK_FALSE(answered(sent(1, 0, 0, 15ms, 5, 50000, 201)));

    // The moment of a connection that is closed holds what the others sent until then.
    place(sent(0, 10, 1000, 20ms, 6, 50001));
    std::vector<std::uint64_t> others;
    directory.finish([&](const Closing &c) { others.push_back(c.hosts.of[0].others); });
    CHECK(others == std::vector<std::uint64_t>{1010, 200});
}

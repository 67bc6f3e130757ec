// SPDX-License-Identifier: GPL-2.0-or-later
// When a cause held: the course of its lost time among the busy time, and what is said of it.
#include "catch.h"

#include "analyzer/findings/attribution/intervals.h"
#include "analyzer/findings/rules/rule_tools.h"
#include "analyzer/findings/rules/when_words.h"

#include <chrono>
#include <random>

namespace iscsiscope {
namespace {

using namespace std::chrono_literals;

constexpr Time origin = time_from_ns(1'700'000'000'000'000'000);

// A capture of which all is busy, in tasks of 2 ms.
struct Busy : BusyCourse {
    void work(Duration from, Duration to) {
        for (Duration at = from; at < to; at += 2ms) {
            time.add(origin + at, 2ms);
            transfers.add(origin + at, 1ns);
        }
    }
};

Busy busy_for(Duration length) {
    Busy busy;
    busy.work(0s, length);
    return busy;
}

// Waits of this length, one every `each`.
void lose(Course &lost, Duration from, Duration to, Duration each, Duration wait) {
    for (Duration at = from; at < to; at += each)
        lost.add(origin + at, wait, static_cast<FrameNumber>(at / 1ms) + 1);
}

std::string said(const FindingTimes &t, Duration length) {
    CaptureFacts capture;
    capture.begin = origin;
    capture.end = origin + length;
    return when_words(t, capture);
}

bool near(Time t, Duration wanted, Duration by) {
    return std::chrono::abs(t - origin - wanted) <= by;
}

} // namespace

TEST_CASE("a course keeps all time, whatever the order in which its parts come") {
    std::mt19937 random(7);
    std::uniform_int_distribution<std::int64_t> at(0, 40'000'000'000), length(1, 90'000'000);
    Course all, one, other;
    Duration sum{};
    for (int i = 0; i < 3000; ++i) {
        const Time start = origin + Duration{at(random)};
        const Duration l{length(random)};
        all.add(start, l);
        (i % 3 != 0 ? one : other).add(start, l);
        sum += l;
    }
    one.merge(other);
    for (const Course *c : {&all, &one}) {
        CHECK(c->time() == sum);
        CHECK(c->bins().size() <= Course::usual_bins);
        for (const CourseBin &b : c->bins()) {
            const Time from = time_from_ns(b.number * to_ns(c->width()));
            CHECK((b.first >= from && b.first < b.last && b.last <= from + c->width()));
        }
    }
    CHECK(all.bins().front().first == one.bins().front().first);
    CHECK(all.bins().back().last == one.bins().back().last);
}

TEST_CASE("a course takes times before the epoch and parts longer than all its bins") {
    Course c(8);
    c.add(Time{-3s}, 1ms, 5);
    c.add(Time{-10ms}, 20ms);
    c.add(Time{1h}, 24h);
    CHECK(c.time() == 24h + 21ms);
    CHECK(c.bins().size() <= 8);
    CHECK(c.bins().front().first == Time{-3s});
    CHECK(c.bins().front().frame == 5);
    CHECK(c.bins().back().last == Time{25h});
}

TEST_CASE("what costs the same all the time holds throughout, and nothing is said") {
    const Busy busy = busy_for(20s);
    Course regular, rare, none;
    lose(regular, 0s, 20s, 10ms, 3ms);
    CHECK(times_of(regular, busy.time, busy).throughout);
    CHECK(said(times_of(regular, busy.time, busy), 20s).empty());
    CHECK(times_of(none, busy.time, busy).parts.empty());
    CHECK(said(times_of(none, busy.time, busy), 20s).empty());
}

TEST_CASE("losses that chance spreads over the capture are no parts of it") {
    const Busy busy = busy_for(60s);
    int divided = 0;
    for (unsigned seed = 0; seed < 200; ++seed) {
        std::mt19937 random(seed);
        std::uniform_int_distribution<std::int64_t> at(0, 59'000'000'000), length(1'000'000, 60'000'000);
        Course lost;
        for (int i = 0; i < 40; ++i)
            lost.add(origin + Duration{at(random)}, Duration{length(random)});
        divided += times_of(lost, busy.time, busy).throughout ? 0 : 1;
    }
    CHECK(divided <= 10); // of 200; of one pause in fifty captures four are expected
}

TEST_CASE("a cause that begins, ends or does both is dated to its packets") {
    const Busy busy = busy_for(20s);
    Course since, until, between;
    lose(since, 5s, 20s, 10ms, 8ms);
    lose(until, 0s, 5s, 10ms, 8ms);
    lose(between, 5s, 8s, 10ms, 8ms);
    const FindingTimes a = times_of(since, busy.time, busy), b = times_of(until, busy.time, busy),
                       c = times_of(between, busy.time, busy);
    CHECK(said(a, 20s) == "Since 5.00 s (frame 5001); 80 % of the busy time from then on.");
    CHECK(said(b, 20s) == "Until 5.00 s; 80 % of the busy time up to then.");
    CHECK(said(c, 20s).starts_with("From 5.00 to 8.00 s (frame 5001); "));
    REQUIRE(c.parts.size() == 1);
    CHECK(c.parts[0].from == origin + 5s);
    CHECK(near(c.parts[0].until, 8s, 10ms));
    CHECK(c.parts[0].lost == between.time());
}

TEST_CASE("a little of the cause in all the capture does not hide when there is much of it") {
    const Busy busy = busy_for(20s);
    Course lost;
    lose(lost, 0s, 20s, 500ms, 1ms);
    lose(lost, 12s, 16s, 10ms, 6ms);
    const FindingTimes t = times_of(lost, busy.time, busy);
    REQUIRE(t.parts.size() == 1);
    CHECK(near(t.parts[0].from, 12s, 200ms));
    CHECK(near(t.parts[0].until, 16s, 200ms));
}

TEST_CASE("repairs of single losses in a part of the capture are that part") {
    const Busy busy = busy_for(30s);
    std::mt19937 random(3);
    std::uniform_int_distribution<std::int64_t> at(10'000'000'000, 15'000'000'000);
    Course lost;
    for (int i = 0; i < 30; ++i)
        lost.add(origin + Duration{at(random)}, 12ms);
    const FindingTimes t = times_of(lost, busy.time, busy);
    REQUIRE(t.parts.size() == 1);
    CHECK(near(t.parts[0].from, 10s, 500ms));
    CHECK(near(t.parts[0].until, 15s, 500ms));
    CHECK(!t.throughout);
}

TEST_CASE("stalls that come at regular times are counted, with the time between them") {
    const Busy busy = busy_for(60s);
    Course lost;
    for (int i = 0; i < 6; ++i)
        lost.add(origin + 4s + i * 10s, 1s, static_cast<FrameNumber>(i + 1));
    const FindingTimes t = times_of(lost, busy.time, busy);
    REQUIRE(t.intervals.size() == 6);
    REQUIRE(t.period);
    CHECK(std::chrono::abs(*t.period - 10s) < 1us);
    CHECK(said(t, 60s).starts_with("6 times, every 10.0 s: 4.00 to 5.00, 14.00 to 15.00, 24.00 to 25.00, ... "
                                   "54.00 to 55.00 s (frame 1); "));
}

TEST_CASE("one wait is dated, and a few intervals are listed") {
    const Busy busy = busy_for(30s);
    Course one, more;
    one.add(origin + 4100ms, 212ms, 77);
    CHECK(said(times_of(one, busy.time, busy), 30s).starts_with("From 4.10 to 4.31 s (frame 77); "));
    lose(more, 2s, 3s, 10ms, 8ms);
    lose(more, 3500ms, 4s, 10ms, 8ms);
    lose(more, 25s, 26s, 10ms, 8ms);
    const FindingTimes t = times_of(more, busy.time, busy);
    REQUIRE(t.parts.size() == 2);
    CHECK(said(t, 30s).starts_with("2 times: 2.00 to 4.00 and 25.00 to 26.00 s (frame 2001); "));
}

TEST_CASE("only busy time counts: pauses of the host are no news") {
    Busy busy;
    Course lost;
    for (int i = 0; i < 6; ++i) { // a second of work every twenty
        busy.work(i * 20s, i * 20s + 1s);
        lose(lost, i * 20s, i * 20s + 1s, 2ms, 1ms);
    }
    CHECK(times_of(lost, busy.time, busy).throughout);
}

TEST_CASE("a cause of all Reads and Writes holds throughout, although the login took a while") {
    Busy busy;
    busy.time.add(origin, 3s);
    busy.work(3s, 10s);
    Course lost;
    lose(lost, 3s, 10s, 10ms, 8ms);
    CHECK(times_of(lost, busy.time, busy).throughout);
}

TEST_CASE("events are dated without a share of the busy time") {
    Course events;
    events.add(origin + 3s, 1ns, 12);
    const FindingTimes t = times_of_events(events, origin, origin + 10s);
    CHECK(said(t, 10s) == "At 3.00 s (frame 12).");
    CHECK(!t.parts.at(0).share);
}

TEST_CASE("a part that was found by its mean says both means") {
    FindingTimes t;
    t.parts.push_back({origin + 5s, origin + 10s, FrameNumber{812}, 2s, 0.9});
    t.level = LevelChange{origin + 5s, origin + 10s, 812, 10ms, 4ms, false, true};
    t.level_of = "service time";
    t.to_end = true;
    CHECK(said(t, 10s) ==
          "Since 5.00 s (frame 812): a mean service time of 10.0 ms instead of 4.00 ms before.");
    t.level->to_end = t.to_end = false;
    CHECK(said(t, 20s) == "From 5.00 to 10.00 s (frame 812): a mean service time of 10.0 ms instead of 4.00 "
                          "ms before and later.");
    t.level->from_begin = t.from_begin = true;
    CHECK(said(t, 20s) == "Until 10.00 s: a mean service time of 10.0 ms instead of 4.00 ms later.");
}

TEST_CASE("what costs no lost time is dated by response times") {
    Facts f;
    Course &times = f.types[static_cast<std::size_t>(TaskType::read)].response_course;
    for (int i = 0; i < 400; ++i)
        times.add_value(origin + i * 20ms, i < 200 ? 10ms : 100ms, static_cast<FrameNumber>(i + 1));
    FindingsInput in;
    in.facts = &f;
    in.capture.begin = origin;
    const Attribution lost(in);
    Finding dated;
    set_response_times(dated, TaskType::read, {in, f, lost});
    CHECK(when_words(dated.times, in.capture).find(": a mean response time of Reads of ") !=
          std::string::npos);
    REQUIRE(dated.times.level);
    CHECK(std::chrono::abs(dated.times.level->from - origin - 4s) <= 64ms); // a bin
    CHECK(dated.times.to_end);
    CHECK_FALSE(dated.times.parts.at(0).share);
    Finding other;
    set_response_times(other, TaskType::write, {in, f, lost});
    CHECK(other.times.parts.empty());
}

TEST_CASE("a connection that ends does not make its cause last to the end of the capture") {
    const Busy busy = busy_for(20s), first = busy_for(10s);
    Course lost;
    lose(lost, 6s, 10s, 10ms, 8ms);
    CHECK(said(times_of(lost, first.time, busy), 20s).starts_with("From 6.00 to 10.00 s (frame 6001); "));
}

TEST_CASE("times before the epoch are dated as well") {
    Course lost;
    lost.add(Time{-9s}, 1s, 3);
    BusyCourse busy;
    busy.time.add(Time{-20s}, 15s);
    const FindingTimes t = times_of(lost, busy.time, busy);
    REQUIRE(t.parts.size() == 1);
    CHECK(t.parts[0].from == Time{-9s});
    CHECK(t.parts[0].until == Time{-8s});
}

} // namespace iscsiscope

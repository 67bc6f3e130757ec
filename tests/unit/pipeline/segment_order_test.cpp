// SPDX-License-Identifier: GPL-2.0-or-later
// The order in which segments are followed, and steps of the clock that stamped them.
#include "catch.h"
#include "endpoints.h"

#include "analyzer/pipeline/order/clock_resolution.h"
#include "analyzer/pipeline/order/interface_clocks.h"
#include "analyzer/pipeline/order/segment_order.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

using namespace iscsiscope;
using namespace std::chrono_literals;

namespace {

struct Noted final : AnomalySink {
    void on_anomaly(const Anomaly &a) override { all.push_back(a); }
    std::vector<Anomaly> all;
};

// Questions of 48 bytes, each answered with 1,000 bytes 300 µs later, one a millisecond; both ends stamp with
// a tick of a millisecond.
std::vector<Segment> dialogue(std::size_t questions, bool stamps = true, std::uint8_t host = 10) {
    std::vector<Segment> all;
    const Endpoint initiator = endpoint_of(host, 50001), target = endpoint_of(20, 3260);
    for (std::size_t i = 0; i < questions; ++i)
        for (const bool asks : {true, false}) {
            Segment s;
            s.source = asks ? initiator : target;
            s.destination = asks ? target : initiator;
            s.time = time_from_ns(1'000'000'000) + i * 1ms + (asks ? 0us : 300us);
            s.flags = tcp_ack | tcp_psh;
            s.sequence = static_cast<std::uint32_t>(asks ? 48 * i : 1000 * i);
            s.acknowledgment = static_cast<std::uint32_t>(asks ? 1000 * i : 48 * (i + 1));
            s.payload_length = asks ? 48 : 1000;
            s.options.has_timestamps = stamps;
            s.options.timestamp_value = static_cast<std::uint32_t>((asks ? 5000 : 90000) + i);
            s.options.timestamp_echo = static_cast<std::uint32_t>((asks ? 90000 : 5000) + i - (asks ? 1 : 0));
            all.push_back(s);
        }
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i].frame = i + 1;
    return all;
}

struct Ordered {
    std::vector<Segment> segments;
    OrderSummary summary;
    std::vector<Anomaly> anomalies;
};

Ordered ordered(const std::vector<Segment> &file) {
    const FrameHold memory{std::shared_ptr<const std::byte[]>(new std::byte[1]), 1};
    const std::span<const std::byte> frame(memory.memory.get(), 1);
    Noted noted;
    SegmentOrder order(noted, false);
    Ordered result;
    const auto take = [&] {
        for (; order.ready(); order.pop())
            result.segments.push_back(order.front());
    };
    for (const Segment &s : file) {
        order.next() = s;
        order.add(frame, [&] { return memory; });
        take();
    }
    order.finish();
    take();
    result.summary = order.summary();
    result.anomalies = noted.all;
    return result;
}

std::vector<FrameNumber> frames(const std::vector<Segment> &all) {
    std::vector<FrameNumber> numbers;
    for (const Segment &s : all)
        numbers.push_back(s.frame);
    return numbers;
}

void set_clock(std::vector<Segment> &file, std::size_t from, Duration by) {
    for (std::size_t i = from; i < file.size(); ++i)
        file[i].time += by;
}

bool ascending(const std::vector<Segment> &all) {
    return std::is_sorted(
        all.begin(), all.end(), [](const Segment &a, const Segment &b) { return a.time < b.time; });
}

} // namespace

TEST_CASE("what is in order stays as it is", "[pipeline]") {
    const std::vector<Segment> file = dialogue(2000);
    const Ordered r = ordered(file);
    CHECK(frames(r.segments) == frames(file));
    CHECK(r.summary.out_of_order == 0);
    CHECK(r.summary.step_count == 0);
    for (std::size_t i = 0; i < file.size(); ++i)
        REQUIRE(r.segments[i].time == file[i].time);
}

TEST_CASE("segments of queues that were written in turn are put in order of time", "[pipeline]") {
    for (const std::size_t queues : {2U, 3U})
        for (const std::size_t group : {1U, 8U, 100U}) {
            const std::vector<Segment> sent = dialogue(1000);
            std::vector<Segment> file;
            for (std::size_t begin = 0; begin < sent.size(); begin += queues * group)
                for (std::size_t queue = 0; queue < queues; ++queue)
                    for (std::size_t i = begin; i < std::min(begin + queues * group, sent.size()); ++i)
                        if (i % queues == queue)
                            file.push_back(sent[i]);
            const Ordered r = ordered(file);
            CAPTURE(queues, group);
            CHECK(frames(r.segments) == frames(sent));
            CHECK((r.summary.out_of_order > 0) == (group > 1));
            CHECK(r.summary.step_count == 0);
        }
}

TEST_CASE("a clock that was set back goes on where it was", "[pipeline]") {
    for (const bool stamps : {true, false})
        for (const Duration by : {Duration(20ms), Duration(500ms), Duration(2s), Duration(1h)})
            for (const std::size_t at : {400U, 401U}) {
                const std::vector<Segment> sent = dialogue(1000, stamps);
                std::vector<Segment> file = sent;
                set_clock(file, at, -by);
                const Ordered r = ordered(file);
                CAPTURE(stamps, by.count(), at);
                CHECK(frames(r.segments) == frames(sent));
                CHECK(ascending(r.segments));
                REQUIRE(r.summary.steps.size() == 1);
                CHECK(r.summary.steps[0].frame == sent[at].frame);
                CHECK(std::chrono::abs(r.summary.steps[0].by + by) <= 1ms);
                REQUIRE(r.anomalies.size() == 1);
                CHECK(r.anomalies[0].kind == AnomalyKind::clock_stepped);
                CHECK(std::chrono::abs(r.segments.back().time - sent.back().time) <= 2ms);
            }
}

TEST_CASE("a copy of an earlier segment behind a step is not put before it", "[pipeline]") {
    std::vector<Segment> file = dialogue(1000);
    file.insert(file.begin() + 400, {file[380], file[381]}); // as a mirror that sees packets twice, late
    for (std::size_t i = 0; i < file.size(); ++i)
        file[i].frame = i + 1;
    set_clock(file, 400, -1h);
    const Ordered r = ordered(file);
    CHECK(ascending(r.segments));
    CHECK(r.summary.step_count == 1);
    CHECK(r.segments.back().time - r.segments.front().time < 2s);
}

TEST_CASE("a clock that was set forward goes on where it was, if both ends stamp", "[pipeline]") {
    for (const Duration by : {Duration(500ms), Duration(1h)})
        for (const std::size_t at : {400U, 401U}) {
            const std::vector<Segment> sent = dialogue(1000);
            std::vector<Segment> file = sent;
            set_clock(file, at, by);
            const Ordered r = ordered(file);
            CAPTURE(by.count(), at);
            CHECK(frames(r.segments) == frames(sent));
            REQUIRE(r.summary.steps.size() == 1);
            CHECK(r.summary.steps[0].frame == sent[at].frame);
            CHECK(std::chrono::abs(r.summary.steps[0].by - by) <= 1ms);
            CHECK(std::chrono::abs(r.segments.back().time - sent.back().time) <= 2ms);
        }
    std::vector<Segment> without = dialogue(1000, false);
    set_clock(without, 400, 500ms);
    CHECK(ordered(without).summary.step_count == 0);
}

TEST_CASE("how long a tick of the timestamps is shows in all that passed before a step", "[pipeline]") {
    // 20 questions in 20 ms, then so many within one tick that those show nothing of how long it is.
    std::vector<Segment> file = dialogue(2000);
    for (std::size_t i = 0; i < file.size(); ++i)
        if (const std::size_t question = i / 2; question > 20) {
            const auto within = static_cast<std::uint32_t>(question - 20);
            file[i].time -= within * 999us;
            file[i].options.timestamp_value -= within;
            file[i].options.timestamp_echo -= within;
        }
    std::ranges::stable_sort(file, {}, &Segment::time);
    for (std::size_t i = 0; i < file.size(); ++i)
        file[i].frame = i + 1;
    set_clock(file, 2000, 500ms);
    const Ordered r = ordered(file);
    REQUIRE(r.summary.steps.size() == 1);
    CHECK(r.summary.steps[0].frame == file[2000].frame);
    CHECK(std::chrono::abs(r.summary.steps[0].by - 500ms) <= 1ms);
}

TEST_CASE("no tick is measured from times that a step is taken out of later", "[pipeline]") {
    // The second conversation begins behind a step of 2 s, before the first one proves it. It goes on for 2.6
    // s and then pauses for 3 s.
    const std::vector<Segment> first = dialogue(402), second = dialogue(3200, true, 11);
    std::vector<Segment> file(first.begin(), first.begin() + 800);
    for (std::size_t i = 800; i < second.size(); ++i) {
        file.push_back(second[i]);
        file.back().time -= 600us; // before the first one's
        if (i == 801)
            file.insert(file.end(), first.begin() + 800, first.end());
    }
    std::ranges::stable_sort(file, {}, &Segment::time);
    set_clock(file, 800, 2s);
    const std::size_t pause = file.size() - 400;
    set_clock(file, pause, 3s);
    for (std::size_t i = pause; i < file.size(); ++i)
        file[i].options.timestamp_value += 3000;
    for (std::size_t i = 0; i < file.size(); ++i)
        file[i].frame = i + 1;
    const Ordered r = ordered(file);
    CHECK(r.summary.step_count == 1);
    CHECK(std::chrono::abs(r.segments.back().time - file.back().time + 2s) <= 3ms);
}

TEST_CASE("a sample of timestamps is kept of the directions seen last", "[pipeline]") {
    TimestampSamples samples;
    Segment s = dialogue(1).front();
    for (int i = 0; i < 3; ++i, s.time += TimestampSamples::spacing)
        samples.add(s);
    REQUIRE(samples.all().size() == 1);
    CHECK(samples.all()[0].time == s.time - 3 * TimestampSamples::spacing); // the first one
    for (std::size_t i = 0; i < TimestampSamples::most; ++i, s.time += TimestampSamples::spacing) {
        ++s.source.port;
        samples.add(s);
    }
    CHECK(samples.all().size() == TimestampSamples::most);
    CHECK(samples.all().front().source.port == 50002);
    CHECK(samples.all().back().source.port == s.source.port);
}

TEST_CASE("a pause is no step of the clock", "[pipeline]") {
    for (const Duration pause : {Duration(500ms), Duration(5s), Duration(1h)}) {
        std::vector<Segment> file = dialogue(1000);
        set_clock(file, 400, pause);
        const auto ticks = static_cast<std::uint32_t>(pause / 1ms);
        for (std::size_t i = 400; i < file.size(); ++i) {
            file[i].options.timestamp_value += ticks;
            if (i > 401)
                file[i].options.timestamp_echo += ticks;
        }
        const Ordered r = ordered(file);
        CHECK(r.summary.step_count == 0);
        CHECK(r.segments.back().time == file.back().time);
    }
}

TEST_CASE("a clock that was set forward for a moment goes on where it was", "[pipeline]") {
    const std::vector<Segment> sent = dialogue(1000);
    std::vector<Segment> file = sent;
    file[400].time += 1h; // a single damaged stamp
    const Ordered r = ordered(file);
    CHECK(frames(r.segments) == frames(sent));
    CHECK(ascending(r.segments));
    CHECK(r.summary.step_count == 2);
    CHECK(r.segments.back().time == sent.back().time);
}

TEST_CASE("a clock that is set again and again does not carry times away", "[pipeline]") {
    std::vector<Segment> file = dialogue(600);
    for (std::size_t i = 0; i < file.size(); i += 3)
        file[i].time += 24h * 3600;
    const Ordered r = ordered(file);
    CHECK(r.segments.size() == file.size());
    CHECK(ascending(r.segments));
    for (const Segment &s : r.segments)
        REQUIRE(s.time - file.front().time < 24h * 365 * 40);
}

TEST_CASE("an answer that is stamped a little earlier than its question is no step", "[pipeline]") {
    const std::vector<Segment> sent = dialogue(1000);
    std::vector<Segment> file = sent;
    for (std::size_t i = 1; i < file.size(); i += 2)
        file[i].time = file[i - 1].time - 5us; // two clocks, or two queues
    const Ordered r = ordered(file);
    CHECK(frames(r.segments) == frames(sent));
    CHECK(ascending(r.segments));
    CHECK(r.summary.step_count == 0);
    CHECK(r.segments.back().time == file[file.size() - 2].time);
}

TEST_CASE("clocks of interfaces that are apart show on the way there and back", "[pipeline]") {
    const std::vector<Segment> sent = dialogue(400);
    // Questions come through interface 0, answers through interface 2, whose clock is ahead.
    const auto found = [&](Duration ahead, std::size_t late_by = 0, std::size_t questions = 400) {
        InterfaceClocks clocks;
        std::vector<Frame> file;
        for (std::size_t i = 0; i < 2 * questions; ++i) {
            Frame f;
            f.interface = i % 2 == 0 ? 0 : 2;
            f.time = sent[i].time + (i % 2 == 0 ? Duration{} : ahead);
            file.push_back(f);
        }
        if (late_by != 0) // as blocks of a ring buffer are
            std::ranges::stable_sort(file, {}, [&](const Frame &f) {
                const auto at = static_cast<std::size_t>((f.time - sent.front().time) / 1ms);
                return f.interface == 0 ? at : at / late_by * late_by + late_by;
            });
        for (const Frame &f : file)
            clocks.add(f);
        return clocks.apart();
    };
    for (const Duration ahead : {Duration(500ms), Duration(-500ms), Duration(37s), Duration(-1h)}) {
        const auto all = found(ahead);
        CAPTURE(ahead.count());
        REQUIRE(all.size() == 1);
        CHECK(all[0].interface == 2);
        CHECK(std::chrono::abs(all[0].ahead - ahead) <= all[0].uncertainty);
        CHECK(all[0].uncertainty == 500us); // the least times are 300 and 700 us
    }
    CHECK(found(0ms).empty());
    CHECK(found(3ms).empty());
    CHECK(found(500ms, 0, 7).empty()); // too few changes
    for (const std::size_t block : {50U, 300U})
        CHECK(found(0ms, block).empty());
}

TEST_CASE("a coarse clock is one whose stamps repeat", "[pipeline]") {
    const auto tick_of = [](Duration tick, Duration apart, int frames) {
        ClockResolution r;
        for (int i = 0; i < frames; ++i)
            r.add(time_from_ns((i * apart).count() / tick.count() * tick.count()));
        return r.tick();
    };
    CHECK(tick_of(15'600us, 100us, 1000) == Duration(15'600us));
    CHECK(tick_of(1ms, 100us, 1000) == Duration(1ms));
    CHECK_FALSE(tick_of(1us, 100us, 1000)); // fine
    CHECK_FALSE(tick_of(1ns, 1s, 1000));    // few frames, but each has its own stamp
    CHECK_FALSE(tick_of(1us, 500ns, 1000)); // as fine as a link of 10 Gbit/s needs
    CHECK_FALSE(ClockResolution().tick());
}

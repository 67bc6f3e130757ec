// SPDX-License-Identifier: GPL-2.0-or-later
// Series for charts keep every byte and every task, however often their buckets grew.
#include "analyzer/figures/timeline.h"
#include "analyzer/pipeline/anonymizer.h"
#include "analyzer/pipeline/frame_clock.h"
#include "analyzer/query/expression.h"
#include "analyzer/report/html/html_page.h"
#include "analyzer/report/html/pictures.h"
#include "catch.h"
#include "synthetic.h"

#include <algorithm>
#include <numeric>

using namespace iscsiscope;

namespace {

template <class Point, class T>
T sum(const std::vector<Point> &v, T Point::*member) {
    return std::accumulate(
        v.begin(), v.end(), T{}, [&](T n, const Point &p) { return n + p.*member; });
}

std::uint64_t sum(const TrafficSeries &v, PduDirection d) {
    return std::accumulate(
        v.begin(), v.end(), std::uint64_t{0},
        [&](std::uint64_t n, const TrafficPoint &p) { return n + p.bytes[static_cast<std::size_t>(d)]; });
}

CycleRecord cycle_of(std::int64_t start_us, std::int64_t length_us) {
    CycleRecord r = synthetic::read_cycle(0, start_us, 0);
    r.response_time = synthetic::us(length_us);
    r.end = r.start + *r.response_time;
    return r;
}

// A read on a session of its own connection.
CycleRecord read_of(SessionId session, std::int64_t start_us, std::int64_t length_us) {
    CycleRecord r = cycle_of(start_us, length_us);
    r.session = session;
    r.stream = StreamId{session.number};
    return r;
}

} // namespace

TEST_CASE("a timeline keeps sums and extremes while its buckets grow") {
    TimelineCollector collector({});
    std::int64_t time_us = 0, response_us = 0, tasks = 0;
    for (std::int64_t i = 0; i < 5000; ++i, time_us += 997) {
        const std::int64_t length = 10 + i * 37 % 4001;
        collector.on(cycle_of(time_us, length));
        response_us += length;
        ++tasks;
    }
    collector.on(cycle_of(3'600'000'000, 77'000)); // an hour later
    const Timeline t = collector.take();
    const LatencySeries &s = t.latency[0];
    REQUIRE(s.size() == timeline_buckets);
    CHECK(sum(s, &LatencyPoint::count) == tasks + 1);
    // Task-nanoseconds spread over buckets are the tasks' own.
    CHECK(sum(s, &LatencyPoint::outstanding_ns) == (response_us + 77'000) * 1000);
    CHECK(std::ranges::max(s, {}, &LatencyPoint::max_ns).max_ns == 77'000'000);
    std::uint64_t in_classes = 0;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::size_t b = 0; b < t.used; ++b) {
        in_classes += std::accumulate(s[b].classes.begin(), s[b].classes.end(), std::uint64_t{0});
        if (s[b].count != 0)
            least = std::min(least, s[b].min_ns);
    }
    CHECK(in_classes == static_cast<std::uint64_t>(tasks + 1));
    CHECK(least == 10'000);
    CHECK(t.used <= timeline_buckets);
    CHECK(t.used > timeline_buckets / 2);
    CHECK(t.seconds(t.used - 1) == Approx(3600).epsilon(0.01));
}

TEST_CASE("a timeline counts bytes when they pass, of all connections, and of the first ones each") {
    TimelineOptions options;
    options.max_connections = 2;
    TimelineCollector collector(options);
    std::uint64_t bytes = 0;
    for (std::int64_t i = 0; i < 3000; ++i) {
        collector.on(PassedRecord{{synthetic::at_us(i * 1000), 1000, i % 2 == 0 ? 500u : 0u},
                                  StreamId{static_cast<std::uint64_t>(i % 3)},
                                  PduDirection::to_initiator});
        bytes += 1000 + (i % 2 == 0 ? 500 : 0);
    }
    const Timeline t = collector.take();
    CHECK(t.all_traffic.size() == timeline_buckets);
    CHECK(sum(t.all_traffic, PduDirection::to_initiator) == bytes);
    CHECK(sum(t.all_traffic, PduDirection::to_target) == 0);
    REQUIRE(t.traffic.size() == 2);
    CHECK(sum(t.traffic.at(1), PduDirection::to_initiator) == bytes / 3);
    CHECK(t.per_second(static_cast<double>(t.all_traffic[3].bytes[1])) == Approx(1.25e6).epsilon(0.4));
}

TEST_CASE("a filter hides tasks, not that something was asked") {
    const auto filter = Expression::compile("lun == 1", ColumnNames(cycle_table()));
    REQUIRE(filter.ok());
    TimelineOptions options;
    options.filter = &filter.value();
    TimelineCollector collector(options);
    collector.on(PassedRecord{{synthetic::at_us(0), 48, 0}, 0, PduDirection::to_target});
    collector.on(read_of(0, 0, 50'000));
    collector.on(PassedRecord{{synthetic::at_us(99'000), 48, 0}, 0, PduDirection::to_target});
    const Timeline t = collector.take();
    CHECK(sum(t.latency[0], &LatencyPoint::count) == 0);
    for (const TrafficSeries *s : {&t.all_traffic, &t.traffic.at(0)}) {
        CHECK((*s)[t.used / 4].drawn()); // nothing passed, though something was asked
        CHECK_FALSE((*s)[t.used * 3 / 4].drawn());
        CHECK((*s)[t.used - 1].drawn()); // something passed
    }
}

TEST_CASE("groups beyond the limit are counted together and keep their sums while buckets grow") {
    TimelineOptions options;
    options.max_groups = 2;
    TimelineCollector collector(options);
    for (std::int64_t i = 0; i < 3000; ++i)
        collector.on(read_of(SessionId{static_cast<std::uint64_t>(i % 3)}, i * 1000, 500));
    const Timeline t = collector.take();
    CHECK(t.sessions.size() == 2);
    CHECK(t.other_sessions.tasks == 1000);
    CHECK(t.other_luns.total_ns == 1000 * 500'000);
    std::uint64_t count = 0;
    std::int64_t sum = 0;
    for (std::size_t b = 0; b < t.used; ++b) {
        const GroupPoint &p = t.sessions.at(0).points[b];
        count += p.count;
        sum += p.sum_ns;
        CHECK(p.open);
    }
    CHECK(count == 1000);
    CHECK(sum == 1000 * 500'000);
}

TEST_CASE("a frame clock knows every frame's time within its share of the capture") {
    FrameClock clock;
    CHECK_FALSE(clock.at(1));
    const auto time_of = [](FrameNumber n) { // with a silence of 10 s behind frame 50,000
        return synthetic::at_us(static_cast<std::int64_t>(n) * 37 + (n > 50'000 ? 10'000'000 : 0));
    };
    for (FrameNumber n = 1; n <= 300'000; ++n)
        clock.add(n, time_of(n));
    CHECK_FALSE(clock.at(0));
    const Duration most = (time_of(300'000) - time_of(1)) * 2 / static_cast<std::int64_t>(FrameClock::most);
    for (FrameNumber n = 1; n <= 300'000; n += 17) {
        REQUIRE(clock.at(n));
        CHECK(*clock.at(n) <= time_of(n));
        CHECK(time_of(n) - *clock.at(n) <= most);
    }
}

TEST_CASE("classes of response times") {
    CHECK(latency_class(Duration{0}) == 0);
    CHECK(latency_class(synthetic::us(1)) == 0);
    CHECK(latency_class(synthetic::us(2)) == 4);
    CHECK(latency_class(synthetic::us(1024)) == 40);
    CHECK(latency_class(std::chrono::hours(1)) == latency_classes - 1);
    for (std::size_t c = 1; c + 1 < latency_classes; ++c) {
        const auto begin = static_cast<std::int64_t>(latency_class_begin_ns(c));
        CHECK(latency_class(Duration{begin + 2}) == c);
        CHECK(latency_class(Duration{begin - 2}) == c - 1);
    }
}

TEST_CASE("the same name gets the same stand-in, whoever carries it") {
    Anonymizer a;
    ConnectionRecord c = synthetic::connection(), again = c;
    SessionRecord s;
    s.initiator_name = c.initiator_name;
    s.target_name = "iqn.2001-04.com.example:other";
    const ConnectionRecord original = c;
    a.apply(c);
    a.apply(again);
    a.apply(s);
    CHECK(c.initiator_name == again.initiator_name);
    CHECK(c.initiator_name == s.initiator_name);
    CHECK(c.target_name != s.target_name);
    CHECK(c.initiator_name.find("example") == std::string::npos);
    CHECK(c.initiator.address == again.initiator.address);
    CHECK(c.initiator.address != original.initiator.address);
    CHECK(c.initiator.address != c.target.address);
    CHECK(c.target.port == original.target.port);
    CHECK(a.initiator("").empty());
}

TEST_CASE("what comes from outside is text in a page") {
    using namespace iscsiscope::html;
    CHECK(escape("<b>&\"'") == "&lt;b&gt;&amp;&quot;&#39;");
    CHECK(escape("µ\xff") == R"(µ\xFF)");
    CHECK(link_to("javascript:x y") == "./javascript%3Ax%20y");
    HtmlPage page({0.5});
    page.heading("TIMES OF READS", "see `iscsiscope gaps`");
    page.item("Reads", "<i>");
    page.item("", "more");
    page.bar("transfer", 0.5, "1 ms", "words");
    const std::string text = page.take();
    CHECK(text.find("<section id=\"times-of-reads\"><h2>Times of reads</h2>") != std::string::npos);
    CHECK(text.find("<code>iscsiscope gaps</code>") != std::string::npos);
    CHECK(text.find("&lt;i&gt;") != std::string::npos);
    CHECK(text.ends_with("</section>\n"));
    TimelineCollector collector({});
    CHECK(heat_map(collector.take(), TaskType::read).empty());
}

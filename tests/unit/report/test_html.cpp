// SPDX-License-Identifier: GPL-2.0-or-later
// The HTML page: what its charts draw and do not draw, where findings stand on them, words for identifiers.
#include "analyzer/report/html/batch_index.h"
#include "analyzer/report/html/cell_words.h"
#include "analyzer/report/html/charts/charts.h"
#include "analyzer/report/html/charts/finding_marks.h"
#include "analyzer/report/html/charts/script_json.h"
#include "analyzer/report/html/html_page.h"
#include "analyzer/report/html/html_report.h"
#include "analyzer/words/capture/range_words.h"
#include "analyzer/words/finding_words.h"
#include "analyzer/words/identifier_words.h"
#include "catch.h"
#include "synthetic.h"

#include <cmath>
#include <fmt/format.h>

using namespace iscsiscope;
using namespace iscsiscope::html;

namespace {

CycleRecord read_of(std::int64_t start_us, std::int64_t length_us, SessionId session = 0,
                    std::uint64_t lun = 0) {
    CycleRecord r = synthetic::read_cycle(0, start_us, 0);
    r.response_time = synthetic::us(length_us);
    r.end = r.start + *r.response_time;
    r.session = session;
    r.stream = StreamId{session.number};
    r.lun = lun << 48;
    return r;
}

void pass(TimelineCollector &c, std::int64_t at_us, std::uint64_t bytes, StreamId stream = 0) {
    c.on(PassedRecord{{synthetic::at_us(at_us), bytes, 0}, stream, PduDirection::to_initiator});
}

// Two reads with 100 ms between them in which nothing was asked, and a silence of 50 ms inside the first.
Report two_reads() {
    TimelineCollector collector({});
    pass(collector, 0, 48);
    pass(collector, 50'000, 8192);
    collector.on(read_of(0, 50'000));
    pass(collector, 150'000, 48);
    pass(collector, 151'000, 8192);
    collector.on(read_of(150'000, 1'000));
    Report r;
    r.timeline = collector.take();
    r.capture.first_frame_time = synthetic::at_us(-2'000'000);
    r.capture.coverage.connections = 1;
    return r;
}

const Chart &chart(const std::vector<Chart> &all, std::string_view id) {
    for (const Chart &c : all)
        if (c.id == id)
            return c;
    FAIL("no chart " << id);
    return all.front();
}

double value_at(const Chart &c, std::size_t series, double seconds) {
    std::size_t nearest = 0;
    for (std::size_t i = 0; i < c.x.size(); ++i)
        if (std::abs(c.x[i] - seconds) < std::abs(c.x[nearest] - seconds))
            nearest = i;
    return c.series[series].y[nearest];
}

} // namespace

TEST_CASE(
    "charts draw nothing across time in which nothing was asked, and 0 where nothing passed though asked") {
    const Report r = two_reads();
    const std::vector<Chart> all = charts_of(r);
    const Chart &throughput = chart(all, "throughput"), &response = chart(all, "response-read"),
                &outstanding = chart(all, "outstanding");
    // Time counts from the first frame, 2 s before the first read.
    CHECK(throughput.x.front() == Approx(2.0).epsilon(0.001));
    CHECK(value_at(throughput, 0, 2.025) == 0);
    CHECK(value_at(throughput, 0, 2.100) == not_asked);
    CHECK(value_at(throughput, 0, 2.1511) > 0);
    CHECK(std::isnan(value_at(response, 0, 2.025))); // the read goes on: so does the line
    CHECK(value_at(response, 0, 2.0501) == Approx(50.0).epsilon(0.1));
    CHECK(value_at(response, 0, 2.100) == not_asked);
    CHECK(value_at(outstanding, 0, 2.025) == Approx(1.0));
    CHECK(value_at(outstanding, 0, 2.100) == not_asked);
}

TEST_CASE("rows that change nothing in the picture are left out of the page") {
    Chart c;
    c.id = "x";
    c.unit = "<ms>";
    c.x = {1, 2, 3, 4, 5, 6};
    c.series = {{"a", 1, {not_asked, 1, no_sample, not_asked, not_asked, 2}}};
    CHECK(charts_json({c}) == "[{\"id\":\"x\",\"unit\":\"\\u003cms>\",\"log\":false,\"x\":[2,4,6],\"series\":"
                              "[{\"label\":\"a\",\"color\":"
                              "\"#000001\",\"dashed\":false,\"hidden\":false,\"filled\":false,\"steps\":"
                              "false,\"y\":[1,false,2]}]}]");
}

TEST_CASE("response times by LUN and session: the slowest each, the others together") {
    TimelineCollector collector({});
    for (std::uint64_t lun = 0; lun < 9; ++lun)
        for (std::int64_t i = 0; i < 3; ++i)
            collector.on(
                read_of(i * 20'000, 100 + static_cast<std::int64_t>(lun) * 1000, SessionId{lun % 2}, lun));
    Report r;
    r.timeline = collector.take();
    const std::vector<Chart> all = charts_of(r);
    const Chart &luns = chart(all, "response-luns"), &sessions = chart(all, "response-sessions");
    REQUIRE(luns.series.size() == 7);
    CHECK(luns.series[0].label == "session 0, LUN 8");
    CHECK(luns.series[5].label == "session 1, LUN 3");
    CHECK(luns.series[6].label == "3 others");
    CHECK(value_at(luns, 0, 0.0481) == Approx(8.1));
    CHECK(value_at(luns, 6, 0.0411) == Approx(1.1));
    REQUIRE(sessions.series.size() == 2);
    CHECK(sessions.series[0].label == "session 0");
}

TEST_CASE("findings stand on the charts where their evidence is, and as a filter of Wireshark") {
    Report r = two_reads();
    r.capture.frame_clock.add(1, synthetic::at_us(-2'000'000));
    for (FrameNumber n = 2; n < 200; ++n)
        r.capture.frame_clock.add(n, synthetic::at_us(static_cast<std::int64_t>(n) * 1000));
    GapRecord down = synthetic::gap(10'000, 40'000, GapKind::path_down, 10);
    down.after_frame = 50;
    r.gaps.longest[static_cast<std::size_t>(GapKind::path_down)] = down;
    // It begins with a frame of the evidence, which is there as the end of the gap before.
    r.gaps.longest[static_cast<std::size_t>(GapKind::target_status)] =
        synthetic::gap(50'000, 40'000, GapKind::target_status, 50);
    Finding f;
    f.kind = FindingKind::mtu_black_hole;
    f.severity = Severity::problem;
    f.title = "Large segments </script> never arrive";
    f.sentence = "They do not.";
    f.evidence = {{50, "sent again"}, {10, "last"}, {50, "again"}};
    Finding plain;
    plain.title = "No frame";
    r.findings = FindingsResult{};
    Finding elsewhere = f; // its frame lies before the time of the charts, as with a range
    elsewhere.evidence = {{1, "login"}};
    r.findings->findings = {plain, f, elsewhere};
    CHECK(evidence_filter(f) == "frame.number in {10, 50}");
    CHECK(evidence_frames(f) == std::vector<FrameNumber>{10, 50});
    CHECK(evidence_filter(plain).empty());
    plain.also = {FindingKind::delayed_ack, FindingKind::nagle};
    CHECK(also_words(plain) == fmt::format("Seen in the same gaps: {}; {}.", title(FindingKind::delayed_ack),
                                           title(FindingKind::nagle)));
    const auto marks = finding_marks(r);
    REQUIRE(marks.size() == 1);
    CHECK(marks[0].finding == 1);
    REQUIRE(marks[0].at.size() == 2);
    CHECK(marks[0].at[0] == Approx(2.010).epsilon(0.0005));
    CHECK(marks[0].at[1] == Approx(2.050).epsilon(0.0005));
    REQUIRE(marks[0].spans.size() == 1);
    CHECK(marks[0].spans[0].second - marks[0].spans[0].first == Approx(0.04));
    const std::string page = html_report(r, {0.5, 0.99}, "test");
    CHECK(page.find("data-copy=\"frame.number in {10, 50}\"") != std::string::npos);
    CHECK(page.find("Evidence: 2 frames</summary>") != std::string::npos); // each counts once
    CHECK(page.find("id=\"finding-2\"") != std::string::npos);
    CHECK(page.find("Large segments </script>") == std::string::npos);
    CHECK(page.find("\"number\":2,\"title\":\"Large segments \\u003c/script> never arrive\"") !=
          std::string::npos);
    // The verdict and its numbers come first, then findings, charts, tables.
    std::size_t last = 0;
    for (const char *part : {"class=\"verdict", "class=\"cards\"", "class=\"findings\"", "class=\"charts\"",
                             "class=\"details\"", "id=\"capture\""}) {
        CHECK(page.find(part, last) != std::string::npos);
        last = std::max(last, page.find(part));
    }
    for (const char *card : {"Throughput</h3>", "Response time</h3>", "In flight</h3>", "Busy time</h3>"})
        CHECK(page.find(card) != std::string::npos);
}

TEST_CASE("a page of a part of a capture states so on top") {
    Report r = two_reads();
    r.filter = "lun == 1 & <x>";
    r.capture.info.complete = false;
    auto range = TimeRange::parse("2..2.5");
    REQUIRE(range.ok());
    r.range = range.value();
    r.range.anchor(*r.capture.first_frame_time);
    const std::string page = html_report(r, {0.5}, "test");
    const std::string top = page.substr(0, page.find("</header>"));
    CHECK(top.find("<code>lun == 1 &amp; &lt;x&gt;</code>") != std::string::npos);
    CHECK(top.find("Covers " + escape(range_words(r))) != std::string::npos);
    CHECK(top.find("cut short") != std::string::npos);
}

TEST_CASE("identifiers of phases and gaps are words, with the identifier as a tooltip") {
    CHECK(plain_words("first_data_wait") == "waiting for the first Data-In");
    CHECK(plain_words("path_down") == "nothing got through, no answer came");
    CHECK(plain_words("nonsense").empty());
    std::size_t length = 0;
    CHECK(words_at_begin("data 3 ms", length).empty()); // a word of many meanings
    CHECK(words_at_begin("check_condition", length) == "CHECK CONDITION");
    CHECK(words_at_begin("r2t_wait 56.4 ms", length) == "waiting for an R2T");
    CHECK(length == 8);
    CHECK(plain_words("bursts.r2t_wait") == "waiting for an R2T");
    CHECK(time_at_begin("data 454 ms", length) == "Data-In in transit");
    CHECK(length == 4);
    CHECK(time_at_begin("-", length).empty());
    HtmlPage page({0.5});
    page.heading("WHERE A READ CYCLE'S TIME GOES");
    page.bar("first_data_wait", 0.5, "1 ms", "waiting for the first Data-In");
    TextTable times({"<time", ">p50"});
    times.row({"data", "1 ms"});
    page.table(times);
    TextTable slowest({"<type", "<longest phase"});
    slowest.row({"read", "first_data_wait 6.80 s"});
    slowest.row({"read", "data 454 ms"});
    page.table(slowest);
    TextTable bursts({"<one solicited burst", ">p50"});
    bursts.row({"bursts.burst_data", "1 ms"});
    page.table(bursts);
    page.heading("BUSY TIME BY OWNER");
    page.bar("network", 0.5, "1 ms", "network: in transit, queued or resent");
    const std::string text = page.take();
    CHECK(text.find(">network</span> <span class=\"dim\">in transit, queued or resent</span>") !=
          std::string::npos);
    CHECK(text.find(">Data-In in transit</span> 454 ms</span></td>") != std::string::npos);
    CHECK(text.find(">bursts.burst_data") == std::string::npos);
    CHECK(text.find(">first_data_wait") == std::string::npos);
    CHECK(text.find("title=\"first_data_wait: ") != std::string::npos);
    CHECK(text.find(">waiting for the first Data-In</span> 6.80 s</span></td>") != std::string::npos);
    CHECK(text.find(">Data-In in transit</span></td>") != std::string::npos);
}

TEST_CASE("long tables are closed, those with many columns can be stacked") {
    HtmlPage page({0.5});
    page.heading("SESSION 0");
    page.item("Login", "1 ms");
    TextTable keys({"<negotiated key", "<in force"});
    for (int i = 0; i < 18; ++i)
        keys.row({"Key", "1"});
    page.table(keys);
    TextTable wide({"<a", ">b", ">c", ">d", ">e", ">f"});
    wide.row({"1", "2", "3", "4", "5", "6"});
    wide.row({"read", "2", "3", "4", "5", "6"});
    wide.row({"", "2", "3", "4", "5", "6"});
    page.table(wide);
    const std::string text = page.take();
    CHECK(text.find("<details class=\"fold\"><summary>18 rows: negotiated key, in force</summary>") !=
          std::string::npos);
    CHECK(text.find("<table class=\"many\">") != std::string::npos);
    CHECK(text.find("<td data-label=\"f\" class=\"n\">6</td>") != std::string::npos);
    // As a list of its own, a row has a heading: a number with its label, the type of the row above.
    CHECK(text.find("<td data-label=\"a\" data-number=\"\">1</td>") != std::string::npos);
    CHECK(text.find("<td data-label=\"a\" data-of=\"read\"></td>") != std::string::npos);
}

TEST_CASE("the index of a batch sorts numbers as numbers") {
    BatchEntry one;
    one.file = "<a>.pcap";
    one.link = "a.html";
    one.median = {"980 µs", "median of reads", 980'000.0};
    one.p99 = {"-", "", 5.0};
    one.tasks = 1234;
    one.first_time = "2024-05-01 12:00:00.123456 UTC";
    one.severity = Severity::problem;
    one.verdict = "The target is slow";
    BatchEntry bad;
    bad.file = "b.pcap";
    bad.problem = "b.pcap: not a capture";
    const std::string page = batch_index({one, bad}, "test");
    CHECK(page.find("data-key=\"980000\" title=\"median of reads\" data-label=\"median\">980 µs</td>") !=
          std::string::npos);
    CHECK(page.find("data-key=\"1234\" data-label=\"commands\">1,234</td>") != std::string::npos);
    CHECK(page.find("<td class=\"n\" data-label=\"p99\">-</td>") !=
          std::string::npos); // sorts behind all numbers
    CHECK(page.find("<td class=\"n\" data-label=\"not good\">-</td>") != std::string::npos);
    CHECK(page.find("<span>2024-05-01</span> <span>12:00:00</span>") != std::string::npos);
    CHECK(page.find("<span class=\"tag problem\">problem</span>The target is slow") != std::string::npos);
    CHECK(page.find("&lt;a&gt;.<wbr>pcap") != std::string::npos);
    CHECK(page.find("b.pcap: not a capture") != std::string::npos);
    CHECK(page.find("aria-sort=\"none\"><button type=\"button\">throughput</button>") != std::string::npos);
}

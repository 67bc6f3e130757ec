// SPDX-License-Identifier: GPL-2.0-or-later
// The text report of made-up records against golden text: whoever changes the report reads what it
// has become, then approves it by running the test with ISCSISCOPE_APPROVE=1.
#include "analyzer/base/number_format.h"
#include "analyzer/figures/totals.h"
#include "analyzer/report/text/text_report.h"
#include "catch.h"
#include "synthetic.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace iscsiscope;

namespace {

void check_golden(const std::string &name, const std::string &text) {
    const std::string path = std::string(ISCSISCOPE_SOURCE_DIR) + "/tests/unit/report/golden/" + name;
    if (std::getenv("ISCSISCOPE_APPROVE") != nullptr)
        std::ofstream(path) << text;
    std::ifstream in(path);
    std::stringstream golden;
    golden << in.rdbuf();
    CHECK(text == golden.str());
}

} // namespace

TEST_CASE("text report of ten reads") {
    Collector collector;
    synthetic::feed(collector);
    CycleRecord refused = synthetic::read_cycle(10, 950, 20);
    refused.outcome = TaskOutcome::check_condition;
    refused.status = std::uint8_t{2};
    refused.sense = 0x052400;
    collector.on(refused);
    collector.on(Anomaly{AnomalyKind::stream_hole, 55, StreamId{0}, 1448});
    EventRecord reset;
    reset.opcode = Opcode::task_management_request;
    reset.code = 5;
    reset.frame = 70;
    collector.on(reset);
    LunRecord lun;
    lun.block_length = 512;
    lun.blocks = 2048;
    lun.device_type = std::uint8_t{0};
    lun.vendor = "ACME";
    lun.product = "Disk";
    collector.on(lun);
    CaptureSummary summary = synthetic::summary();
    summary.coverage.unseen_bytes = 1448;
    check_golden("ten_reads.txt", text_report(collector.take(summary), TextStyle{}));
}

TEST_CASE("segments lost before the point of capture are trouble, and counted") {
    const auto trouble = [](std::uint64_t lost) {
        Collector collector;
        synthetic::feed(collector);
        TcpDirectionFigures f;
        f.lost_before_tap = lost;
        collector.on(TcpDirectionRecord{std::make_shared<ConnectionFace>(), PduDirection::to_initiator,
                                        std::make_shared<TcpDirectionFigures>(f)});
        CaptureSummary summary = synthetic::summary();
        summary.coverage.lost_bytes = lost * 1000;
        const Report report = collector.take(summary);
        CHECK(segment_totals(report).lost_before_tap == lost);
        TextStyle style;
        style.width = 400; // no sentence is broken
        return text_report(report, style, ReportDetail::all);
    };
    const std::string none = "None: all tasks ended GOOD, nothing was retransmitted",
                      some = "13 data segments were lost before the point of capture, and passed when sent",
                      never = "13.0 kB are in no packet of the file and were never acknowledged";
    CHECK(trouble(0).find(none) != std::string::npos);
    CHECK(trouble(0).find("before the point of capture") == std::string::npos);
    CHECK(trouble(13).find(none) == std::string::npos);
    CHECK(trouble(13).find(some) != std::string::npos);
    CHECK(trouble(13).find(never) != std::string::npos);
}

TEST_CASE("text report of a capture without iSCSI") {
    Collector collector;
    CaptureSummary summary = synthetic::summary();
    summary.coverage = {};
    summary.tcp_connections = 3;
    summary.ports = {{443, 90}, {3260, 10}};
    check_golden("no_iscsi.txt", text_report(collector.take(summary), TextStyle{}));
}

TEST_CASE("a page keeps its width, in ASCII too, and colours only when asked") {
    Collector collector;
    synthetic::feed(collector);
    const Report report = collector.take(synthetic::summary());
    TextStyle style;
    style.utf8 = false;
    std::istringstream lines(text_report(report, style));
    for (std::string line; std::getline(lines, line);) {
        INFO(line);
        CHECK(line.size() <= 100);
        CHECK(std::all_of(line.begin(), line.end(), [](char c) { return c >= 0x20 && c < 0x7f; }));
        CHECK((line.empty() || line.back() != ' '));
    }
    style.color = true;
    CHECK(text_report(report, style).find("\x1b[") != std::string::npos);
}

TEST_CASE("names off the wire cannot steer the terminal") {
    CHECK(human::name("iqn.\x1b[2J\n\xff") == R"(iqn.\x1B[2J\x0A\xFF)");
}

TEST_CASE("figures as people read them") {
    CHECK(human::duration(std::int64_t{0}) == "0");
    CHECK(human::duration(std::int64_t{999}) == "999 ns");
    CHECK(human::duration(std::int64_t{1234}) == "1.23 µs");
    CHECK(human::duration(std::int64_t{999'600}) == "1.00 ms");
    CHECK(human::duration(std::int64_t{12'345'678}) == "12.3 ms");
    CHECK(human::duration(std::int64_t{1'234'000'000}) == "1.23 s");
    CHECK(human::duration(std::int64_t{125'000'000'000}) == "2 min 05 s");
    CHECK(human::bytes(999) == "999 B");
    CHECK(human::bytes(1'234'567) == "1.23 MB");
    CHECK(human::block(524288) == "512 KiB");
    CHECK(human::block(127 * 1024 + 512) == "127.5 KiB");
    CHECK(human::block(1'048'576) == "1 MiB");
    CHECK(human::count(1'234'567) == "1,234,567");
    CHECK(human::share(0.00001) == "<0.1 %");
    CHECK(human::share(0.99999) == ">99.9 %");
    CHECK(human::share(1) == "100.0 %");
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/figures/report_names.h"
#include "analyzer/query/expression.h"
#include "catch.h"
#include "synthetic.h"

#include <fmt/format.h>
#include <rapidcheck.h>

using namespace iscsiscope;

namespace {

Expression compiled(std::string_view text) {
    auto e = Expression::compile(text, ColumnNames(cycle_table()));
    if (!e.ok())
        FAIL(e.failure().show(text));
    return std::move(e.value());
}

bool holds(std::string_view text, const CycleRecord &r) {
    return compiled(text).holds(&r);
}

ExpressionMistake mistake(std::string_view text) {
    auto e = Expression::compile(text, ColumnNames(cycle_table()));
    REQUIRE_FALSE(e.ok());
    return e.failure();
}

bool mentions(const ExpressionMistake &m, std::string_view words) {
    return m.message.find(words) != std::string::npos;
}

} // namespace

TEST_CASE("comparisons, units, lists and logic") {
    CycleRecord r = synthetic::read_cycle(3, 0, 40); // response time 80 µs, 8 KiB
    r.residual_known = true;
    CHECK(holds("response_time == 80us", r));
    CHECK(holds("response_time_ns == 0.08ms", r));
    CHECK(holds("response_time > 79999ns and response_time < 80.001us", r));
    CHECK_FALSE(holds("response_time > 1ms", r));
    CHECK(holds("bytes_moved == 8KiB and bytes_moved == 8192 and bytes_moved > 8kB", r));
    CHECK(holds("type == \"read\" and opcode in (0x28, 0x88)", r));
    CHECK(holds("type in ('write', 'read') and opcode not in (1, 2)", r));
    CHECK_FALSE(holds("not complete", r));
    CHECK(holds("complete and not (type == \"write\" or lba > 1000)", r));
    CHECK(holds("5 < itt or itt == 4", r));
    CHECK(holds("bytes_moved == bytes_expected", r));
    CHECK(holds("start > \"2023-11-14T22:13:19Z\" and start < \"2023-11-14 23:13:21+01:00\"", r));
    CHECK(holds("complete && !(lba == 0)", r));
    CHECK(holds("residual >= -5", r));
    // and binds closer than or
    CHECK(holds("complete or complete and not complete", r));
}

TEST_CASE("a LUN is a text that compares with numbers") {
    CycleRecord r = synthetic::read_cycle(3, 0, 40);
    r.lun = 0x000a000000000000; // 10
    CHECK(holds("lun == 10 and lun == \"10\" and lun == 0xa and 10 == lun", r));
    CHECK(
        holds("lun > 9 and 9 < lun and lun <= 10 and lun in (3, 10)", r)); // as a text it would be below "9"
    CHECK_FALSE(holds("lun != 10 or lun in (\"1\", 1)", r));
    r.lun = 0xc101000000000000; // a well-known logical unit, which has no number
    CHECK(holds("lun == \"0xc101000000000000\" and lun != 10 and lun > 16383", r));
    CHECK(mentions(mistake("lun == 5ms"), "lun is a text"));
    CHECK(mentions(mistake("sense == 5"), "sense is a text"));
}

TEST_CASE("what is not known compares false, and null asks for it") {
    const CycleRecord r = synthetic::read_cycle(3, 0, 40);
    CHECK_FALSE(holds("target_service > 0", r));
    CHECK_FALSE(holds("target_service <= 0", r));
    CHECK_FALSE(holds("target_service != 1ms", r));
    CHECK(holds("not target_service > 0", r));
    CHECK(holds("target_service == null and response_time != null", r));
    CHECK_FALSE(holds("null != target_service", r));
}

TEST_CASE("mistakes are named with their place") {
    const auto position = [](std::string_view text) { return mistake(text).position; };
    CHECK(position("response_tme > 5ms") == 0);
    CHECK(mentions(mistake("response_tme > 5ms"), "did you mean response_time?"));
    CHECK(position("complete and response_time > 5") == 29);
    CHECK(mentions(mistake("response_time > 5"), "give a unit"));
    CHECK(position("type == \"wirte\"") == 8);
    CHECK(mentions(mistake("type == \"wirte\""), "read, write, control"));
    CHECK(position("itt = 5") == 4);
    CHECK(position("itt == 5 and") == 12);
    CHECK(position("(itt == 5") == 0);
    CHECK(position("itt == 5)") == 8);
    CHECK(position("itt == 5parsecs") == 7);
    CHECK(mentions(mistake("itt == 5parsecs"), "unknown unit 'parsecs'"));
    CHECK(position("itt == \"five\"") == 7);
    CHECK(position("itt == 'five") == 7);
    CHECK(position("itt == 5ms") == 7);
    CHECK(position("lba in 5") == 7);
    CHECK(position("lba in (5; 6)") == 9);
    CHECK(position("lba") == 3);
    CHECK(position("") == 0);
    CHECK(position("lba < null") == 4);
    CHECK(position("start > \"yesterday\"") == 8);
    CHECK(position("lba == 5 @") == 9);
    CHECK(mistake("type == \"x\"").show("type == \"x\"").ends_with("\n  type == \"x\"\n          ^"));
    // No expression may exhaust the stack.
    CHECK(mentions(mistake(std::string(100'000, '(')), "too deeply"));
    std::string long_one = "complete";
    for (int i = 0; i < 10'000; ++i)
        long_one += " and complete";
    CHECK(mentions(mistake(long_one), "too long"));
}

TEST_CASE("whole numbers with units keep every digit") {
    CHECK(rc::check("a time written in ns, us, ms or s is compared exactly", [] {
        const auto value = *rc::gen::inRange<std::int64_t>(0, 9'000'000);
        const auto unit = *rc::gen::elementOf(std::vector<std::pair<std::string, std::int64_t>>{
            {"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}});
        CycleRecord r = synthetic::read_cycle(0, 0, 40);
        r.response_time = Duration{value * unit.second};
        const std::string number = std::to_string(value) + unit.first;
        RC_ASSERT(holds("response_time == " + number, r));
        r.response_time = *r.response_time + Duration{1};
        RC_ASSERT(holds("response_time > " + number, r));
        RC_ASSERT(!holds("response_time <= " + number, r));
    }));
    CHECK(rc::check("any 64-bit number, decimal or hexadecimal", [] {
        const auto value = *rc::gen::arbitrary<std::uint64_t>();
        CycleRecord r = synthetic::read_cycle(0, 0, 40);
        r.lba = value;
        RC_ASSERT(holds(fmt::format("lba == {}", value), r));
        RC_ASSERT(holds(fmt::format("lba == {:#x}", value), r));
        RC_ASSERT(!holds(fmt::format("lba != {}", value), r));
        RC_ASSERT(holds(fmt::format("lba in (1, {}, 2)", value), r));
        r.lba = value ^ 1;
        RC_ASSERT(!holds(fmt::format("lba == {}", value), r));
    }));
    CHECK(rc::check("any text compiles or gives a mistake inside it", [] {
        const auto text = *rc::gen::container<std::string>(
            rc::gen::elementOf(std::string("lba itt andor not in()<>=!\"'05.xmsKiB,&|\\-%\x80")));
        const auto e = Expression::compile(text, ColumnNames(cycle_table()));
        if (!e.ok()) {
            RC_ASSERT(e.failure().position <= text.size());
            RC_ASSERT(!e.failure().message.empty());
        }
    }));
}

TEST_CASE("figures of a report as names") {
    Collector collector;
    synthetic::feed(collector);
    const Report report = collector.take(synthetic::summary());
    const auto holds_of = [&](std::string_view text) {
        const auto e = Expression::compile(text, ReportNames(report));
        if (!e.ok())
            FAIL(e.failure().show(text));
        return e.value().holds(nullptr);
    };
    CHECK(holds_of("read.count == 10 and read.response_time.max == 440us"));
    CHECK(holds_of("read.response_time.p50 > 79us and read.response_time.p50 < 81us"));
    CHECK(holds_of("read.response_time.p99.9 == 440us"));
    CHECK_FALSE(holds_of("write.response_time.p99 > 0")); // no writes: not known
    CHECK(holds_of("outcome.good == 10 and outcome.aborted == 0 and anomaly.stream_hole == 0"));
    CHECK(holds_of("gap.initiator_idle.share > 35% and gap.initiator_idle.share < 0.37"));
    CHECK(holds_of("transfer.share == 60% and read.throughput > 60MB/s"));
    const auto e = Expression::compile("read.response_time.p999 > 5ms", ReportNames(report));
    REQUIRE_FALSE(e.ok());
    CHECK(e.failure().position == 0);
    // Every name that is offered resolves.
    const ReportNames names(report);
    for (const std::string &n : names.names()) {
        INFO(n);
        CHECK_FALSE(std::holds_alternative<std::monostate>(names.find(n)));
    }
}

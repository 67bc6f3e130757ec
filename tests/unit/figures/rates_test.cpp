// SPDX-License-Identifier: GPL-2.0-or-later
// Data time and rates worked out by hand: overlapping tasks of several connections, tasks that never end, a
// range, and more separate tasks than are kept.
#include "analyzer/figures/rates.h"
#include "catch.h"
#include "report/synthetic.h"

#include <optional>

using namespace iscsiscope;
using synthetic::at_us;
using synthetic::us;

namespace {

struct Made {
    SessionId session;
    std::uint64_t lun = 0;
    TaskType type = TaskType::read;
    std::int64_t from_us = 0, to_us = 0;
    bool answered = true;
};

// A task of 8 KiB.
CycleRecord task(const Made &m) {
    CycleRecord r = synthetic::read_cycle(0, m.from_us, m.to_us - m.from_us - 40);
    r.session = m.session;
    r.stream = StreamId{m.session.number};
    r.lun = m.lun;
    r.type = m.type;
    if (!m.answered) {
        r.response_time.reset();
        r.has_phases = false;
        r.outcome = TaskOutcome::unanswered;
    }
    return r;
}

Report report_of(std::initializer_list<Made> tasks, CollectorOptions options = {}) {
    Collector collector(options);
    for (const Made &m : tasks)
        collector.on(task(m));
    return collector.take(synthetic::summary());
}

std::optional<Rates> find(const Report &r, std::optional<SessionId> session, std::optional<std::uint64_t> lun,
                          std::string_view type) {
    for (const RateRow &row : rate_rows(r))
        if (row.session == session && row.lun == lun && row.type == type)
            return row.rates;
    return std::nullopt;
}

} // namespace

TEST_CASE("throughput is over the time with a task open, the average over all of it") {
    Collector collector;
    synthetic::feed(collector); // ten reads of 8 KiB in 1340 us: nine take 80 us, one 440 us
    const Report r = collector.take(synthetic::summary());
    const Rates reads = rates(r, TaskType::read);
    CHECK(reads.tasks == 10);
    CHECK(reads.data_time == us(9 * 80 + 440));
    CHECK(reads.range == us(1340));
    CHECK(reads.uncertain == us(0));
    CHECK(*reads.throughput == Approx(81920 / 0.001160));
    CHECK(*reads.iops == Approx(10 / 0.001160));
    CHECK(*reads.average_throughput == Approx(81920 / 0.001340));
    CHECK(*reads.average_iops == Approx(10 / 0.001340));
    CHECK(*reads.outstanding == Approx(1));
    const Rates half = rates(r, TaskType::read, 5, 40960); // a size class
    CHECK(*half.throughput == Approx(40960 / 0.001160));
    const Rates writes = rates(r, TaskType::write);
    CHECK_FALSE(writes.throughput);
    CHECK(*writes.average_iops == 0); // none, in a time that is known
    CHECK_FALSE(average_rates(3, 4096, Duration{}).average_iops);
    CHECK_FALSE(average_rates(3, 4096, std::nullopt).average_throughput);
}

TEST_CASE("tasks of two sessions that are open at once count once over all, and in each session") {
    // Session 0: a Read 0..100 us, a Write 50..150 us, a Read 300..400 us; session 1: a Read 80..250 us of
    // another LUN, whose record comes last. A control command 500..600 us has no data time.
    const Report r = report_of({{0, 0, TaskType::read, 0, 100},
                                {0, 0, TaskType::write, 50, 150},
                                {0, 0, TaskType::read, 300, 400},
                                {0, 0, TaskType::control, 500, 600},
                                {1, 7, TaskType::read, 80, 250}});
    const Rates both = rates(r);
    CHECK(both.tasks == 4);
    CHECK(both.data_time == us(350)); // 0..250, 300..400
    CHECK(both.range == us(600));
    CHECK(*both.throughput == Approx(4 * 8192 / 0.000350));
    CHECK(*both.outstanding == Approx((100 + 100 + 100 + 170) / 350.0));
    CHECK(rates(r, TaskType::read).data_time == us(350));
    CHECK(rates(r, TaskType::write).data_time == us(100));
    CHECK_FALSE(rates(r, TaskType::control).throughput);
    CHECK(*rates(r, TaskType::control).average_iops == Approx(1 / 0.000600));
    CHECK(find(r, SessionId{0}, std::nullopt, "both")->data_time == us(250));
    CHECK(find(r, SessionId{0}, std::nullopt, "read")->data_time == us(200));
    CHECK(find(r, SessionId{0}, 0, "both")->data_time == us(250));
    CHECK(find(r, SessionId{1}, std::nullopt, "both")->data_time == us(170));
    CHECK(find(r, SessionId{1}, 7, "read")->data_time == us(170));
    CHECK_FALSE(find(r, SessionId{1}, std::nullopt, "write"));
    CHECK_FALSE(find(r, SessionId{1}, 0, "read"));
}

TEST_CASE("a task that never ends is open to the last; without any answer no data time is known") {
    const Report one = report_of({{0, 0, TaskType::read, 0, 100}, {0, 0, TaskType::read, 50, 1000, false}});
    CHECK(rates(one).data_time == us(1000));
    CHECK(*rates(one).iops == Approx(2 / 0.001));
    const Report none = report_of({{0, 0, TaskType::read, 0, 100, false}});
    CHECK_FALSE(rates(none).data_time);
    CHECK_FALSE(rates(none).throughput);
    CHECK(*rates(none).average_throughput == Approx(8192 / 0.0001));
}

TEST_CASE("away from the initiator a task is open there for the round trip longer") {
    // Two Reads 0..100 and 130..200 us at a tap 40 us from the initiator and back: -20..120 and 110..220
    // there.
    Collector collector;
    for (CycleRecord r : {task({0, 0, TaskType::read, 0, 100}), task({0, 0, TaskType::read, 130, 200})}) {
        r.rtt_to_initiator = us(40);
        CHECK(r.host_response_time() == *r.response_time + us(40));
        collector.on(r);
    }
    const Report r = collector.take(synthetic::summary());
    CHECK(rates(r).data_time == us(240));
    CHECK(rates(r).range == us(240));
    CHECK(*rates(r).outstanding == Approx((140 + 110) / 240.0));
}

TEST_CASE("data time is cut to the range") {
    TimeRange range = TimeRange::parse("100us..400us").value();
    range.anchor(at_us(0));
    Report r = report_of({{0, 0, TaskType::read, 0, 200}, {0, 0, TaskType::read, 150, 300}}, {1024, &range});
    r.range = range;
    CHECK(rates(r).data_time == us(200)); // 100..300
    CHECK(rates(r).range == us(200));
    CHECK(*rates(r).throughput == Approx(2 * 8192 / 0.0002));
}

TEST_CASE("a task that was open while many came and went covers them all") {
    Collector collector;
    const std::int64_t many = 5000; // each 10 us open, 10 us apart
    for (std::int64_t i = 0; i < many; ++i)
        collector.on(task({0, 0, TaskType::read, 20 * i, 20 * i + 10}));
    CHECK(many > static_cast<std::int64_t>(TimeUnion::max_stretches));
    collector.on(task({1, 0, TaskType::write, 0, 20 * many}));
    const Report r = collector.take(synthetic::summary());
    CHECK(rates(r).data_time == us(20 * many));
    CHECK(rates(r).uncertain == us(0));
    CHECK(find(r, SessionId{0}, std::nullopt, "read")->data_time == us(10 * many));
    CHECK(find(r, SessionId{1}, std::nullopt, "write")->data_time == us(20 * many));
}

TEST_CASE("the rate on the wire is of all connections, over the data time of Reads and Writes together") {
    const auto made = [] {
        Collector collector;
        for (const Made &m : {Made{0, 0, TaskType::read, 0, 100}, Made{1, 0, TaskType::write, 200, 300}})
            collector.on(task(m));
        for (const SessionId session : {SessionId{0}, SessionId{1}}) {
            ConnectionRecord c = synthetic::connection(); // 480 bytes to the target, 82,000 to the initiator
            c.stream = StreamId{session.number};
            c.session = session;
            c.unseen_to_initiator = session.number * 1000;
            collector.on(c);
        }
        return collector.take(synthetic::summary());
    };
    Report r = made();
    CHECK(rates(r).wire_bytes == 2 * 82'480 + 1000);
    CHECK(rates(r).wire_rate == Approx(165'960 / 200e-6));
    CHECK_FALSE(rates(r, TaskType::read).wire_rate);
    CHECK(find(r, std::nullopt, std::nullopt, "both")->wire_bytes == 165'960);
    CHECK_FALSE(find(r, std::nullopt, std::nullopt, "read")->wire_bytes);
    CHECK(find(r, SessionId{1}, std::nullopt, "both")->wire_bytes == 83'480);
    CHECK(find(r, SessionId{1}, std::nullopt, "both")->wire_rate == Approx(83'480 / 100e-6));
    CHECK_FALSE(find(r, SessionId{1}, std::nullopt, "write")->wire_bytes);
    CHECK_FALSE(find(r, SessionId{1}, 0, "both")->wire_bytes);
    r.filter = "cycle == 0";
    CHECK_FALSE(rates(r).wire_bytes);
}

TEST_CASE("rates of the streams rest on no task") {
    Collector collector;
    const auto pass = [&](std::int64_t ms, PduDirection d, std::uint64_t captured, std::uint64_t unseen) {
        collector.on(PassedRecord{{at_us(ms * 1000), captured, unseen}, 0, d});
    };
    pass(100, PduDirection::to_target, 1000, 0);
    pass(600, PduDirection::to_initiator, 4000, 0);
    pass(90, PduDirection::to_target, 50, 0); // of a connection that was recognised now
    pass(2600, PduDirection::to_initiator, 3000, 950);
    pass(3590, PduDirection::to_target, 1000, 0);
    Report r = collector.take(synthetic::summary());
    const WireTally &w = r.wire;
    CHECK(w.to_target() == 2050);
    CHECK(w.to_initiator() == 7950);
    CHECK(w.unseen == 950);
    CHECK(w.range() == us(3'500'000));
    CHECK(w.flowing == us(500'000 + 990'000)); // without the pause of two seconds
    CHECK(w.average_rate() == Approx(10'000 / 3.5));
    CHECK(w.flow_rate() == Approx(10'000 / 1.49));
    CHECK_FALSE(Report{}.wire.average_rate());

    r.capture.coverage.stream_bytes = 10'000;
    r.capture.coverage.skipped_bytes = 10;
    CHECK(tasks_known(r));
    r.capture.coverage.skipped_bytes = 11;
    CHECK_FALSE(tasks_known(r));
}

TEST_CASE("a rate on the wire over data time is not stated where tasks are missing") {
    Collector collector;
    collector.on(task({0, 0, TaskType::read, 0, 100}));
    collector.on(synthetic::connection());
    Report r = collector.take(synthetic::summary());
    REQUIRE(rates(r).wire_rate);
    r.types[0].outcomes[static_cast<std::size_t>(TaskOutcome::no_command)] = 1;
    r.capture.coverage.cut_bytes = 0;
    r.capture.coverage.unseen_bytes = 0;
    CHECK(rates(r).wire_rate); // the capture begins within a task
    r.capture.coverage.cut_bytes = 1;
    CHECK_FALSE(rates(r).wire_rate);
    CHECK(rates(r).wire_bytes);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/figures/collector.h"
#include "analyzer/figures/totals.h"
#include "analyzer/pipeline/range_sink.h"
#include "analyzer/query/filter_sink.h"
#include "catch.h"
#include "synthetic.h"

using namespace iscsiscope;

TEST_CASE("tallies of ten reads") {
    Collector collector;
    synthetic::feed(collector);
    const Report r = collector.take(synthetic::summary());
    const TypeTally &reads = r.types[0];
    CHECK(reads.count == 10);
    CHECK(reads.bytes == 81920);
    CHECK(reads.of(CycleFigure::response_time).count() == 10);
    CHECK(reads.of(CycleFigure::unsolicited).count() == 0); // reads have none
    CHECK(r.types[1].count == 0);
    CHECK(elapsed(r) == synthetic::us(900 + 440));
    CHECK(r.commands.size() == 1);
    CHECK(r.luns.size() == 1);
    CHECK(reads.slowest.front().cycle == CycleId{9});
    CHECK(reads.slowest.size() == 5);
    // Phases add up to the cycle times.
    std::int64_t phases = 0;
    for (const CycleFigure f : phase_figures)
        phases += reads.of(f).sum();
    CHECK(phases == reads.of(CycleFigure::cycle_time).sum());
    // So does the active life.
    Duration parts = r.time.transfer;
    for (const Duration d : r.time.gap_time)
        parts += d;
    CHECK(parts == r.time.active);
    CHECK(r.time.active == synthetic::us(1000));
}

TEST_CASE("a range cuts gaps, keeps cycles by their end, and still adds up") {
    TimeRange range = TimeRange::parse("120us..300us").value();
    range.anchor(synthetic::at_us(0));
    Collector collector;
    RangeSink ranged(range, collector);
    const RecordTables tables(ranged);
    LedgerEntry e;
    e.owner = Owner::target;
    e.start = synthetic::at_us(0);
    e.length = synthetic::us(150); // 30 us of it lie in the range
    tables.put(e);
    e.start = synthetic::at_us(180);
    e.length = synthetic::us(200); // and 120 of this one
    tables.put(e);
    synthetic::feed(ranged);
    const Report r = collector.take(synthetic::summary());
    CHECK(r.time.busy + r.time.without_task == r.time.active);
    CHECK(r.time.busy == synthetic::us(150));
    CHECK(r.time.owners[Owner::target] == synthetic::us(150));
    CHECK(r.types[0].count == 2); // ends at 180 and 280 µs
    // Gaps at 110..150 and 210..250: 30 µs of the first, 40 µs of the second.
    CHECK(r.time.gap_time[static_cast<std::size_t>(GapKind::initiator_idle)] == synthetic::us(70));
    CHECK(r.time.active == synthetic::us(180));
    CHECK(r.time.transfer == synthetic::us(110));
    CHECK(r.connections.front().tasks == 2);
}

TEST_CASE("a filter chooses tasks and with them their bursts") {
    const auto compiled = Expression::compile("cycle == 1", ColumnNames(cycle_table()));
    const Expression &filter = compiled.value();
    Collector collector;
    FilterSink filtered(filter, collector);
    const RecordTables tables(filtered);
    for (std::uint64_t i = 0; i < 3; ++i) {
        BurstRecord b;
        b.cycle = CycleId{i};
        b.burst = 1;
        b.desired_bytes = b.sent_bytes = 65536;
        b.final_seen = true;
        tables.put(b);
        tables.put(synthetic::read_cycle(i, 0, 40));
    }
    const Report r = collector.take(synthetic::summary());
    CHECK(r.types[0].count == 1);
    CHECK(r.bursts.solicited == 1);
}

namespace {

// An entry of the task of 10 us, of the target's time in a gap or of a run.
LedgerEntry entry(std::uint64_t task, bool of_gap, FrameNumber before = 1) {
    LedgerEntry e;
    e.cycle = CycleId{task};
    e.owner = of_gap ? Owner::target : Owner::network;
    e.length = synthetic::us(10);
    if (of_gap)
        e.gap = GapKind::target_status;
    e.before_frame = before;
    return e;
}

} // namespace

TEST_CASE("a filter takes the time of its tasks, whenever it is known") {
    const auto compiled = Expression::compile("cycle == 1", ColumnNames(cycle_table()));
    Collector collector;
    FilterSink filtered(compiled.value(), collector);
    const RecordTables tables(filtered);
    LedgerEntry none = entry(1, true);
    none.cycle.reset();
    tables.put(none); // of no task
    for (std::uint64_t task = 0; task < 3; ++task) {
        tables.put(entry(task, true, 5));
        tables.put(entry(task, true, 5)); // the same wait
        tables.put(entry(task, false));
        GapRecord gap = synthetic::gap(10, 40, GapKind::target_status, 5);
        gap.cycle = CycleId{task};
        tables.put(gap);
        tables.put(synthetic::read_cycle(task, 0, 40));
        tables.put(entry(task, true, 8)); // after its record
    }
    EventRecord event;
    event.opcode = Opcode::task_management_request;
    tables.put(event); // names no task: of all
    event.cycle = CycleId{2};
    tables.put(event);
    tables.put(synthetic::connection());
    ConnectionRecord other = synthetic::connection();
    other.stream = StreamId{7};
    tables.put(other);
    const Report r = collector.take(synthetic::summary());
    REQUIRE(r.connections.size() == 1);
    CHECK(r.connections.front().tasks == 1);
    CHECK(r.time.owners[Owner::target] == synthetic::us(30));
    CHECK(r.time.owners[Owner::network] == synthetic::us(10));
    CHECK(r.time.busy == synthetic::us(40));
    CHECK(r.time.active == r.time.busy);
    CHECK(r.time.without_task == Duration{});
    CHECK(r.time.gap_time[static_cast<std::size_t>(GapKind::target_status)] == synthetic::us(30));
    CHECK(r.time.gaps[static_cast<std::size_t>(GapKind::target_status)] == 2);
    CHECK(r.type_owners[0].sum() == synthetic::us(40));
    CHECK(r.luns.begin()->second.owners.sum() == synthetic::us(40));
    CHECK(r.gaps.count() == 1);
    CHECK(r.events.front().count == 1);
}

TEST_CASE("what waits for a filter is bounded, and its time still counts") {
    const auto compiled = Expression::compile("cycle >= 0", ColumnNames(cycle_table()));
    Collector collector;
    FilterSink filtered(compiled.value(), collector);
    const RecordTables tables(filtered);
    constexpr std::uint64_t entries = FilterSink::max_held + 1000;
    for (std::uint64_t i = 0; i < entries; ++i)
        tables.put(entry(0, true, i + 1));
    tables.put(synthetic::read_cycle(0, 0, 40));
    tables.put(synthetic::connection());
    const Report r = collector.take(synthetic::summary());
    CHECK(r.time.owners[Owner::target] == synthetic::us(10 * entries));
    CHECK(r.time.gaps[static_cast<std::size_t>(GapKind::target_status)] == FilterSink::max_held);
}

TEST_CASE("what is listed is bounded, what is left out is counted") {
    Collector collector({8});
    for (std::uint64_t i = 0; i < 1000; ++i) {
        SessionRecord s;
        s.session = SessionId{i};
        collector.on(s);
        CycleRecord c = synthetic::read_cycle(i, 0, 40);
        c.session = SessionId{i};
        c.stream = StreamId{i};
        collector.on(c);
        ConnectionRecord connection = synthetic::connection();
        connection.stream = StreamId{i};
        connection.session = SessionId{i};
        connection.bytes_to_target = i;
        collector.on(connection);
        collector.on(Anomaly{AnomalyKind::stream_hole, i, StreamId{i}, 10});
    }
    const Report r = collector.take(synthetic::summary());
    CHECK(r.sessions.size() == 8);
    CHECK(r.sessions_left_out == 992);
    CHECK(r.luns.size() == 8);
    CHECK(r.lun_tasks_left_out == 992);
    REQUIRE(r.connections.size() == 8);
    CHECK(r.connections_left_out == 992);
    CHECK(r.connections.front().stream == StreamId{992}); // the busiest stay
    CHECK(r.types[0].count == 1000);                      // sums know all of them
    const AnomalyTally &holes = r.anomalies[static_cast<std::size_t>(AnomalyKind::stream_hole)];
    CHECK(holes.count == 1000);
    CHECK(holes.detail_sum == 10'000);
    CHECK(holes.first.size() == located_anomalies);
}

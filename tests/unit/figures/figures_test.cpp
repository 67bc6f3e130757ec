// SPDX-License-Identifier: GPL-2.0-or-later
// Figures computed by hand from made-up records, those of an empty report, and that parts make up the whole.
#include "analyzer/figures/rates.h"
#include "analyzer/figures/shares.h"
#include "analyzer/figures/totals.h"
#include "catch.h"
#include "report/synthetic.h"

using namespace iscsiscope;
using synthetic::us;

namespace {

// Ten reads of 8 KiB in 1340 µs: nine take 80 µs, one 440 µs. 1000 µs of active life, 600 of them transfer.
Report ten_reads() {
    Collector collector;
    synthetic::feed(collector);
    return collector.take(synthetic::summary());
}

template <class Kind>
void check_partition(const std::vector<Share<Kind>> &parts, Duration all) {
    CHECK(whole(parts) == all);
    double sum = 0;
    for (const Share<Kind> &p : parts)
        sum += p.share;
    CHECK(sum == Approx(all > Duration{} ? 1 : 0).margin(1e-12));
}

} // namespace

TEST_CASE("an active life is transfer and gaps") {
    const Report r = ten_reads();
    const std::vector<TimeShare> all = time_shares(r.time);
    REQUIRE(all.size() == 1 + gap_kind_count);
    CHECK_FALSE(all.front().kind);
    CHECK(all.front().name == "transfer");
    CHECK(all.front().share == Approx(0.6));
    check_partition(all, r.time.active);
    const std::vector<TimeShare> longest = longest_first(all);
    REQUIRE(longest.size() == 3);
    CHECK(longest[1].kind == GapKind::initiator_idle);
    CHECK(longest[1].time == us(360));
    CHECK(longest[2].kind == GapKind::target_first_data);
    CHECK(longest[2].share == Approx(0.04));
    CHECK(*transfer_share(r.time) == Approx(0.6));
    CHECK(*gap_share(r.time, GapKind::initiator_idle) == Approx(0.36));
    CHECK(*idle_ratio(r.time) == Approx(0.4));
    CHECK(r.time.busy + r.time.without_task == r.time.active);
    CHECK(*busy_share(r.time) == Approx(0.85));
    CHECK(r.session_time.at(0).busy == us(850));
    CHECK(*idle_ratio(r.connections.front()) == Approx(0.4));
}

TEST_CASE("busy time of connections of which one direction is missing is not known") {
    Collector collector;
    ConnectionRecord c = synthetic::connection();
    c.transfer = us(1000);
    collector.on(c);
    c.stream = 1;
    c.without_task.reset();
    collector.on(c);
    c.session = 2;
    c.stream = 2;
    c.without_task = us(1000);
    c.busy_at_least = true;
    collector.on(c);
    const Report r = collector.take(synthetic::summary());
    CHECK(r.time.active == us(3000));
    CHECK(r.time.busy == us(850));
    CHECK(r.time.without_task == us(1150));
    CHECK(r.time.one_sided == us(1000));
    CHECK(r.time.busy_at_least);
    CHECK(*busy_share(r.time) == Approx(850 / 2000.0));
    CHECK(r.session_time.at(0).busy == us(850));
    CHECK_FALSE(r.session_time.at(0).busy_at_least);
    CHECK(*busy_share(r.session_time.at(2)) == 0);
}

TEST_CASE("phases add up to the cycle times") {
    const Report r = ten_reads();
    const std::vector<PhaseShare> reads = phase_shares(r.of(TaskType::read));
    check_partition(reads, Duration{r.of(TaskType::read).of(CycleFigure::cycle_time).sum()});
    CHECK(whole(reads) == us(1360));
    CHECK(longest_first(reads).front().kind == CycleFigure::first_data_wait);
    CHECK(longest_first(reads).front().share == Approx(760 / 1360.0));
    check_partition(phase_shares(r.types), us(1360));
    check_partition(phase_shares(r.of(TaskType::write)), us(0));
}

TEST_CASE("the idle ratio of a cycle is known once its gaps and the next command are") {
    CycleRecord c = synthetic::read_cycle(0, 0, 40); // a cycle of 100 µs
    CHECK_FALSE(idle_ratio(c));
    c.idle = us(25);
    CHECK(*idle_ratio(c) == Approx(0.25));
    c.cycle_time.reset();
    CHECK_FALSE(idle_ratio(c));
    c.cycle_time = us(0);
    CHECK_FALSE(idle_ratio(c));
}

TEST_CASE("what limits a sender") {
    TcpDirectionFigures f;
    f.limit_time[1] = us(30);
    f.limit_time[3] = us(90);
    check_partition(limit_shares(f), us(120));
    REQUIRE(longest_first(limit_shares(f)).size() == 2);
    CHECK(longest_first(limit_shares(f)).front().kind == static_cast<SendLimit>(3));
    CHECK(longest_first(limit_shares(f)).front().share == Approx(0.75));
    f.retransmissions[0] = 2;
    f.retransmissions[1] = 3;
    CHECK(f.retransmitted() == 5);
}

TEST_CASE("totals over types, connections and interfaces") {
    Collector collector;
    synthetic::feed(collector);
    CycleRecord write = synthetic::read_cycle(10, 100, 40);
    write.type = TaskType::write;
    write.outcome = TaskOutcome::unanswered;
    write.complete = false;
    write.lost_beyond_tap = true;
    write.r2t_count = 3;
    collector.on(write);
    ConnectionRecord second = synthetic::connection();
    second.stream = 1;
    second.repeated_to_target = 4;
    second.repeated_to_initiator = 3;
    second.rtt_to_target = us(45);
    collector.on(second);
    CaptureSummary summary = synthetic::summary();
    summary.coverage.stream_bytes = 900;
    summary.coverage.unseen_bytes = 100;
    summary.coverage.cut_bytes = 250;
    summary.info.interfaces.push_back({1, 128, "", std::uint64_t{7}});
    const Report r = collector.take(summary);
    const TaskSums t = task_totals(r);
    CHECK(t.count == 11);
    CHECK(t.not_good == 1);
    CHECK(t.of(TaskOutcome::unanswered) == 1);
    CHECK(t.of(TaskOutcome::good) == 10);
    CHECK(t.complete == 10);
    CHECK(t.lost_beyond_tap == 1);
    CHECK(r.of(TaskType::write).r2ts_per_task() == Approx(3));
    CHECK(*r.of(TaskType::write).mean_queue_depth() == Approx(1));
    const SegmentTotals s = segment_totals(r);
    CHECK(s.segments == 140);
    CHECK(s.repeated == 7);
    CHECK(*s.share == Approx(0.05));
    CHECK(s.min_rtt == us(50));
    CHECK(connection_count(r) == 2);
    CHECK(dropped_packets(r.capture.info) == 7);
    CHECK(snap_length(r.capture.info) == 262144);
    const CoverageShares c = coverage_shares(r);
    CHECK(c.cut == Approx(0.25));
    CHECK(c.unseen == Approx(0.1));
    CHECK(c.skipped == 0);
    CHECK(c.complete == Approx(10 / 11.0));
}

TEST_CASE("an empty report has no rates, no shares and no ratios") {
    const Report r;
    CHECK_FALSE(rates(r, TaskType::read).throughput);
    CHECK_FALSE(rates(r, TaskType::read).average_iops);
    CHECK_FALSE(rates(r).data_time);
    CHECK(rate_rows(r).size() == 3);
    check_partition(time_shares(r.time), us(0));
    check_partition(phase_shares(r.types), us(0));
    CHECK(longest_first(time_shares(r.time)).empty());
    CHECK_FALSE(transfer_share(r.time));
    CHECK_FALSE(idle_ratio(r.time));
    CHECK_FALSE(busy_share(r.time));
    CHECK(task_totals(r).count == 0);
    CHECK_FALSE(segment_totals(r).share);
    CHECK_FALSE(segment_totals(r).min_rtt);
    CHECK_FALSE(dropped_packets(r.capture.info));
    CHECK(coverage_shares(r).complete == 0);
    CHECK_FALSE(r.of(TaskType::write).mean_queue_depth());
    CHECK(explained_share(FindingsResult{}) == 0);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/containers/bounded.h"
#include "analyzer/tallies/segment_sums.h"
#include "analyzer/tallies/task_sums.h"

#include "catch.h"

#include <map>
#include <random>

using namespace iscsiscope;

namespace {

CycleRecord any_task(std::mt19937 &generator) {
    const auto random = [&] { return static_cast<std::uint32_t>(generator()); };
    CycleRecord r;
    r.bytes_moved = random() % 100'000;
    r.outcome = static_cast<TaskOutcome>(random() % task_outcome_count);
    r.complete = random() % 2 == 0;
    r.lost_beyond_tap = random() % 2 == 0;
    r.retransmitted_segments = random() % 5;
    r.data_pdus = random() % 50;
    r.r2t_count = random() % 9;
    r.queue_depth = random() % 64;
    if (random() % 4 != 0)
        r.response_time = Duration{random() % 1'000'000};
    if (random() % 4 != 0)
        r.command_frame = FrameNumber{1 + random() % 1000};
    return r;
}

} // namespace

TEST_CASE("size classes") {
    CHECK(size_class(0) == 0);
    CHECK(size_class(1) == 1);
    CHECK(size_class(2049) == 13);
    CHECK(size_class(4096) == 13);
    CHECK(size_class(4097) == 14);
    CHECK(size_class(~std::uint64_t{0}) == size_class_count - 1);
}

TEST_CASE("what a task asked for is known from its command, or from all that it moved") {
    CycleRecord r;
    r.bytes_moved = 4096;
    CHECK_FALSE(asked_bytes(r));
    r.complete = r.residual_known = true;
    r.outcome = TaskOutcome::good;
    CHECK(asked_bytes(r) == 4096);
    r.residual = 512;
    CHECK_FALSE(asked_bytes(r));
    r.bytes_expected = 8192;
    CHECK(asked_bytes(r) == 8192);
}

TEST_CASE("sums of parts, merged, are the sums of the whole") {
    std::mt19937 random(1);
    Tally tally, tally_parts[3], merged;
    TaskSums sums, sums_parts[3], merged_sums;
    for (int i = 0; i < 2000; ++i) {
        const CycleRecord r = any_task(random);
        const std::size_t part = random() % 3;
        tally.add(r);
        tally_parts[part].add(r);
        sums.add(r);
        sums_parts[part].add(r);
    }
    for (std::size_t i = 0; i < 3; ++i) {
        merged.merge(tally_parts[i]);
        merged_sums.merge(sums_parts[i]);
    }
    CHECK(merged.count == 2000);
    CHECK(merged.bytes == tally.bytes);
    CHECK(merged.not_good == tally.not_good);
    CHECK(merged.response_time.count() == tally.response_time.count());
    CHECK(merged.response_time.sum() == to_ns(sums.response));
    for (const double q : {0.0, 0.1, 0.5, 0.99, 1.0})
        CHECK(merged.response_time.quantile(q) == tally.response_time.quantile(q));
    CHECK(merged_sums.count == 2000);
    CHECK(merged_sums.not_good == tally.not_good);
    CHECK(merged_sums.not_good == 2000 - sums.of(TaskOutcome::good));
    CHECK(merged_sums.complete == sums.complete);
    CHECK(merged_sums.lost_beyond_tap == sums.lost_beyond_tap);
    CHECK(merged_sums.retransmitted_segments == sums.retransmitted_segments);
    CHECK(merged_sums.data_pdus == sums.data_pdus);
    CHECK(merged_sums.r2ts == sums.r2ts);
    CHECK(merged_sums.max_r2ts == sums.max_r2ts);
    CHECK(merged_sums.response == sums.response);
    CHECK(merged_sums.deepest_queue == sums.deepest_queue);
    CHECK(merged_sums.mean_queue_depth() == sums.mean_queue_depth());
    CHECK(merged_sums.outcomes == sums.outcomes);
}

TEST_CASE("a task whose command is not in the capture has no queue depth") {
    TaskSums sums;
    CycleRecord r;
    r.queue_depth = 9;
    sums.add(r);
    CHECK_FALSE(sums.mean_queue_depth());
    r.queue_depth = 3;
    r.command_frame = FrameNumber{1};
    sums.add(r);
    CHECK(sums.mean_queue_depth() == 3.0);
    CHECK(sums.deepest_queue == 3);
}

TEST_CASE("lost segments are those of every place, shown or not") {
    TcpDirectionFigures f;
    f.segments = 100;
    f.lost_before_tap = 1;
    f.lost_behind_tap = 5;
    f.lost_unknown_place = 2;
    f.loss_not_shown = 3;
    f.retransmissions[static_cast<std::size_t>(RetransmissionClass::spurious)] = 4;
    f.reorderings = 6;
    f.overtaken_behind_tap = 7;
    f.duplicate_acks = 9;
    SegmentSums one, both;
    one.add(f);
    CHECK(one.lost == 8);
    CHECK(one.shown_lost() == 5);
    CHECK(one.spurious == 4);
    CHECK(one.reordered == 13);
    both.merge(one);
    both.merge(one);
    CHECK(both.segments == 200);
    CHECK(both.lost == 16);
    CHECK(both.lost_before_tap == 2);
    CHECK(both.shown_lost() == 10);
    CHECK(both.spurious == 8);
    CHECK(both.reordered == 26);
    CHECK(both.overtaken_behind_tap == 14);
    CHECK(both.duplicate_acks == 18);
}

TEST_CASE("a bounded map gives the values of its keys, and none beyond the bound") {
    std::map<int, int> map;
    Latest<std::map<int, int>> latest;
    *latest.find_or_add(map, 1, 2) = 10;
    *latest.find_or_add(map, 2, 2) = 20;
    CHECK(latest.find_or_add(map, 3, 2) == nullptr);
    CHECK(*latest.find_or_add(map, 2, 2) == 20);
    CHECK(*latest.find_or_add(map, 1, 2) == 10);
    CHECK(*find_or_add(map, 2, 2) == 20);
    CHECK(find_or_add(map, 3, 2) == nullptr);
    CHECK(*find_or_add(map, 3, 3) == 0);
}

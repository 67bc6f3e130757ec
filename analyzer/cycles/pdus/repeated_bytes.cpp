// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/pdus/repeated_bytes.h"

#include <algorithm>

namespace iscsiscope {
namespace {

// Counts the repeat once for each of its tasks. last: the task counted last for the same segment.
void count(TaskTable &tasks, const PduRanges &ranges, const RepeatedInterval &repeat, TaskRef &last) {
    ranges.visit(
        repeat.from, std::min(repeat.to, ranges.end()),
        [&](const PduRange &range) {
            Task *task = tasks.get(range.task());
            if (task == nullptr)
                return;
            if (last.index != range.task_index || last.cycle != range.cycle)
                ++task->retransmitted_segments;
            last = range.task();
            // If an ACK had passed before the repeat, the first copy had arrived: it was not lost beyond the
            // tap.
            task->lost_beyond_tap = task->lost_beyond_tap || repeat.unacked;
        });
}

} // namespace

void RepeatedBytes::passed(TaskTable &tasks, const PduRanges &ranges, const Connection &tcp,
                           const SegmentReport &report) {
    const std::uint64_t end = report.offset + report.segment->payload_length;
    const std::uint64_t acked = tcp.end(report.side).acked_offset;
    TaskRef last;
    const auto repeated = [&](std::uint64_t from, std::uint64_t to) {
        if (from >= to)
            return;
        const RepeatedInterval repeat{report.side, from, to, to > acked};
        count(tasks, ranges, repeat, last);
        if (to > ranges.end() && waiting_.size() < max_waiting)
            waiting_.push_back({report.side, std::max(from, ranges.end()), to, to > acked});
    };
    if (report.new_bytes == 0) {
        repeated(report.offset, end);
    } else {
        repeated(report.offset, report.first_new_offset);
        repeated(report.first_new_offset + report.new_bytes, end);
    }
}

void RepeatedBytes::place(TaskTable &tasks, const PduRanges &ranges, Side sender) {
    if (waiting_.empty())
        return;
    for (RepeatedInterval &repeat : waiting_) {
        if (repeat.side != sender || repeat.from >= ranges.end())
            continue;
        TaskRef last;
        count(tasks, ranges, repeat, last);
        repeat.from = std::min(repeat.to, ranges.end());
    }
    std::erase_if(waiting_, [](const RepeatedInterval &r) { return r.from >= r.to; });
}

} // namespace iscsiscope

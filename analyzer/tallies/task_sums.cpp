// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tallies/task_sums.h"

#include "analyzer/iscsi/scsi/cdb.h"

#include <algorithm>

namespace iscsiscope {

void TaskSums::add(const CycleRecord &r) {
    TaskCounts::add(r.bytes_moved, r.outcome);
    complete += r.complete ? 1 : 0;
    lost_beyond_tap += r.lost_beyond_tap ? 1 : 0;
    retransmitted_segments += r.retransmitted_segments;
    data_pdus += r.data_pdus;
    r2ts += r.r2t_count;
    max_r2ts = std::max(max_r2ts, r.r2t_count);
    if (r.response_time)
        add_saturated(response, *r.response_time);
    if (r.command_frame) {
        deepest_queue = std::max(deepest_queue, r.queue_depth);
        depth_sum += r.queue_depth;
        ++commands;
    }
    ++outcomes[static_cast<std::size_t>(r.outcome)];
}

void SenseSums::add(const CycleRecord &r) {
    if (count++ == 0) {
        first_frame = r.status_frame;
        lun = r.lun;
    }
    of_transfers += r.type != TaskType::control ? 1 : 0;
    of_work += r.type == TaskType::control && r.opcode && is_work(parse_opcode(*r.opcode).group) ? 1 : 0;
}

void TaskSums::merge(const TaskSums &other) {
    TaskCounts::merge(other);
    complete += other.complete;
    lost_beyond_tap += other.lost_beyond_tap;
    retransmitted_segments += other.retransmitted_segments;
    data_pdus += other.data_pdus;
    r2ts += other.r2ts;
    max_r2ts = std::max(max_r2ts, other.max_r2ts);
    add_saturated(response, other.response);
    deepest_queue = std::max(deepest_queue, other.deepest_queue);
    depth_sum += other.depth_sum;
    commands += other.commands;
    for (std::size_t i = 0; i < task_outcome_count; ++i)
        outcomes[i] += other.outcomes[i];
}

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// RepeatedBytes: assigns retransmitted bytes of one connection to tasks (docs/figures.md, "Task and cycle":
// retransmitted_segments).
//
// In: each segment with bytes that had passed before, and each header. Out: retransmitted_segments and
// lost_beyond_tap of the tasks. States of such bytes: counted, as soon as their PDU is known; waiting for its
// header, which may stand behind a hole. Bound: max_waiting intervals; further ones are not counted.
#pragma once

#include "analyzer/cycles/gaps/pdu_ranges.h"
#include "analyzer/cycles/tasks/task_table.h"
#include "analyzer/tcp/stream/connection.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace iscsiscope {

// Stream bytes [from, to) of this sender that have passed again.
struct RepeatedInterval {
    Side side{};
    std::uint64_t from = 0, to = 0;
    bool unacked = false; // not yet acknowledged when they passed again
};

class RepeatedBytes {
public:
    static constexpr std::size_t max_waiting = 256;

    // Counts the segment for each task of its repeated bytes. ranges: of its sender, here and below.
    void passed(TaskTable &, const PduRanges &ranges, const Connection &, const SegmentReport &);
    // Called after a header of this sender: counts the waiting repeats whose PDU is known now.
    void place(TaskTable &, const PduRanges &ranges, Side sender);

private:
    std::vector<RepeatedInterval> waiting_; // in the order in which they passed
};

} // namespace iscsiscope

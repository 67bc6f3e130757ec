// SPDX-License-Identifier: GPL-2.0-or-later
// PduRanges: maps a stream offset of one direction to its PDU and that PDU's task. Used for the frame that
// ends an idle gap and for retransmitted bytes. Memory is bounded: see PduRanges::limit.
#pragma once

#include "analyzer/cycles/gaps/evidence/pdu_role.h"
#include "analyzer/cycles/records/oldest_cycle.h"
#include "analyzer/cycles/tasks/task.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace iscsiscope {

// Every open connection keeps a few of these: a TaskRef as two members saves padding (24 bytes in all).
struct PduRange {
    std::uint64_t start = 0; // offset in the stream; it ends where the next one starts
    CycleId cycle;
    TaskIndex task_index = no_task;
    PduRole role = PduRole::none;

    TaskRef task() const { return {task_index, cycle}; }
};

// A ring of the latest ranges, in order of offset. When it is full, ranges that the other end has
// acknowledged are dropped; beyond `limit` the oldest is dropped in any case.
class PduRanges {
public:
    static constexpr std::size_t limit = 65536;
    static constexpr std::size_t not_dropped = 8; // acknowledged ranges are kept while the ring is smaller

    // Adds a PDU, [start, end), when its header is delivered. acked: the highest acknowledged offset; bytes
    // below it are not expected again.
    void push(std::uint64_t start, std::uint64_t end, TaskRef, PduRole, std::uint64_t acked);
    // Corrects the end of the last PDU.
    void set_end(std::uint64_t end) { end_ = end; }
    // End offset of the last PDU known.
    std::uint64_t end() const { return end_; }

    void show(OldestCycle &oldest) const {
        for (std::size_t i = 0; i < size_; ++i)
            if (entry(i).task_index != no_task)
                oldest.see(entry(i).cycle);
    }
    // The range that contains the offset; null if it is not known yet or has been dropped.
    const PduRange *at(std::uint64_t offset) const;

    // Calls visitor(const PduRange &) for each range that overlaps [from, to).
    template <class Visitor>
    void visit(std::uint64_t from, std::uint64_t to, Visitor visitor) const {
        for (std::size_t i = index_of(from); i < size_ && entry(i).start < to && from < end_; ++i)
            visitor(entry(i));
    }

private:
    const PduRange &entry(std::size_t i) const { return ring_[(first_ + i) & (ring_.size() - 1)]; }
    // Index of the last entry that starts at or below the offset; 0 if there is none.
    std::size_t index_of(std::uint64_t offset) const;
    void add(const PduRange &, std::uint64_t acked);

    std::vector<PduRange> ring_; // a power of two, or empty
    std::size_t first_ = 0, size_ = 0;
    std::uint64_t end_ = 0;
};

} // namespace iscsiscope

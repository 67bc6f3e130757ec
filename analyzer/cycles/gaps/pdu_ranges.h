// SPDX-License-Identifier: GPL-2.0-or-later
// Which PDU, and so which task, a byte of one direction belongs to: for the frame that ends a gap, and
// for bytes that pass a second time.
#pragma once

#include "analyzer/cycles/tasks/task.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace iscsiscope {

// What a PDU is to the cycle it belongs to, as far as its header and the tasks at that moment tell.
enum class PduRole : std::uint8_t {
    none,           // no PDU is known there
    keep_alive,     // NOP-Out of the initiator's own, NOP-In of the target's own
    control,        // other NOP, task management, text, login, logout, SNACK, Async, Reject
    command_alone,  // SCSI Command, no other task outstanding on its connection
    command_queued, // SCSI Command, others outstanding
    first_data_in,
    more_data_in,
    status, // SCSI Response, or a Data-In with the S bit and no data
    r2t,
    first_data_out,   // of the burst that answers an R2T
    more_data_out,    // further Data-Out of a burst, and all unsolicited ones
    unasked_data_out, // the first of a burst whose R2T is not in the capture
};

// Every open connection keeps a few: 24 bytes, in which a TaskRef has its parts apart.
struct PduRange {
    std::uint64_t start = 0; // offset in the stream; it ends where the next one starts
    std::uint64_t cycle = 0;
    TaskIndex task_index = no_task;
    PduRole role = PduRole::none;

    TaskRef task() const { return {task_index, cycle}; }
};

// A ring of the youngest ranges, in order of offset. Bytes that the other end has acknowledged are
// dropped when room is needed; beyond `limit` the oldest are dropped anyway.
class PduRanges {
public:
    static constexpr std::size_t limit = 65536;
    static constexpr std::size_t not_dropped = 8; // until there are so many, none is

    // A PDU's header has come: [start, end). acked: below it bytes are not expected again.
    void push(std::uint64_t start, std::uint64_t end, TaskRef, PduRole, std::uint64_t acked);
    // The end of the last one is known better now.
    void set_end(std::uint64_t end) { end_ = end; }
    // Behind the last byte whose PDU is known.
    std::uint64_t end() const { return end_; }

    // The range that holds this offset; null: not known (any more, or yet).
    const PduRange *at(std::uint64_t offset) const;

    // visit(const PduRange &) for each range that overlaps [from, to).
    template <class Visitor>
    void visit(std::uint64_t from, std::uint64_t to, Visitor visitor) const {
        for (std::size_t i = index_of(from); i < size_ && entry(i).start < to && from < end_; ++i)
            visitor(entry(i));
    }

private:
    const PduRange &entry(std::size_t i) const { return ring_[(first_ + i) & (ring_.size() - 1)]; }
    // The last entry that starts at or below the offset, else 0.
    std::size_t index_of(std::uint64_t offset) const;
    void add(const PduRange &, std::uint64_t acked);

    std::vector<PduRange> ring_; // a power of two, or empty
    std::size_t first_ = 0, size_ = 0;
    std::uint64_t end_ = 0;
};

} // namespace iscsiscope

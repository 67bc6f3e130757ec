// SPDX-License-Identifier: GPL-2.0-or-later
// PduStreams: the PDUs of one connection in the byte streams of its two directions.
//
// In: the header of each PDU, then its task and its place in the stream, then its end; bytes that pass again.
// Out: the PDU that is under way in a direction, the PDU at a stream offset (PduRanges), how many there were
// of each kind (PduCounts), and the tasks' retransmissions (RepeatedBytes). States of a direction: no PDU
// under way; one, from its header until its end has been dealt with, or until PDU boundaries are lost.
#pragma once

#include "analyzer/cycles/gaps/pdu_ranges.h"
#include "analyzer/cycles/pdus/repeated_bytes.h"
#include "analyzer/cycles/tasks/pdu_counts.h"
#include "analyzer/iscsi/pdu/pdu.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace iscsiscope {

constexpr std::size_t index(PduDirection d) {
    return static_cast<std::size_t>(d);
}

// The PDU of one direction whose header has been delivered and whose last byte has not.
struct OpenPdu {
    bool active = false;
    PduRole role = PduRole::none;
    std::uint64_t offset = 0;
    TaskRef task;
};

class PduStreams {
public:
    // Takes the header of a PDU, which belongs to no task until the caller sets that in what is returned.
    OpenPdu &begin(const Pdu &pdu, PduRole role) {
        return under_way_[index(pdu.direction)] = {true, role, pdu.offset, {}};
    }
    // The role and the task of the PDU that has begun are known. acked: the highest offset of its sender's
    // stream that is acknowledged.
    void place(TaskTable &tasks, const Pdu &pdu, Side sender, std::uint64_t acked) {
        const OpenPdu &placed = under_way_[index(pdu.direction)];
        ranges_[index(sender)].push(pdu.offset, pdu.end_offset, placed.task, placed.role, acked);
        repeated_.place(tasks, ranges_[index(sender)], sender);
    }
    // Takes a PDU whose last byte has been delivered. It is under way until over().
    const OpenPdu &end(const Pdu &pdu, Side sender) {
        ranges_[index(sender)].set_end(pdu.end_offset);
        counts_.add(pdu.direction, pdu.view().opcode());
        return under_way_[index(pdu.direction)];
    }
    // The PDU under way, if there is one, has been dealt with, or PDU boundaries are lost.
    void over(PduDirection d) { under_way_[index(d)].active = false; }
    // Counts a segment with bytes that had passed before for each of their tasks.
    void repeated(TaskTable &tasks, const Connection &tcp, const SegmentReport &report) {
        repeated_.passed(tasks, ranges_[index(report.side)], tcp, report);
    }

    const OpenPdu &under_way(PduDirection d) const { return under_way_[index(d)]; }
    const std::array<PduRanges, 2> &ranges() const { return ranges_; } // by Side of the sender
    const PduCounts &counts() const { return counts_; }

private:
    std::array<OpenPdu, 2> under_way_; // by PduDirection
    std::array<PduRanges, 2> ranges_;  // by Side
    RepeatedBytes repeated_;
    PduCounts counts_;
};

} // namespace iscsiscope

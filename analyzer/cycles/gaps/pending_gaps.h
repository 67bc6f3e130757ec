// SPDX-License-Identifier: GPL-2.0-or-later
// PendingGaps: the gaps of one connection that have ended and are not emitted yet, in order of their end.
//
// In: gaps (push()); what completes their evidence: the PDUs of the connection, the segments of both ends,
// the tcp room's verdicts, commands, a further timeout, the connection's end. Out: each gap once, by
// GapEmitter. States of a gap: pending, while something is open about it (PendingGap) or it is not certain
// whether it lies inside the active life; ready; emitted, when it is ready and no gap before it is pending.
// Bound: max_pending gaps; beyond it the oldest is emitted with the evidence known so far.
#pragma once

#include "analyzer/base/containers/fifo.h"
#include "analyzer/cycles/gaps/evidence/segment_counts.h"
#include "analyzer/cycles/gaps/gap_emitter.h"
#include "analyzer/cycles/gaps/pending_gap.h"
#include "analyzer/cycles/records/no_task_intervals.h"
#include "analyzer/cycles/records/oldest_cycle.h"

namespace iscsiscope {

class PendingGaps {
public:
    static constexpr std::size_t max_pending = 4096;

    // The surroundings must outlive the object.
    explicit PendingGaps(const GapSurroundings &around) : around_(around), emitter_(around) {}

    void push(PendingGap, const SegmentCounts &, Time now);
    // Emits the gaps that are ready; with `all`, all of them, with the evidence known so far.
    void flush(const SegmentCounts &, Time now, bool all);

    // Takes the tcp room's final verdict on the retransmission in a frame.
    void settled(const TcpRetransmission &);
    // A command had waited for the window: so had the sender of the last gap that may show it.
    void command_waited();
    // A task began, and ends this interval. Gaps without an open task that end after `since`, the end of the
    // interval before, are without a task in this one only, which may be shorter than was known when they
    // ended.
    void no_task_interval_ended(Time since, NoTaskIntervals::Interval);
    // A further timeout of this sender without an answer: gaps with its first one were outages too.
    void path_down(Side sender, const SegmentCounts &);
    // The connection was given up: what still waits for its peer will not be answered.
    void given_up(const SegmentCounts &);

    bool empty() const { return gaps_.empty(); }
    void show(OldestCycle &) const;
    // Start of the oldest gap that waits for a verdict, as later gaps wait for it; Time::max() if none.
    Time unsettled_from() const;
    const GapEmitter &emitter() const { return emitter_; }

private:
    bool find_owner(PendingGap &) const;
    bool ready(PendingGap &, const SegmentCounts &, Time now) const;
    void emit_front();

    const GapSurroundings &around_;
    Fifo<PendingGap> gaps_;
    GapEmitter emitter_;
    std::uint32_t verdicts_open_ = 0; // gaps with verdict_open, a count
    std::uint32_t owned_ = 0;         // the oldest gaps whose PDU has been found, a count
};

} // namespace iscsiscope

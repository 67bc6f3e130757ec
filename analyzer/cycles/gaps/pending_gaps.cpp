// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/gaps/pending_gaps.h"

#include "analyzer/cycles/tasks/task_table.h"

#include <algorithm>

namespace iscsiscope {
namespace {

bool peer_silent(const PendingGap &gap, const SegmentCounts &segments) {
    return segments.of(other(gap.side)) == gap.peer_segments;
}

} // namespace

void PendingGaps::push(PendingGap gap, const SegmentCounts &segments, Time now) {
    if (gaps_.empty() && ready(gap, segments, now)) {
        emitter_.emit(gap);
        return;
    }
    verdicts_open_ += gap.verdict_open ? 1 : 0;
    gaps_.push(gap);
    flush(segments, now, false);
    if (gaps_.size() > max_pending)
        emit_front();
}

void PendingGaps::flush(const SegmentCounts &segments, Time now, bool all) {
    while (!gaps_.empty() && (ready(gaps_.front(), segments, now) || all)) {
        emit_front();
        if (gaps_.empty())
            gaps_.release(); // gaps are pending rarely and briefly: most connections need no memory
    }
    // Gaps after the first may be pending for long, and PduRanges drops ranges in the meantime.
    while (owned_ < gaps_.size() && find_owner(gaps_[owned_]))
        ++owned_;
}

void PendingGaps::emit_front() {
    verdicts_open_ -= gaps_.front().verdict_open ? 1 : 0;
    emitter_.emit(gaps_.front());
    gaps_.pop();
    owned_ -= owned_ > 0 ? 1 : 0;
}

bool PendingGaps::ready(PendingGap &gap, const SegmentCounts &segments, Time now) const {
    if (!find_owner(gap))
        return false;
    if (gap.verdict_open && !gap.evidence.path_broke)
        return false;
    if ((gap.peer_awaited || gap.maybe_down) && !gap.evidence.path_broke && peer_silent(gap, segments))
        return false;
    if (gap.window_opened_until && now <= *gap.window_opened_until)
        return false;
    // Whether the gap lies inside the active life must be certain: its end is, or the life has not begun.
    return !around_.life.started() || around_.open.count > 0 || around_.life.end() >= gap.evidence.end;
}

// Finds the PDU of the byte that ended the gap. Returns false if its header has not been delivered yet.
bool PendingGaps::find_owner(PendingGap &gap) const {
    if (!gap.owner_wanted)
        return true;
    const PduRanges &ranges = around_.ranges[index(gap.side)];
    if (const PduRange *range = ranges.at(gap.owner_offset)) {
        gap.evidence.role = range->role;
        gap.evidence.at_pdu_start = range->start == gap.owner_offset;
        if (range->task_index != no_task)
            gap.cycle = range->cycle;
    } else if (ranges.end() <= gap.owner_offset) {
        return false;
    }
    gap.owner_wanted = false;
    // The hole before the ending frame's bytes was never filled.
    if (gap.opened_hole && around_.tcp.end(gap.side).missed_bytes() > gap.unseen_mark)
        gap.evidence.bytes_missed = true;
    return true;
}

void PendingGaps::settled(const TcpRetransmission &verdict) {
    for (std::size_t i = 0; verdicts_open_ != 0 && i < gaps_.size(); ++i) {
        PendingGap &gap = gaps_[i];
        if (!gap.verdict_open || gap.after != verdict.frame || gap.side != verdict.sender)
            continue;
        gap.verdict_open = false;
        --verdicts_open_;
        gap.evidence.tcp.kind = verdict.kind;
        gap.evidence.tcp.recovers = verdict.kind != RetransmissionClass::spurious;
        return;
    }
}

Time PendingGaps::unsettled_from() const {
    for (std::size_t i = 0; verdicts_open_ != 0 && i < gaps_.size(); ++i)
        if (gaps_[i].verdict_open)
            return gaps_[i].evidence.start;
    return Time::max();
}

void PendingGaps::command_waited() {
    for (std::size_t i = gaps_.size(); i > 0; --i)
        if (PendingGap &gap = gaps_[i - 1]; gap.window_opened_until) {
            gap.window_opened_until.reset();
            gap.evidence.waited_for_window = true;
            return;
        }
}

void PendingGaps::no_task_interval_ended(Time since, NoTaskIntervals::Interval without_task) {
    for (std::size_t i = 0; i < gaps_.size(); ++i) {
        PendingGap &gap = gaps_[i];
        const GapEvidence &e = gap.evidence;
        if (!gap.parts.open && e.end > since)
            gap.parts.without_task = std::max(Duration{}, std::min(e.end, without_task.end) -
                                                              std::max(e.start, without_task.begin));
    }
}

void PendingGaps::path_down(Side sender, const SegmentCounts &segments) {
    for (std::size_t i = 0; i < gaps_.size(); ++i)
        if (PendingGap &gap = gaps_[i]; gap.maybe_down && gap.side == sender && peer_silent(gap, segments))
            gap.evidence.path_broke = true;
}

void PendingGaps::given_up(const SegmentCounts &segments) {
    for (std::size_t i = 0; i < gaps_.size(); ++i)
        if (PendingGap &gap = gaps_[i]; gap.peer_awaited && peer_silent(gap, segments))
            gap.evidence.path_broke = true;
}

void PendingGaps::show(OldestCycle &oldest) const {
    for (std::size_t i = 0; i < gaps_.size(); ++i) {
        oldest.see(gaps_[i].cycle);
        oldest.see(gaps_[i].parts.oldest);
    }
}

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/range_sink.h"

#include <algorithm>

namespace iscsiscope {

void RangeSink::relay(const PduRecord &r) {
    if (!whole()) {
        if (!range_.contains(r.pdu.first_seen))
            return;
        Inside &in = inside_[r.connection->stream];
        in.pdus.add(static_cast<std::size_t>(r.pdu.direction),
                    static_cast<std::size_t>(r.pdu.view().opcode()));
    }
    next().put(r);
}

void RangeSink::relay(const PassedRecord &r) {
    if (!holds(r.time))
        return;
    if (!whole()) {
        Inside &in = inside_[r.stream];
        in.bytes[static_cast<std::size_t>(r.direction)] += r.captured;
        in.unseen[static_cast<std::size_t>(r.direction)] += r.unseen;
    }
    next().put(r);
}

void RangeSink::relay(const CycleRecord &r) {
    if (!whole()) {
        if (!range_.contains(r.end))
            return;
        ++inside_[r.stream].tasks;
    }
    next().put(r);
}

void RangeSink::relay(const GapRecord &gap) {
    if (whole())
        return next().put(gap);
    GapRecord r = gap;
    // The active life begins with a frame, so that only its end can fall inside a gap.
    r.active_part = gap.in_active_life ? range_.overlap(gap.start, gap.active_part) : Duration{0};
    if (r.active_part <= Duration{0})
        return;
    Inside &in = inside_[r.stream];
    in.gap_time[static_cast<std::size_t>(r.kind)] += r.active_part;
    ++in.gaps[static_cast<std::size_t>(r.kind)];
    next().put(r);
}

void RangeSink::relay(const NoTaskRecord &record) {
    NoTaskRecord r = record;
    if (!whole()) {
        r.start = std::max(r.start, range_.begin());
        r.length = range_.overlap(record.start, record.length);
        if (r.length <= Duration{0})
            return;
    }
    next().put(r);
}

void RangeSink::relay(const LedgerEntry &entry) {
    if (whole())
        return next().put(entry);
    LedgerEntry e = entry;
    e.start = std::max(e.start, range_.begin());
    e.length = range_.overlap(entry.start, entry.length);
    if (e.length <= Duration{0})
        return;
    inside_[e.stream].owners += e.owners();
    next().put(e);
}

void RangeSink::relay(const EventRecord &r) {
    if (holds(r.time))
        next().put(r);
}

void RangeSink::relay(const LoginRecord &r) {
    if (r.login->accepted || holds(r.login->end))
        next().put(r);
}

void RangeSink::relay(const RetransmissionRecord &r) {
    if (holds(r.time))
        next().put(r);
}

void RangeSink::relay(const ReorderingRecord &r) {
    if (holds(r.time))
        next().put(r);
}

void RangeSink::relay(const TcpDirectionRecord &r) {
    if (whole() || range_.touches(r.figures->start, r.figures->end))
        next().put(r);
}

void RangeSink::relay(const OutageRecord &r) {
    if (whole() || range_.touches(r.outage.start, r.outage.end))
        next().put(r);
}

void RangeSink::relay(const AttemptRecord &r) {
    if (whole() || range_.touches(r.start, r.end))
        next().put(r);
}

void RangeSink::relay(const ConnectionRecord &record) {
    if (whole())
        return next().put(record);
    Inside in;
    if (const auto found = inside_.find(record.stream); found != inside_.end()) {
        in = found->second;
        inside_.erase(found);
    }
    if (!range_.touches(record.start, record.end))
        return;
    ConnectionRecord r = record;
    r.tasks = in.tasks;
    r.bytes_to_target = in.bytes[0];
    r.bytes_to_initiator = in.bytes[1];
    r.unseen_to_target = in.unseen[0];
    r.unseen_to_initiator = in.unseen[1];
    r.pdus = in.pdus;
    r.gap_time = in.gap_time;
    r.gaps = in.gaps;
    r.transfer = Duration{0};
    if (r.active_start && r.active_end) {
        const Duration active = range_.overlap(*r.active_start, *r.active_end - *r.active_start);
        Duration gaps{0};
        for (const Duration d : r.gap_time)
            gaps += d;
        r.transfer = active - gaps;
        r.owners = in.owners;
        // Busy time is what the ledger holds of the range.
        const Duration busy = std::min(active, in.owners.sum());
        r.owners.complete(busy);
        if (r.without_task)
            r.without_task = active - busy;
        r.active_start = std::clamp(*r.active_start, range_.begin(), range_.end());
        r.active_end = std::clamp(*r.active_end, range_.begin(), range_.end());
    }
    next().put(r);
}

} // namespace iscsiscope

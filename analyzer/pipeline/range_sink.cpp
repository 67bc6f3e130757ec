// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/range_sink.h"

#include <algorithm>

namespace iscsiscope {

void RangeSink::on_anomaly(const Anomaly &r) {
    next_.on_anomaly(r); // has no time
}

void RangeSink::on_pdu(const Connection &c, const Pdu &p) {
    if (whole()) {
        return next_.on_pdu(c, p);
    }
    if (!range_.contains(p.first_seen)) {
        return;
    }
    Inside &in = inside_[c.stream];
    const auto direction = static_cast<std::size_t>(p.direction);
    in.bytes[direction] += p.end_offset - p.offset;
    ++in.pdus[direction][static_cast<std::size_t>(p.view().opcode())];
    next_.on_pdu(c, p);
}

void RangeSink::on_cycle(const CycleRecord &r) {
    if (!whole()) {
        if (!range_.contains(r.end)) {
            return;
        }
        ++inside_[r.stream].tasks;
    }
    next_.on_cycle(r);
}

void RangeSink::on_burst(const BurstRecord &r) {
    next_.on_burst(r);
}

void RangeSink::on_gap(const GapRecord &gap) {
    if (whole()) {
        return next_.on_gap(gap);
    }
    GapRecord r = gap;
    // Only the end of the active life can fall inside a gap: its beginning is a frame.
    r.active_part = gap.in_active_life ? range_.overlap(gap.start, gap.active_part) : Duration{0};
    if (r.active_part <= Duration{0}) {
        return;
    }
    Inside &in = inside_[r.stream];
    in.gap_time[static_cast<std::size_t>(r.kind)] += r.active_part;
    ++in.gaps[static_cast<std::size_t>(r.kind)];
    next_.on_gap(r);
}

void RangeSink::on_event(const EventRecord &r) {
    if (whole() || range_.contains(r.time)) {
        next_.on_event(r);
    }
}

void RangeSink::on_lun(const LunRecord &r) {
    next_.on_lun(r);
}

void RangeSink::on_session(const SessionRecord &r) {
    next_.on_session(r);
}

void RangeSink::on_login(const Connection &c, const Login &r) {
    if (whole() || r.accepted || range_.contains(r.end)) {
        next_.on_login(c, r);
    }
}

void RangeSink::on_member(const Connection &c, Side s, std::uint64_t session) {
    next_.on_member(c, s, session);
}

void RangeSink::on_retransmission(const Connection &c, PduDirection d, const TcpRetransmission &r) {
    if (whole() || range_.contains(r.time)) {
        next_.on_retransmission(c, d, r);
    }
}

void RangeSink::on_reordering(const Connection &c, PduDirection d, const TcpReordering &r) {
    if (whole() || range_.contains(r.time)) {
        next_.on_reordering(c, d, r);
    }
}

void RangeSink::on_tcp_direction(const Connection &c, PduDirection d, const TcpDirectionFigures &f) {
    if (whole() || range_.touches(f.start, f.end)) {
        next_.on_tcp_direction(c, d, f);
    }
}

void RangeSink::on_connection(const ConnectionRecord &record) {
    if (whole()) {
        return next_.on_connection(record);
    }
    Inside in;
    if (const auto found = inside_.find(record.stream); found != inside_.end()) {
        in = found->second;
        inside_.erase(found);
    }
    if (!range_.touches(record.start, record.end)) {
        return;
    }
    ConnectionRecord r = record;
    r.tasks = in.tasks;
    r.bytes_to_target = in.bytes[0];
    r.bytes_to_initiator = in.bytes[1];
    r.pdus = in.pdus;
    r.gap_time = in.gap_time;
    r.gaps = in.gaps;
    r.transfer = Duration{0};
    if (r.active_start && r.active_end) {
        Duration gaps{0};
        for (const Duration d : r.gap_time) {
            gaps += d;
        }
        r.transfer = range_.overlap(*r.active_start, *r.active_end - *r.active_start) - gaps;
        r.active_start = std::clamp(*r.active_start, range_.begin(), range_.end());
        r.active_end = std::clamp(*r.active_end, range_.begin(), range_.end());
    }
    next_.on_connection(r);
}

} // namespace iscsiscope

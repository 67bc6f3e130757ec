// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/figures/totals.h"

#include "analyzer/base/ratio.h"
#include "analyzer/tallies/segment_sums.h"

#include <algorithm>

namespace iscsiscope {

TaskSums task_totals(const Report &r) {
    TaskSums all;
    for (const TypeTally &t : r.types)
        all.merge(t);
    return all;
}

std::optional<Duration> elapsed(const Report &r) {
    if (r.at_initiator.empty())
        return std::nullopt;
    return std::min(r.at_initiator.end, r.range.end()) - std::max(r.at_initiator.start, r.range.begin());
}

std::uint64_t anomaly_count(const Report &r) {
    std::uint64_t n = 0;
    for (const AnomalyTally &a : r.anomalies)
        n += a.count;
    return n;
}

void SegmentTotals::add(const ConnectionRecord &c) {
    segments += c.segments_to_target + c.segments_to_initiator;
    repeated += c.repeated_to_target + c.repeated_to_initiator;
    share = quotient(repeated, segments);
    if (c.rtt_to_initiator && c.rtt_to_target) {
        const Duration rtt = *c.rtt_to_initiator + *c.rtt_to_target;
        min_rtt = std::min(min_rtt.value_or(rtt), rtt);
    }
}

SegmentTotals segment_totals(const Report &r) {
    SegmentTotals all;
    for (const ConnectionRecord &c : r.connections)
        all.add(c);
    SegmentSums sums;
    for (const TcpDirectionRow &d : r.tcp)
        sums.add(*d.figures);
    all.lost_before_tap = sums.lost_before_tap;
    return all;
}

std::uint64_t connection_count(const Report &r) {
    return r.connections.size() + r.connections_left_out;
}

std::optional<std::uint64_t> dropped_packets(const CaptureInfo &info) {
    std::optional<std::uint64_t> sum;
    for (const CaptureInterface &i : info.interfaces)
        if (i.dropped)
            sum = sum.value_or(0) + *i.dropped;
    return sum;
}

std::optional<std::uint64_t> dropped_by_mirror(const CaptureSummary &c) {
    std::optional<std::uint64_t> sum;
    for (const MirrorSession &m : c.mirrors)
        sum = sum.value_or(0) + m.dropped;
    return sum;
}

std::uint64_t mirrored_packets(const CaptureSummary &c) {
    std::uint64_t sum = 0;
    for (const MirrorSession &m : c.mirrors)
        sum += m.packets;
    return sum;
}

std::uint32_t snap_length(const CaptureInfo &info) {
    std::uint32_t longest = 0;
    for (const CaptureInterface &i : info.interfaces)
        longest = std::max(longest, i.snap_length);
    return longest;
}

} // namespace iscsiscope

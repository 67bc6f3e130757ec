// SPDX-License-Identifier: GPL-2.0-or-later
// Totals over the task types, anomalies, connections and interfaces of a report, and the time that its tasks
// took together (docs/figures.md, "Task and cycle").
#pragma once

#include "analyzer/figures/report.h"

namespace iscsiscope {

// Tasks of all types.
TaskSums task_totals(const Report &);

// Returns the time from the first command to the last end as the initiator has them, within the range; empty
// without a task.
std::optional<Duration> elapsed(const Report &);

// Returns the number of anomalies of all kinds.
std::uint64_t anomaly_count(const Report &);

// TCP segments with payload, both directions together.
struct SegmentTotals {
    std::uint64_t segments = 0;
    std::uint64_t repeated = 0;        // those with bytes that had passed the tap before
    std::uint64_t lost_before_tap = 0; // lost before they could pass the tap, seen when they were sent again
    std::optional<double> share;       // repeated / segments; empty without segments
    std::optional<Duration> min_rtt;   // among connections whose two tap-side round trips are known

    void add(const ConnectionRecord &);
};
// Covers the connections that the report lists.
SegmentTotals segment_totals(const Report &);

// Returns the number of iSCSI connections, including those that are not listed.
std::uint64_t connection_count(const Report &);
// Returns the number of packets that the capturing host dropped; empty if no interface states it.
std::optional<std::uint64_t> dropped_packets(const CaptureInfo &);
// Returns the number of packets that ERSPAN mirrors sent and that did not reach the capture; empty if no
// mirror numbers its packets.
std::optional<std::uint64_t> dropped_by_mirror(const CaptureSummary &);
// Returns the number of numbered packets of ERSPAN mirrors that the capture holds.
std::uint64_t mirrored_packets(const CaptureSummary &);
// Returns the greatest snap length of an interface in bytes; 0 if none is stated.
std::uint32_t snap_length(const CaptureInfo &);

} // namespace iscsiscope

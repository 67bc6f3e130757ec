// SPDX-License-Identifier: GPL-2.0-or-later
// Batch: what is on its way from a capture to the sinks: consecutive frames as works (segments and closings),
// and the records that they cause. It is filled, then worked off by several threads (BatchWorks), then
// delivered (RecordDelivery).
#pragma once

#include "analyzer/cycles/records/record_log.h"
#include "analyzer/pipeline/batch/segment_batch.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace iscsiscope {

// A segment with its placement, or a closing.
struct Work {
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    const Segment *segment = nullptr;
    const Placement *at = nullptr;
    const Closing *closing = nullptr;
    std::uint32_t next = none;        // the next work of the same connection that is put off
    LoggedRecords *records = nullptr; // where those are that it caused, once it is worked off

    std::uint32_t slot() const { return closing != nullptr ? closing->slot : at->slot; }
    bool opens() const { return closing == nullptr && at->opens; }
};

struct Batch {
    struct NotedAnomaly {
        std::uint32_t before = 0; // the work
        Anomaly anomaly;
    };

    SegmentBatch segments; // to which works point, where a SegmentReader filled it
    std::vector<Work> works;
    std::vector<NotedAnomaly> anomalies;
    std::vector<std::unique_ptr<LoggedRecords>> records; // of each thread
    // How many connections had works that were put off, once it is worked off.
    std::size_t connections = 0;
    // Of records to come none names an older task, by the numbers of the follower.
    CycleId oldest_cycle;

    // What they point to must stay where it is until the batch is delivered.
    void add(const Segment &s, const Placement &at) { works.push_back({.segment = &s, .at = &at}); }
    void add(const Closing &c) { works.push_back({.closing = &c}); }
    void add(const Anomaly &a) { anomalies.push_back({static_cast<std::uint32_t>(works.size()), a}); }
    // Adds all that is in `segments`.
    void add_segments() {
        segments.each([this](const Anomaly &a) { add(a); }, [this](const Closing &c) { add(c); },
                      [this](const Segment &s, const Placement &at) { add(s, at); });
    }
    void clear() { // but for `segments`
        works.clear();
        anomalies.clear();
        for (const auto &of_thread : records)
            of_thread->clear();
    }
};

} // namespace iscsiscope

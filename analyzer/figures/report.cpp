// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/figures/report.h"

#include <algorithm>

namespace iscsiscope {

std::uint64_t Report::anomaly_count() const {
    std::uint64_t n = 0;
    for (const AnomalyTally &a : anomalies)
        n += a.count;
    return n;
}

std::optional<Duration> Report::elapsed() const {
    if (at_initiator.empty())
        return std::nullopt;
    return std::min(at_initiator.end, range.end()) - std::max(at_initiator.start, range.begin());
}

} // namespace iscsiscope

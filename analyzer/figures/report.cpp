// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/figures/report.h"

#include <algorithm>
#include <numeric>

namespace iscsiscope {

std::uint64_t Report::anomaly_count() const {
    return std::accumulate(
        anomalies.begin(), anomalies.end(), std::uint64_t{0},
        [](std::uint64_t n, const AnomalyTally &a) { return n + a.count; });
}

std::optional<Duration> Report::elapsed() const {
    if (!first_left || !last_back)
        return std::nullopt;
    return std::min(*last_back, range.end()) - std::max(*first_left, range.begin());
}

} // namespace iscsiscope

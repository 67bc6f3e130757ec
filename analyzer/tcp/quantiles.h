// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the quantiles that figures show from a histogram.
#pragma once

#include "analyzer/base/histogram.h"
#include "analyzer/tcp/tcp_figures.h"

namespace iscsiscope {

// The histogram's values are nanoseconds.
inline TcpQuantiles quantiles_of(const Histogram &h) {
    TcpQuantiles q;
    q.samples = h.count();
    if (h.count() == 0)
        return q;
    const auto at = [&](double share) { return Duration{h.quantile(share).value_or(0)}; };
    q.minimum = Duration{h.minimum().value_or(0)};
    q.median = at(0.5);
    q.p95 = at(0.95);
    q.p99 = at(0.99);
    q.maximum = Duration{h.maximum().value_or(0)};
    return q;
}

} // namespace iscsiscope

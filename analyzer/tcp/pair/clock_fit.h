// SPDX-License-Identifier: GPL-2.0-or-later
// The line below one-way differences: offset and drift of two clocks.
#pragma once

#include <cstddef>
#include <vector>

namespace iscsiscope {

// Differences of one way, in the order of time. Keeps the lower convex hull only.
class LowerEnvelope {
public:
    // seconds: on a's clock from the reference; difference: ns. Seconds must not fall.
    void add(double seconds, double difference);
    bool empty() const { return points_.empty(); }
    // The greatest c with c + slope · t ≤ difference everywhere.
    double below(double slope) const;

private:
    struct Point {
        double t, y;
    };
    std::vector<Point> points_;
};

struct ClockFit {
    double offset = 0;    // ns at the reference
    double drift = 0;     // ns per second
    double half_loop = 0; // half the least round trip, ns
};

// forward: b − a of segments that pass a first; backward: a − b of those that pass b first. The drift is the
// slope for which both envelopes lie highest. fit_drift: else none.
ClockFit fit_clocks(const LowerEnvelope &forward, const LowerEnvelope &backward, bool fit_drift);

} // namespace iscsiscope

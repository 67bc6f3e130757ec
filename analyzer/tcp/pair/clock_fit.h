// SPDX-License-Identifier: GPL-2.0-or-later
// Finds offset and drift of two clocks from the lower envelopes of one-way time differences.
#pragma once

#include <cstddef>
#include <vector>

namespace iscsiscope {

// The lower convex hull of the time differences in one direction, added in the order of time.
class LowerEnvelope {
public:
    // seconds: time since the reference on a's clock, not descending; difference: ns.
    void add(double seconds, double difference);
    bool empty() const { return points_.empty(); }
    // Returns the greatest c with c + slope · t ≤ difference for all points.
    double below(double slope) const;

private:
    struct Point {
        double t, y;
    };
    std::vector<Point> points_;
};

struct ClockFit {
    double offset = 0;   // ns at the reference
    double drift = 0;    // ns per second
    double half_rtt = 0; // ns, half the least round trip between the captures
};

// forward: b − a of segments that pass a first; backward: a − b of those that pass b first. The drift is the
// slope for which the sum of both envelopes is greatest; without fit_drift it is 0.
ClockFit fit_clocks(const LowerEnvelope &forward, const LowerEnvelope &backward, bool fit_drift);

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/pair/clock_fit.h"

#include <limits>

namespace iscsiscope {
namespace {

// The largest drift assumed of a computer's clock, ns per second: 1,000 ppm.
constexpr double largest_drift = 1e6;

} // namespace

void LowerEnvelope::add(double seconds, double difference) {
    if (!points_.empty() && points_.back().t >= seconds) { // of equal times the lowest point counts
        if (difference >= points_.back().y)
            return;
        seconds = points_.back().t;
        points_.pop_back();
    }
    const Point next{seconds, difference};
    while (points_.size() >= 2) {
        const Point &a = points_[points_.size() - 2], &b = points_.back();
        if ((b.t - a.t) * (next.y - a.y) > (next.t - a.t) * (b.y - a.y))
            break; // b lies below the line from a to the next one
        points_.pop_back();
    }
    points_.push_back(next);
}

double LowerEnvelope::below(double slope) const {
    double least = std::numeric_limits<double>::max();
    for (const Point &p : points_) {
        const double c = p.y - slope * p.t;
        least = c < least ? c : least;
    }
    return least;
}

ClockFit fit_clocks(const LowerEnvelope &forward, const LowerEnvelope &backward, bool fit_drift) {
    const auto round_trip = [&](double drift) { return forward.below(drift) + backward.below(-drift); };
    double low = fit_drift ? -largest_drift : 0, high = fit_drift ? largest_drift : 0;
    // Ternary search: the sum is concave in the drift. 60 steps leave less than 0.001 ns per second.
    for (int i = 0; fit_drift && i < 60; ++i) {
        const double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (round_trip(a) < round_trip(b))
            low = a;
        else
            high = b;
    }
    ClockFit fit;
    fit.drift = (low + high) / 2;
    const double f = forward.below(fit.drift), b = backward.below(-fit.drift);
    fit.offset = (f - b) / 2;
    fit.half_rtt = (f + b) / 2;
    return fit;
}

} // namespace iscsiscope

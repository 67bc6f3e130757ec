// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/pair/clock_relation.h"

#include "analyzer/tcp/pair/clock_fit.h"

#include <algorithm>
#include <cmath>

namespace iscsiscope {
namespace {

using namespace std::chrono_literals;

constexpr Duration drift_needs = 1s;

// One matched segment for the clock fit: its time by a's clock, b − a, and whether it passed a first.
struct Difference {
    Time at{};
    Duration difference{};
    bool forward = false;
};

} // namespace

std::optional<ClockRelation> measure_clocks(const std::vector<ConnectionMatch> &connections) {
    std::vector<Difference> all;
    for (const ConnectionMatch &c : connections)
        c.each([&](Side s, const PairSegment &a, const PairSegment &b) {
            all.push_back({a.time, b.time - a.time, c.a_first(s)});
        });
    if (all.empty())
        return std::nullopt;
    std::sort(all.begin(), all.end(), [](const Difference &x, const Difference &y) { return x.at < y.at; });
    ClockRelation clock;
    const Duration span = all.back().at - all.front().at;
    clock.reference = all.front().at + span / 2;
    // Differences are taken relative to the first one, which keeps the numbers small.
    const Duration base = all.front().difference;
    LowerEnvelope forward, backward;
    for (const Difference &d : all) {
        const double t = static_cast<double>((d.at - *clock.reference).count()) * 1e-9;
        const auto y = static_cast<double>((d.difference - base).count());
        (d.forward ? forward : backward).add(t, d.forward ? y : -y);
    }
    if (forward.empty() || backward.empty())
        return std::nullopt;
    clock.drift_known = span >= drift_needs;
    const ClockFit fit = fit_clocks(forward, backward, clock.drift_known);
    clock.offset = base + Duration{std::llround(fit.offset)};
    clock.drift_ppm = fit.drift / 1000;
    clock.asymmetry = Duration{std::max(0LL, std::llround(fit.half_rtt))};
    clock.segments = all.size();
    return clock;
}

SameClockCheck check_same_clock(const std::vector<ConnectionMatch> &connections, Duration precision) {
    SameClockCheck check;
    check.precision = precision;
    check.measured = measure_clocks(connections);
    for (const ConnectionMatch &c : connections)
        c.each([&](Side s, const PairSegment &a, const PairSegment &b) {
            const Duration delay = c.a_first(s) ? b.time - a.time : a.time - b.time;
            check.least = check.segments == 0 ? delay : std::min(check.least, delay);
            check.negative += delay < -precision ? 1 : 0;
            ++check.segments;
        });
    return check;
}

ClockRelation same_clock_relation(const SameClockCheck &check) {
    ClockRelation clock;
    clock.reference = check.measured ? check.measured->reference : std::nullopt;
    clock.drift_known = clock.same_clock = true;
    clock.segments = check.segments;
    return clock;
}

Time ClockRelation::to_a(Time b) const {
    const Time near = b - offset;
    if (!reference)
        return near;
    const auto drifted = static_cast<double>((near - *reference).count()) * drift_ppm * 1e-6;
    return near - Duration{std::llround(drifted)};
}

} // namespace iscsiscope

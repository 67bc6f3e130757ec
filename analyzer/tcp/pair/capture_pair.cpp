// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/pair/capture_pair.h"

#include "analyzer/tcp/pair/clock_relation.h"
#include "analyzer/tcp/pair/contents.h"
#include "analyzer/tcp/quantiles.h"

#include <algorithm>
#include <set>

namespace iscsiscope {
namespace {

// The time from a capture's first frame to its last, on a's clock.
struct Span {
    Time from{}, to{};
    bool holds(Time t) const { return from <= t && t <= to; }
};

// loop: the least round trip between the captures.
void compare_direction(const ConnectionMatch &c, Side s, const std::optional<ClockRelation> &clock,
                       Duration round_trip, Span span_a, Span span_b, PairedConnection &out) {
    PairedDirection &d = out.directions[index(s)];
    const auto &a = c.sent_a(s).all, &b = c.sent_b(s).all;
    const auto &matches = c.matches[index(s)];
    d.a_first = c.a_first(s);
    d.contents = compare_contents(c, s);
    d.segments_a = a.size();
    d.segments_b = b.size();
    const auto on_a = [&](Time t) { return clock ? clock->to_a(t) : t; };
    const bool comparable = clock && std::any_of(matches.begin(), matches.end(), [](std::size_t j) {
                                return j != ConnectionMatch::no_match;
                            });
    std::set<FrameNumber> misdirected; // of the first capture; they are damaged, not lost
    for (const ConnectionMatch::Misdirected &m : c.misdirected[index(s)])
        misdirected.insert(m.sent->frame);
    std::vector<bool> found_b(b.size(), false);
    Histogram delays;
    std::optional<Duration> least;
    std::size_t furthest = 0;
    bool any = false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const std::size_t j = matches[i];
        if (j == ConnectionMatch::no_match) {
            if (misdirected.contains(a[i].frame) && d.a_first)
                continue;
            // A direction without any match is one that the other capture does not have, not one that is
            // lost. Near the start or end of the other capture the segment may have passed outside of it.
            if (a[i].length > 0 && comparable && span_b.holds(a[i].time - round_trip) &&
                span_b.holds(a[i].time + round_trip)) {
                if (d.a_first)
                    d.lost.push_back({a[i].frame, a[i].time, a[i].offset, a[i].length});
                else
                    ++d.unmatched_second;
            }
            continue;
        }
        found_b[j] = true;
        ++d.matched;
        d.overtaken += any && j < furthest ? 1 : 0;
        furthest = std::max(furthest, j);
        any = true;
        const Duration way = on_a(b[j].time) - a[i].time, raw = b[j].time - a[i].time;
        const Duration delay = d.a_first ? way : -way, difference = d.a_first ? raw : -raw;
        least = std::min(least.value_or(difference), difference);
        delays.add(delay.count());
        out.segments.push_back({a[i].frame, b[j].frame, a[i].time, b[j].time, a[i].length, s, delay});
    }
    for (std::size_t j = 0; j < b.size(); ++j) {
        if (found_b[j] || b[j].length == 0 || !comparable || (!d.a_first && misdirected.contains(b[j].frame)))
            continue;
        const Time at = on_a(b[j].time);
        if (!span_a.holds(at - round_trip) || !span_a.holds(at + round_trip))
            continue;
        if (d.a_first)
            ++d.unmatched_second;
        else
            d.lost.push_back({b[j].frame, b[j].time, b[j].offset, b[j].length});
    }
    d.min_difference = least.value_or(Duration{});
    d.delay = quantiles_of(delays);
}

} // namespace

FrameNumber PairedConnection::in_b(FrameNumber frame_a) const {
    const auto p = std::lower_bound(segments.begin(), segments.end(), frame_a,
                                    [](const PairedSegment &s, FrameNumber f) { return s.frame_a < f; });
    return p != segments.end() && p->frame_a == frame_a ? p->frame_b : 0;
}

FrameNumber PairedConnection::in_a(FrameNumber frame_b) const {
    const auto p = std::lower_bound(by_frame_b.begin(), by_frame_b.end(), frame_b,
                                    [&](std::size_t i, FrameNumber f) { return segments[i].frame_b < f; });
    return p != by_frame_b.end() && segments[*p].frame_b == frame_b ? segments[*p].frame_a : 0;
}

PairFigures solve(const PairSide &a, const PairSide &b, const PairOptions &options) {
    const PairSide::State &sa = *a.state_, &sb = *b.state_;
    PairFigures figures;
    const std::vector<ConnectionMatch> connections =
        match_connections(sa.streams, sb.streams, options.same_clock);
    figures.only_a = sa.streams.size() - connections.size();
    figures.only_b = sb.streams.size() - connections.size();
    Duration round_trip{};
    if (options.same_clock) {
        const SameClockCheck check = check_same_clock(connections, options.precision);
        figures.clock = check.holds() ? same_clock_relation(check) : check.measured;
        round_trip = 2 * (check.measured ? check.measured->asymmetry : std::max(check.least, Duration{}));
        figures.same_clock = check;
    } else {
        figures.clock = measure_clocks(connections);
        round_trip = figures.clock ? 2 * figures.clock->asymmetry : Duration{};
    }
    const auto on_a = [&](Time t) { return figures.clock ? figures.clock->to_a(t) : t; };
    const Span span_a{sa.first, sa.last}, span_b{on_a(sb.first), on_a(sb.last)};
    for (const ConnectionMatch &c : connections) {
        PairedConnection out;
        out.stream_a = c.a->stream;
        out.stream_b = c.b->stream;
        out.by = c.by;
        out.opener = c.a->opener;
        out.acceptor = c.a->acceptor;
        for (const Side s : {Side::opener, Side::acceptor})
            compare_direction(c, s, figures.clock, round_trip, span_a, span_b, out);
        auto &segments = out.segments;
        std::sort(segments.begin(), segments.end(),
                  [](const PairedSegment &x, const PairedSegment &y) { return x.frame_a < y.frame_a; });
        out.by_frame_b.resize(segments.size());
        for (std::size_t i = 0; i < segments.size(); ++i)
            out.by_frame_b[i] = i;
        std::sort(out.by_frame_b.begin(), out.by_frame_b.end(),
                  [&](std::size_t x, std::size_t y) { return segments[x].frame_b < segments[y].frame_b; });
        figures.connections.push_back(std::move(out));
    }
    return figures;
}

} // namespace iscsiscope

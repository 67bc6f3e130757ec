// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/pair/capture_pair.h"

#include "analyzer/tcp/pair/clock_fit.h"
#include "analyzer/tcp/pair/pair_side.h"
#include "analyzer/tcp/quantiles.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace iscsiscope {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t no_match = ~std::size_t{0};
constexpr Duration drift_needs = 1s;

// Returns the index in b of each segment of a, or no_match. Equal fingerprints are matched in order.
std::vector<std::size_t> match(const std::vector<PairSegment> &a, const std::vector<PairSegment> &b) {
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> places; // last first
    places.reserve(b.size());
    for (std::size_t i = b.size(); i-- > 0;)
        places[b[i].fingerprint].push_back(i);
    std::vector<std::size_t> found(a.size(), no_match);
    for (std::size_t i = 0; i < a.size(); ++i)
        if (const auto p = places.find(a[i].fingerprint); p != places.end() && !p->second.empty()) {
            found[i] = p->second.back();
            p->second.pop_back();
        }
    return found;
}

struct Candidate {
    const PairStream *a = nullptr, *b = nullptr;
    bool turned = false; // b's opener is a's acceptor (without a SYN the first frame decides)
    PairMatch by = PairMatch::initial_sequence;
    std::array<std::vector<std::size_t>, 2> matches; // by Side of a: index in b's segments
    bool opener_first = true;                        // the opener's segments pass capture a first

    const std::vector<PairSegment> &sent_b(Side s) const { return b->sent[index(turned ? other(s) : s)]; }
    std::size_t matched() const {
        std::size_t n = 0;
        for (const auto &m : matches)
            n += static_cast<std::size_t>(
                std::count_if(m.begin(), m.end(), [](std::size_t i) { return i != no_match; }));
        return n;
    }
};

// Returns whether the endpoints are equal, and the initial sequence numbers where both captures hold them.
bool may_be_same(const PairStream &a, const PairStream &b, Candidate &c) {
    c.turned = a.opener == b.acceptor && a.acceptor == b.opener;
    if (!c.turned && !(a.opener == b.opener && a.acceptor == b.acceptor))
        return false;
    c.by = PairMatch::sequence_range;
    for (std::size_t s = 0; s < 2; ++s) {
        const std::size_t t = c.turned ? 1 - s : s;
        if (!a.syn_seen[s] || !b.syn_seen[t])
            continue;
        if (a.initial_sequence[s] != b.initial_sequence[t])
            return false;
        c.by = PairMatch::initial_sequence;
    }
    return true;
}

// Finds which capture the opener's segments pass first, without aligned clocks: for two segments in opposite
// directions at about the same time, the difference of their time differences is the sum of two delays, and
// positive exactly if the assumed order is right.
void find_order(Candidate &c) {
    std::int64_t votes = 0;
    const auto &a0 = c.a->sent[0], &a1 = c.a->sent[1];
    const auto &b0 = c.sent_b(Side::opener), &b1 = c.sent_b(Side::acceptor);
    std::size_t j = 0, last = no_match;
    for (std::size_t i = 0; i < a0.size(); ++i) {
        const std::size_t m0 = c.matches[0][i];
        if (m0 == no_match)
            continue;
        for (; j < a1.size() && a1[j].frame < a0[i].frame; ++j)
            if (c.matches[1][j] != no_match)
                last = j;
        if (last == no_match)
            continue;
        const Duration way = b0[m0].time - a0[i].time, back = b1[c.matches[1][last]].time - a1[last].time;
        votes += way >= back ? 1 : -1;
    }
    c.opener_first = votes >= 0;
}

void match_segments(Candidate &c) {
    for (const Side s : {Side::opener, Side::acceptor})
        c.matches[index(s)] = match(c.a->sent[index(s)], c.sent_b(s));
}

// Pairs every connection of a with that candidate of b with which it has most segments in common.
std::vector<Candidate> find_connections(const std::vector<PairStream> &a, const std::vector<PairStream> &b) {
    using Key = std::pair<Endpoint, Endpoint>;
    const auto key = [](const PairStream &s) {
        return s.opener < s.acceptor ? Key{s.opener, s.acceptor} : Key{s.acceptor, s.opener};
    };
    std::multimap<Key, const PairStream *> waiting;
    for (const PairStream &s : b)
        waiting.emplace(key(s), &s);
    std::vector<Candidate> found;
    for (const PairStream &s : a) {
        Candidate best;
        std::size_t most = 0;
        auto taken = waiting.end();
        const auto [first, last] = waiting.equal_range(key(s));
        for (auto p = first; p != last; ++p) {
            Candidate c;
            c.a = &s;
            c.b = p->second;
            if (!may_be_same(s, *p->second, c))
                continue;
            match_segments(c);
            if (const std::size_t n = c.matched(); n > most) {
                most = n;
                best = std::move(c);
                taken = p;
            }
        }
        if (taken == waiting.end())
            continue;
        waiting.erase(taken);
        find_order(best);
        found.push_back(std::move(best));
    }
    return found;
}

// One matched segment for the clock fit: its time by a's clock, b − a, and whether it passed a first.
struct Difference {
    Time at{};
    Duration difference{};
    bool forward = false;
};

std::optional<ClockRelation> relate(const std::vector<Candidate> &connections) {
    std::vector<Difference> all;
    for (const Candidate &c : connections)
        for (const Side s : {Side::opener, Side::acceptor}) {
            const auto &a = c.a->sent[index(s)];
            const auto &b = c.sent_b(s);
            const bool forward = (s == Side::opener) == c.opener_first;
            for (std::size_t i = 0; i < a.size(); ++i)
                if (const std::size_t j = c.matches[index(s)][i]; j != no_match)
                    all.push_back({a[i].time, b[j].time - a[i].time, forward});
        }
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
        const double t = static_cast<double>((d.at - clock.reference).count()) * 1e-9;
        const auto y = static_cast<double>((d.difference - base).count());
        (d.forward ? forward : backward).add(t, d.forward ? y : -y);
    }
    if (forward.empty() || backward.empty())
        return std::nullopt;
    clock.drift_known = span >= drift_needs;
    const ClockFit fit = fit_clocks(forward, backward, clock.drift_known);
    clock.offset = base + Duration{std::llround(fit.offset)};
    clock.drift_ppm = fit.drift / 1000;
    clock.asymmetry = Duration{std::max(0LL, std::llround(fit.half_loop))};
    clock.segments = all.size();
    return clock;
}

// The time from a capture's first frame to its last, on a's clock.
struct Span {
    Time from{}, to{};
    bool holds(Time t) const { return from <= t && t <= to; }
};

void compare_direction(const Candidate &c, Side s, const std::optional<ClockRelation> &clock, Span span_a,
                       Span span_b, PairedConnection &out) {
    PairedDirection &d = out.directions[index(s)];
    const auto &a = c.a->sent[index(s)];
    const auto &b = c.sent_b(s);
    const auto &matches = c.matches[index(s)];
    d.a_first = (s == Side::opener) == c.opener_first;
    d.segments_a = a.size();
    d.segments_b = b.size();
    const auto on_a = [&](Time t) { return clock ? clock->to_a(t) : t; };
    const Duration loop = clock ? 2 * clock->asymmetry : Duration{};
    std::vector<bool> found_b(b.size(), false);
    Histogram delays;
    std::optional<Duration> least;
    std::size_t furthest = 0;
    bool any = false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const std::size_t j = matches[i];
        if (j == no_match) {
            // Near the start or end of the other capture the segment may have passed outside of it.
            if (a[i].length > 0 && clock && span_b.holds(a[i].time - loop) &&
                span_b.holds(a[i].time + loop)) {
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
        if (found_b[j] || b[j].length == 0 || !clock)
            continue;
        const Time at = on_a(b[j].time);
        if (!span_a.holds(at - loop) || !span_a.holds(at + loop))
            continue;
        if (d.a_first)
            ++d.unmatched_second;
        else
            d.lost.push_back({b[j].frame, b[j].time, b[j].offset, b[j].length});
    }
    d.least_difference = least.value_or(Duration{});
    d.delay = quantiles_of(delays);
}

} // namespace

Time ClockRelation::to_a(Time b) const {
    const Time near = b - offset;
    const auto drifted = static_cast<double>((near - reference).count()) * drift_ppm * 1e-6;
    return near - Duration{std::llround(drifted)};
}

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

PairFigures solve(const PairSide &a, const PairSide &b) {
    const PairSide::State &sa = *a.state_, &sb = *b.state_;
    PairFigures figures;
    const std::vector<Candidate> connections = find_connections(sa.streams, sb.streams);
    figures.only_a = sa.streams.size() - connections.size();
    figures.only_b = sb.streams.size() - connections.size();
    figures.clock = relate(connections);
    const auto on_a = [&](Time t) { return figures.clock ? figures.clock->to_a(t) : t; };
    const Span span_a{sa.first, sa.last}, span_b{on_a(sb.first), on_a(sb.last)};
    for (const Candidate &c : connections) {
        PairedConnection out;
        out.stream_a = c.a->stream;
        out.stream_b = c.b->stream;
        out.by = c.by;
        out.opener = c.a->opener;
        out.acceptor = c.a->acceptor;
        for (const Side s : {Side::opener, Side::acceptor})
            compare_direction(c, s, figures.clock, span_a, span_b, out);
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

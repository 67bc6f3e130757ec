// SPDX-License-Identifier: GPL-2.0-or-later
// Decides whether losses come from a shared queue that overflows (incast), which drops segments of many flows
// at once and under load, or are random, which hit one flow at a time independently of load.
#include "analyzer/base/ratio.h"
#include "analyzer/findings/attribution/attribution.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

namespace iscsiscope {
namespace {

using namespace std::chrono_literals;

struct Episode {
    Time at{};
    StreamId stream;
};

// Merges losses of one connection within a round trip of each other to one episode: an overflowing queue
// drops several segments in a row.
std::vector<Episode> episodes(std::vector<LossMoment> losses, Duration together) {
    std::sort(losses.begin(), losses.end(), [](const LossMoment &a, const LossMoment &b) {
        return a.time != b.time ? a.time < b.time : a.stream < b.stream;
    });
    std::map<StreamId, Time> last;
    std::vector<Episode> all;
    for (const LossMoment &l : losses) {
        const auto at = last.find(l.stream);
        if (at == last.end() || l.time - at->second > together)
            all.push_back({l.time, l.stream});
        last[l.stream] = l.time;
    }
    return all;
}

// Returns the share of episodes with an episode of another connection within `beside`, if each connection's
// own were later by `shift` (wrapping around at the end of the capture).
double share_together(const std::vector<Episode> &all, Duration beside, Duration shift,
                      std::set<StreamId> *streams = nullptr) {
    const Time first = all.front().at;
    const Duration span = all.back().at - first + Duration{1};
    std::size_t together = 0;
    for (const Episode &e : all) {
        const Time at = first + (e.at - first + shift) % span;
        auto other = std::lower_bound(all.begin(), all.end(), at - beside,
                                      [](const Episode &x, Time t) { return x.at < t; });
        while (other != all.end() && other->at <= at + beside && other->stream == e.stream)
            ++other;
        if (other == all.end() || other->at > at + beside)
            continue;
        ++together;
        if (streams != nullptr)
            streams->insert(e.stream);
    }
    return static_cast<double>(together) / static_cast<double>(all.size());
}

// Decides whether episodes coincide with those of other connections, within `beside`, more often than by
// chance. The share by chance is measured with each connection's losses shifted by some windows, so that it
// includes the coincidence due to common load.
void judge_within(const std::vector<Episode> &all, Duration window, Duration beside, LossSynchrony &s) {
    constexpr int shifts = 8, min_shift = 3; // windows
    // Overflows of short queues in the testbed reach 0.21 and more, random losses did not in any of six runs.
    constexpr double min_excess = 0.2, errors = 3.5;
    std::set<StreamId> streams;
    s.together = share_together(all, beside, Duration{}, &streams);
    s.by_chance = 0;
    for (int i = 0; i < shifts; ++i)
        s.by_chance += share_together(all, beside, window * (min_shift + i)) / shifts;
    // Laplace's rule: none of a few does not mean never.
    const auto n = static_cast<double>(all.size());
    s.by_chance = (s.by_chance * n + 1) / (n + 2);
    // The standard error of a share: a few episodes of frequent losses may coincide by chance.
    const double spread = std::sqrt(s.by_chance * (1 - s.by_chance) / n);
    // The share of coincidences among the episodes that would not coincide by chance.
    const double excess = ratio(s.together - s.by_chance, 1 - s.by_chance);
    s.at_once = streams.size() >= 3 && excess >= min_excess && s.together - s.by_chance >= errors * spread;
    if (s.at_once)
        s.streams = std::move(streams);
}

void judge_together(const Facts &facts, LossSynchrony &s) {
    if (facts.losses.size() < 6)
        return;
    Duration rtt{};
    for (const ConnectionFacts &c : facts.connections)
        for (const auto *d : {&c.to_target, &c.to_initiator})
            if (*d && (*d)->rtt.median) // includes the queue that overflows
                rtt = std::max(rtt, *(*d)->rtt.median);
    const Duration window = std::max<Duration>(rtt, 2ms);
    const std::vector<Episode> all = episodes(facts.losses, window);
    std::set<StreamId> streams;
    for (const Episode &e : all)
        streams.insert(e.stream);
    if (streams.size() < 3 || all.size() < 6)
        return;
    s.episodes = all.size();
    // A queue stays full until its senders react, a round trip at most. Frequent losses are as close as that
    // by chance: half a round trip separates better then.
    for (const int part : {2, 1}) {
        judge_within(all, window, window / part, s);
        if (s.at_once)
            return;
    }
}

// Compares the bytes in flight at lost segments with those at all segments: an overflowing queue drops
// segments of connections with much in flight, random loss hits all segments alike.
void judge_load(const Facts &facts, LossSynchrony &s) {
    constexpr std::uint64_t min_losses = 12, min_segments = 20;
    constexpr double more = 1.15,
                     errors = 4; // losses come in runs: 4 errors equal about 3 of independent losses
    std::set<StreamId> streams;
    std::uint64_t losses = 0;
    double sum = 0, variance = 0;
    for (const ConnectionFacts &c : facts.connections)
        for (const auto *d : {&c.to_target, &c.to_initiator}) {
            if (!*d || (*d)->lost_flights.count == 0 || (*d)->flights.count < min_segments)
                continue;
            const double mean = (*d)->flights.mean();
            if (mean <= 0)
                continue;
            const auto n = static_cast<double>((*d)->lost_flights.count);
            losses += (*d)->lost_flights.count;
            sum += n * (*d)->lost_flights.mean() / mean;
            variance += n * (*d)->flights.variance() / (mean * mean);
            streams.insert(c.record.stream);
        }
    if (streams.size() < 3 || losses < min_losses || variance <= 0)
        return;
    const auto n = static_cast<double>(losses);
    s.under_way = sum / n;
    s.standard_errors = (sum - n) / std::sqrt(variance);
    s.by_load = s.under_way >= more && s.standard_errors >= errors;
    if (s.by_load)
        s.streams.insert(streams.begin(), streams.end());
}

} // namespace

LossSynchrony loss_synchrony(const Facts &facts) {
    LossSynchrony s;
    judge_together(facts, s);
    judge_load(facts, s);
    return s;
}

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// Incast drops the tails of many flows at once; random loss hits one at a time, and whatever is under way.
#include "analyzer/findings/attribution.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

namespace iscsiscope {
namespace {

using namespace std::chrono_literals;

struct Episode {
    Time at{};
    std::uint64_t stream = 0;
};

// Losses of one connection within a round trip of each other are one episode: a queue that overflows
// drops several segments in a row.
std::vector<Episode> episodes(std::vector<LossMoment> losses, Duration together) {
    std::sort(losses.begin(), losses.end(), [](const LossMoment &a, const LossMoment &b) {
        return a.time != b.time ? a.time < b.time : a.stream < b.stream;
    });
    std::map<std::uint64_t, Time> last;
    std::vector<Episode> all;
    for (const LossMoment &l : losses) {
        const auto at = last.find(l.stream);
        if (at == last.end() || l.time - at->second > together)
            all.push_back({l.time, l.stream});
        last[l.stream] = l.time;
    }
    return all;
}

// Whether these episodes have another connection's beside them, within `beside`, more often than chance has
// it.
void judge_within(const std::vector<Episode> &all, Duration beside, LossSynchrony &s) {
    std::map<std::uint64_t, std::uint64_t> with_others; // by stream
    std::uint64_t together = 0;
    for (std::size_t i = 0, from = 0; i < all.size(); ++i) {
        while (all[i].at - all[from].at > beside)
            ++from;
        bool others = false;
        for (std::size_t j = from; j < all.size() && all[j].at - all[i].at <= beside && !others; ++j)
            others = all[j].stream != all[i].stream;
        together += others ? 1 : 0;
        with_others[all[i].stream] += others ? 1 : 0;
    }
    const double span = static_cast<double>(to_ns(all.back().at - all.front().at));
    s.together = static_cast<double>(together) / static_cast<double>(all.size());
    // Poisson: an episode of any other connection within the window before or behind.
    const double rate = span > 0 ? static_cast<double>(all.size()) / span : 0;
    const double of_others = 1 - 1 / static_cast<double>(with_others.size());
    s.by_chance = 1 - std::exp(-2 * static_cast<double>(to_ns(beside)) * rate * of_others);
    // Standard errors of a share: few episodes of losses that are frequent fall together by chance.
    const double spread = std::sqrt(s.by_chance * (1 - s.by_chance) / static_cast<double>(all.size()));
    if (s.together < 0.5 || s.together < 1.3 * s.by_chance || s.together - s.by_chance < 3.5 * spread)
        return;
    for (const auto &[stream, n] : with_others)
        if (n > 0)
            s.streams.insert(stream);
    s.at_once = s.streams.size() >= 3;
    if (!s.at_once)
        s.streams.clear();
}

void judge_together(const Facts &facts, LossSynchrony &s) {
    if (facts.losses.size() < 6)
        return;
    Duration rtt{};
    for (const ConnectionFacts &c : facts.connections)
        for (const auto *d : {&c.to_target, &c.to_initiator})
            if (*d && (*d)->rtt.median) // with the queue that overflows
                rtt = std::max(rtt, *(*d)->rtt.median);
    const Duration window = std::max<Duration>(rtt, 2ms);
    const std::vector<Episode> all = episodes(facts.losses, window);
    std::set<std::uint64_t> streams;
    for (const Episode &e : all)
        streams.insert(e.stream);
    if (streams.size() < 3 || all.size() < 6)
        return;
    s.episodes = all.size();
    // A queue stays full until its senders have heard of it, a round trip at most. Where losses are frequent,
    // chance brings them as near as that, and a shorter time tells more. (Of losses at random, 5 to 160 a
    // second on four connections, one run in 200 passes one of the three.)
    for (const int part : {4, 2, 1}) {
        judge_within(all, window / part, s);
        if (s.at_once)
            return;
    }
}

// A queue that overflows loses from those who have much under way. What chance takes has, on average, as much
// behind it as any segment.
void judge_load(const Facts &facts, LossSynchrony &s) {
    constexpr std::uint64_t least_losses = 12, least_segments = 20;
    constexpr double more = 1.15, errors = 4; // losses come in runs: four errors are about three of them
    std::set<std::uint64_t> streams;
    std::uint64_t losses = 0;
    double sum = 0, variance = 0;
    for (const ConnectionFacts &c : facts.connections)
        for (const auto *d : {&c.to_target, &c.to_initiator}) {
            if (!*d || (*d)->lost_flights.count == 0 || (*d)->flights.count < least_segments)
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
    if (streams.size() < 3 || losses < least_losses || variance <= 0)
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

// SPDX-License-Identifier: GPL-2.0-or-later
// What limits a TCP sender, over time.
#include "analyzer/report/html/charts/charts.h"
#include "analyzer/report/palette.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace iscsiscope::html {
namespace {

constexpr std::size_t senders_shown = 8;

std::vector<SenderKey> senders_with_most_samples(const Timeline &t) {
    std::vector<std::pair<std::uint64_t, SenderKey>> order;
    for (const auto &[key, points] : t.senders) {
        std::uint64_t n = 0;
        for (const SenderPoint &p : points)
            n += p.samples;
        order.emplace_back(n, key);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto &a, const auto &b) { return a.first > b.first; });
    order.resize(std::min<std::size_t>(order.size(), senders_shown));
    std::vector<SenderKey> keys;
    keys.reserve(order.size());
    for (const auto &[n, key] : order)
        keys.push_back(key);
    return keys;
}

double kilobytes(const std::optional<std::uint64_t> &v) {
    return v ? static_cast<double>(*v) / 1e3 : no_sample;
}

// Appends the figures of a bucket, or the same value to all series.
void append(Chart &flight, Chart &round, double seconds, const std::array<double, 6> &values) {
    flight.x.push_back(seconds);
    round.x.push_back(seconds);
    for (std::size_t i = 0; i < flight.series.size(); ++i)
        flight.series[i].y.push_back(values[i]);
    round.series[0].y.push_back(values[5]);
}

} // namespace

void add_sender_charts(const Report &r, std::vector<Chart> &all) {
    const Timeline &t = r.timeline;
    std::size_t number = 0;
    for (const SenderKey &key : senders_with_most_samples(t)) {
        const bool out = key.second == PduDirection::to_target;
        const std::string who =
            fmt::format("{}, {}", connection_words(r, key.first), out ? "to the target" : "to the initiator");
        Chart c, round;
        c.id = fmt::format("sender-{}", number++);
        c.title = "Bytes in flight and windows, " + who;
        c.unit = "kB";
        c.note = "as the sender saw it: the greatest flight of " + interval_words(r) +
                 ", the last of the other figures; the congestion window only where it was seen to limit";
        c.group = round.group = "senders";
        round.id = c.id + "-rtt";
        round.title = "Round trip, " + who;
        round.unit = "ms";
        round.note = "the latest sample of " + interval_words(r);
        c.series = {{"in flight", palette::lines[2], {}, false, false, true},
                    {"congestion window", palette::lines[1], {}},
                    {"congestion window at least", palette::lines[5], {}, true},
                    {"congestion window at most", palette::lines[4], {}, true},
                    {"receive window", palette::lines[3], {}, false, true}};
        round.series = {{"round trip", palette::lines[6], {}}};
        const auto traffic = t.traffic.find(key.first);
        bool gap = false;
        const auto &points = t.senders.at(key);
        for (std::size_t b = 0; b < t.used; ++b) {
            const SenderPoint &p = points[b];
            if (p.samples == 0) {
                if (!gap && !c.x.empty() && traffic != t.traffic.end() && !traffic->second[b].drawn()) {
                    append(c, round, bucket_seconds(r, b),
                           {not_asked, not_asked, not_asked, not_asked, not_asked, not_asked});
                    gap = true;
                }
                continue;
            }
            gap = false;
            append(c, round, bucket_seconds(r, b),
                   {static_cast<double>(p.flight_max) / 1e3, kilobytes(p.cwnd),
                    static_cast<double>(p.cwnd_low) / 1e3, kilobytes(p.cwnd_high),
                    kilobytes(p.receive_window),
                    p.rtt ? static_cast<double>(to_ns(*p.rtt)) / 1e6 : no_sample});
        }
        all.push_back(std::move(c));
        if (std::any_of(round.series[0].y.begin(), round.series[0].y.end(),
                        [](double v) { return std::isfinite(v); }))
            all.push_back(std::move(round));
    }
}

} // namespace iscsiscope::html

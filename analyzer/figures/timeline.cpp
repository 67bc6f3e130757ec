// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/figures/timeline.h"

#include "analyzer/base/containers/bounded.h"
#include "analyzer/base/ratio.h"
#include "analyzer/query/column.h"
#include "analyzer/query/expression.h"

#include <algorithm>
#include <cmath>

namespace iscsiscope {
namespace {

constexpr Duration first_width = std::chrono::microseconds(250);

template <class T, class Join>
void halve(std::vector<T> &v, Join join) {
    for (std::size_t i = 0; 2 * i < v.size(); ++i) {
        T joined = v[2 * i];
        if (2 * i + 1 < v.size())
            join(joined, v[2 * i + 1]);
        v[i] = joined;
    }
    std::fill(v.begin() + static_cast<std::ptrdiff_t>((v.size() + 1) / 2), v.end(), T{});
}

template <class T>
void halve_sum(std::vector<T> &v) {
    halve(
        v, [](T &a, const T &b) { a += b; });
}

void halve_asked(AskedSeries &v) {
    halve(
        v, [](std::uint8_t &a, std::uint8_t b) { a |= b; });
}

void halve(TrafficSeries &s) {
    halve_sum(s.bytes[0]);
    halve_sum(s.bytes[1]);
    halve_asked(s.asked);
}

void halve(GroupSeries &s) {
    halve_sum(s.count);
    halve_sum(s.sum_ns);
    halve_asked(s.open);
}

void halve(LatencySeries &s) {
    for (std::size_t i = 0; 2 * i + 1 < s.count.size(); ++i) { // must precede the merging of the counts
        const std::size_t a = 2 * i, b = a + 1;
        if (s.count[a] == 0)
            s.min_ns[a] = s.min_ns[b];
        else if (s.count[b] != 0)
            s.min_ns[a] = std::min(s.min_ns[a], s.min_ns[b]);
    }
    halve(
        s.min_ns, [](std::int64_t &, std::int64_t) {});
    halve(s.max_ns, [](std::int64_t &a, std::int64_t b) { a = std::max(a, b); });
    halve_sum(s.count);
    halve_sum(s.outstanding_ns);
    halve(s.classes, [](auto &a, const auto &b) {
        for (std::size_t c = 0; c < latency_classes; ++c)
            a[c] += b[c];
    });
}

void join(SenderPoint &a, const SenderPoint &b) {
    if (b.samples == 0)
        return;
    const SenderPoint before = a;
    a = b;
    a.samples += before.samples;
    a.flight_max = std::max(before.flight_max, b.flight_max);
}

} // namespace

std::size_t latency_class(Duration d) {
    const double us = static_cast<double>(to_ns(d)) / 1e3;
    if (us <= 1)
        return 0;
    return std::min(latency_classes - 1, static_cast<std::size_t>(4 * std::log2(us)));
}

double latency_class_begin_ns(std::size_t n) {
    return 1e3 * std::exp2(static_cast<double>(n) / 4);
}

double Timeline::seconds(std::size_t bucket) const {
    return (static_cast<double>(bucket) + 0.5) * static_cast<double>(to_ns(width)) / 1e9;
}

double Timeline::per_second(double amount) const {
    return ratio(amount, static_cast<double>(to_ns(width)) / 1e9);
}

double Timeline::mean_outstanding(const LatencySeries &s, std::size_t bucket) const {
    return ratio(s.outstanding_ns[bucket], width);
}

bool TrafficSeries::drawn(std::size_t bucket) const {
    return (bucket < asked.size() && asked[bucket] != 0) || bytes[0][bucket] + bytes[1][bucket] != 0;
}

std::optional<double> GroupSeries::mean(std::size_t bucket) const {
    if (bucket >= count.size() || count[bucket] == 0)
        return std::nullopt;
    return ratio(static_cast<double>(sum_ns[bucket]), static_cast<double>(count[bucket]));
}

void GroupSeries::merge(const GroupSeries &g) {
    tasks += g.tasks;
    total_ns += g.total_ns;
    count.resize(std::max(count.size(), g.count.size()));
    sum_ns.resize(count.size());
    open.resize(count.size());
    for (std::size_t b = 0; b < g.count.size(); ++b) {
        count[b] += g.count[b];
        sum_ns[b] += g.sum_ns[b];
        open[b] |= g.open[b];
    }
}

std::optional<double> LatencySeries::quantile(std::size_t bucket, double q) const {
    const auto rank = static_cast<std::uint64_t>(std::max(1.0, std::ceil(q * count[bucket])));
    std::uint64_t seen = 0;
    for (std::size_t c = 0; c < latency_classes; ++c) {
        seen += classes[bucket][c];
        if (seen >= rank) { // the middle of its class
            return std::clamp(latency_class_begin_ns(c) * std::exp2(0.125),
                              static_cast<double>(min_ns[bucket]), static_cast<double>(max_ns[bucket]));
        }
    }
    return std::nullopt;
}

TimelineCollector::TimelineCollector(TimelineOptions options) : options_(options) {
    timeline_.width = first_width;
    for (LatencySeries &s : timeline_.latency) {
        s.count.resize(timeline_buckets);
        s.min_ns.resize(timeline_buckets);
        s.max_ns.resize(timeline_buckets);
        s.classes.resize(timeline_buckets);
        s.outstanding_ns.resize(timeline_buckets);
    }
}

void TimelineCollector::coarsen() {
    timeline_.width *= 2;
    halve(timeline_.all_traffic);
    for (auto &[stream, t] : timeline_.traffic)
        halve(t);
    for (auto &[session, g] : timeline_.sessions)
        halve(g);
    for (auto &[key, g] : timeline_.luns)
        halve(g);
    halve(timeline_.other_sessions);
    halve(timeline_.other_luns);
    for (LatencySeries &s : timeline_.latency)
        halve(s);
    for (auto &[key, points] : timeline_.senders)
        halve(points, join);
    timeline_.used = (timeline_.used + 1) / 2;
}

void TimelineCollector::reach(Time t) {
    if (!timeline_.any) {
        timeline_.any = true;
        timeline_.origin = t;
    }
    while ((t - timeline_.origin) / timeline_.width >= static_cast<std::int64_t>(timeline_buckets))
        coarsen();
    timeline_.used = std::max(timeline_.used, bucket(t) + 1);
}

std::size_t TimelineCollector::bucket(Time t) const {
    return t <= timeline_.origin ? 0 : static_cast<std::size_t>((t - timeline_.origin) / timeline_.width);
}

template <class F>
void TimelineCollector::spread(Time from, Time to, std::int64_t amount, F f) {
    const std::size_t first = bucket(from), last = bucket(to);
    if (first >= last) {
        f(last, amount);
        return;
    }
    const auto length = static_cast<double>(to_ns(to - from));
    std::int64_t given = 0;
    for (std::size_t b = first; b <= last; ++b) {
        const Time end = timeline_.origin + timeline_.width * static_cast<std::int64_t>(b + 1);
        const std::int64_t upto =
            b == last ? amount
                      : static_cast<std::int64_t>(static_cast<double>(amount) *
                                                  (static_cast<double>(to_ns(end - from)) / length));
        f(b, upto - given);
        given = upto;
    }
}

void TimelineCollector::subscribe(RecordTables &to) {
    Takes::subscribe(to);
    if (options_.senders)
        to.add<TcpSampleRecord>(*this);
}

void TimelineCollector::on(const PassedRecord &p) {
    if (options_.range != nullptr && !options_.range->contains(p.time))
        return;
    reach(p.time);
    const auto add = [&](TrafficSeries &to) {
        for (auto &v : to.bytes)
            v.resize(timeline_buckets);
        to.bytes[static_cast<std::size_t>(p.direction)][bucket(p.time)] += p.total();
    };
    add(timeline_.all_traffic);
    if (auto *series = find_or_add(timeline_.traffic, p.stream, options_.max_connections))
        add(*series);
}

void TimelineCollector::mark(AskedSeries &s, Time from, Time to) const {
    s.resize(timeline_buckets);
    std::fill(s.begin() + static_cast<std::ptrdiff_t>(bucket(from)),
              s.begin() + static_cast<std::ptrdiff_t>(bucket(to)) + 1, std::uint8_t{1});
}

void TimelineCollector::add(GroupSeries &g, const CycleRecord &r) const {
    g.count.resize(timeline_buckets);
    g.sum_ns.resize(timeline_buckets);
    mark(g.open, r.start, r.end);
    ++g.tasks;
    if (!r.response_time)
        return;
    const std::size_t b = bucket(r.end);
    ++g.count[b];
    g.sum_ns[b] += to_ns(*r.response_time);
    g.total_ns += to_ns(*r.response_time);
}

void TimelineCollector::on_asked(const CycleRecord &r) {
    Time from = r.start, to = r.end;
    if (options_.range != nullptr && !options_.range->everything()) {
        if (!options_.range->touches(from, to))
            return;
        from = std::max(from, options_.range->begin());
        to = std::min(to, options_.range->end() - Duration{1});
    }
    reach(from);
    reach(to);
    mark(timeline_.all_traffic.asked, from, to);
    if (const auto at = timeline_.traffic.find(r.stream); at != timeline_.traffic.end())
        mark(at->second.asked, from, to);
}

void TimelineCollector::on(const CycleRecord &r) {
    on_asked(r);
    if (r.type == TaskType::control || (options_.range != nullptr && !options_.range->contains(r.end)) ||
        (options_.filter != nullptr && !options_.filter->holds(&r)))
        return;
    reach(r.start);
    reach(r.end);
    LatencySeries &s = timeline_.latency[static_cast<std::size_t>(r.type)];
    spread(r.start, r.end, std::max<std::int64_t>(0, to_ns(r.end - r.start)),
           [&](std::size_t b, std::int64_t n) { s.outstanding_ns[b] += n; });
    const auto group = [&](auto &groups, const auto &key, GroupSeries &others) -> GroupSeries & {
        GroupSeries *found = find_or_add(groups, key, options_.max_groups);
        return found != nullptr ? *found : others;
    };
    add(group(timeline_.sessions, r.session, timeline_.other_sessions), r);
    add(group(timeline_.luns, std::pair(r.session, r.lun), timeline_.other_luns), r);
    if (!r.response_time)
        return;
    const std::size_t b = bucket(r.end);
    const std::int64_t ns = to_ns(*r.response_time);
    s.min_ns[b] = s.count[b] == 0 ? ns : std::min(s.min_ns[b], ns);
    s.max_ns[b] = std::max(s.max_ns[b], ns);
    ++s.count[b];
    ++s.classes[b][latency_class(*r.response_time)];
}

void TimelineCollector::on(const TcpSampleRecord &t) {
    if (options_.range != nullptr && !options_.range->contains(t.time))
        return;
    auto *points = find_or_add(timeline_.senders, {t.stream, t.direction}, options_.max_senders);
    if (points == nullptr)
        return;
    points->resize(timeline_buckets);
    reach(t.time);
    SenderPoint p;
    p.samples = 1;
    p.flight_max = t.flight.value_or(0);
    p.cwnd = t.cwnd;
    p.cwnd_low = t.cwnd_low;
    p.cwnd_high = t.cwnd_high;
    p.receive_window = t.receive_window;
    p.rtt = t.rtt;
    join((*points)[bucket(t.time)], p);
}

Timeline TimelineCollector::take() {
    return std::move(timeline_);
}

} // namespace iscsiscope

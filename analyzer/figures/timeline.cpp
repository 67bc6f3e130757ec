// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/figures/timeline.h"

#include "analyzer/base/containers/bounded.h"
#include "analyzer/query/column.h"
#include "analyzer/query/expression.h"

#include <algorithm>
#include <cmath>

namespace iscsiscope {
namespace {

constexpr Duration first_width = std::chrono::microseconds(250);

template <class Point>
void halve(std::vector<Point> &v) {
    for (std::size_t i = 0; 2 * i < v.size(); ++i) {
        Point joined = v[2 * i];
        if (2 * i + 1 < v.size())
            joined.merge(v[2 * i + 1]);
        v[i] = joined;
    }
    std::fill(v.begin() + static_cast<std::ptrdiff_t>((v.size() + 1) / 2), v.end(), Point{});
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

double Timeline::mean_outstanding(const LatencyPoint &p) const {
    return ratio(p.outstanding_ns, width);
}

void TrafficPoint::merge(const TrafficPoint &p) {
    bytes[0] += p.bytes[0];
    bytes[1] += p.bytes[1];
    asked |= p.asked;
}

void LatencyPoint::merge(const LatencyPoint &p) {
    if (p.count != 0)
        min_ns = count == 0 ? p.min_ns : std::min(min_ns, p.min_ns);
    max_ns = std::max(max_ns, p.max_ns);
    count += p.count;
    outstanding_ns += p.outstanding_ns;
    for (std::size_t c = 0; c < latency_classes; ++c)
        classes[c] += p.classes[c];
}

std::optional<double> LatencyPoint::quantile(double q) const {
    const auto rank = static_cast<std::uint64_t>(std::max(1.0, std::ceil(q * count)));
    std::uint64_t seen = 0;
    for (std::size_t c = 0; c < latency_classes; ++c) {
        seen += classes[c];
        if (seen >= rank) // the middle of its class
            return std::clamp(latency_class_begin_ns(c) * std::exp2(0.125), static_cast<double>(min_ns),
                              static_cast<double>(max_ns));
    }
    return std::nullopt;
}

void GroupPoint::merge(const GroupPoint &p) {
    count += p.count;
    sum_ns += p.sum_ns;
    open |= p.open;
}

void GroupSeries::merge(const GroupSeries &g) {
    tasks += g.tasks;
    total_ns += g.total_ns;
    points.resize(std::max(points.size(), g.points.size()));
    for (std::size_t b = 0; b < g.points.size(); ++b)
        points[b].merge(g.points[b]);
}

void SenderPoint::merge(const SenderPoint &later) {
    if (later.samples == 0)
        return;
    const SenderPoint before = *this;
    *this = later;
    samples += before.samples;
    flight_max = std::max(before.flight_max, later.flight_max);
}

TimelineCollector::TimelineCollector(TimelineOptions options) : options_(options) {
    timeline_.width = first_width;
    for (LatencySeries &s : timeline_.latency)
        s.resize(timeline_buckets);
}

void TimelineCollector::coarsen() {
    timeline_.width *= 2;
    halve(timeline_.all_traffic);
    for (auto &[stream, t] : timeline_.traffic)
        halve(t);
    for (auto &[session, g] : timeline_.sessions)
        halve(g.points);
    for (auto &[key, g] : timeline_.luns)
        halve(g.points);
    halve(timeline_.other_sessions.points);
    halve(timeline_.other_luns.points);
    for (LatencySeries &s : timeline_.latency)
        halve(s);
    for (auto &[key, points] : timeline_.senders)
        halve(points);
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
        to.resize(timeline_buckets);
        to[bucket(p.time)].bytes[static_cast<std::size_t>(p.direction)] += p.total();
    };
    add(timeline_.all_traffic);
    if (auto *series = find_or_add(timeline_.traffic, p.stream, options_.max_connections))
        add(*series);
}

template <class Point>
void TimelineCollector::mark(std::vector<Point> &points, bool Point::*member, Time from, Time to) const {
    points.resize(timeline_buckets);
    for (std::size_t b = bucket(from); b <= bucket(to); ++b)
        points[b].*member = true;
}

void TimelineCollector::add(GroupSeries &g, const CycleRecord &r) const {
    mark(g.points, &GroupPoint::open, r.start, r.end);
    ++g.tasks;
    if (!r.response_time)
        return;
    GroupPoint &p = g.points[bucket(r.end)];
    ++p.count;
    p.sum_ns += to_ns(*r.response_time);
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
    mark(timeline_.all_traffic, &TrafficPoint::asked, from, to);
    if (const auto at = timeline_.traffic.find(r.stream); at != timeline_.traffic.end())
        mark(at->second, &TrafficPoint::asked, from, to);
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
           [&](std::size_t b, std::int64_t n) { s[b].outstanding_ns += n; });
    const auto group = [&](auto &groups, const auto &key, GroupSeries &others) -> GroupSeries & {
        GroupSeries *found = find_or_add(groups, key, options_.max_groups);
        return found != nullptr ? *found : others;
    };
    add(group(timeline_.sessions, r.session, timeline_.other_sessions), r);
    add(group(timeline_.luns, std::pair(r.session, r.lun), timeline_.other_luns), r);
    if (!r.response_time)
        return;
    LatencyPoint &p = s[bucket(r.end)];
    const std::int64_t ns = to_ns(*r.response_time);
    p.min_ns = p.count == 0 ? ns : std::min(p.min_ns, ns);
    p.max_ns = std::max(p.max_ns, ns);
    ++p.count;
    ++p.classes[latency_class(*r.response_time)];
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
    (*points)[bucket(t.time)].merge(p);
}

Timeline TimelineCollector::take() {
    return std::move(timeline_);
}

} // namespace iscsiscope

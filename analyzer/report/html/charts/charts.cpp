// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/html/charts/charts.h"

#include "analyzer/base/number_format.h"
#include "analyzer/report/palette.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace iscsiscope::html {
namespace {

constexpr std::size_t connections_shown = 8; // when the reader selects them: they would hide the sums

std::vector<double> times(const Report &r) {
    std::vector<double> x(r.timeline.used);
    for (std::size_t b = 0; b < r.timeline.used; ++b)
        x[b] = bucket_seconds(r, b);
    return x;
}

Chart chart_over_time(const Report &r, std::string id, std::string title, std::string unit,
                      std::string note) {
    Chart c;
    c.id = std::move(id);
    c.title = std::move(title);
    c.unit = std::move(unit);
    c.note = std::move(note);
    c.x = times(r);
    return c;
}

std::vector<StreamId> busiest_streams(const Timeline &t) {
    std::vector<std::pair<std::uint64_t, StreamId>> order; // bytes, stream
    for (const auto &[stream, s] : t.traffic) {
        std::uint64_t sum = 0;
        for (std::size_t b = 0; b < t.used; ++b)
            sum += s[b].bytes[0] + s[b].bytes[1];
        order.emplace_back(sum, stream);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto &a, const auto &b) { return a.first > b.first; });
    order.resize(std::min(order.size(), connections_shown));
    std::vector<StreamId> streams;
    streams.reserve(order.size());
    for (const auto &[sum, stream] : order)
        streams.push_back(stream);
    std::sort(streams.begin(), streams.end());
    return streams;
}

Chart throughput(const Report &r) {
    const Timeline &t = r.timeline;
    Chart c =
        chart_over_time(r, "throughput", "Throughput", "MB/s",
                        "bytes on the wire by when they passed: TCP payload, headers of iSCSI included, "
                        "repeats not; mean of " +
                            interval_words(r));
    const double scale = t.per_second(1e-6); // MB/s of one byte in a bucket
    const auto add = [&](std::string label, std::uint32_t color, const TrafficSeries &s,
                         std::uint64_t (*bytes)(const TrafficPoint &)) {
        Chart::Series series;
        series.label = std::move(label);
        series.color = color;
        for (std::size_t b = 0; b < t.used; ++b)
            series.y.push_back(s[b].drawn() ? static_cast<double>(bytes(s[b])) * scale : not_asked);
        c.series.push_back(std::move(series));
    };
    const TrafficSeries &all = t.all_traffic;
    add(
        "to the initiator", palette::read, all, [](const TrafficPoint &p) { return p.bytes[1]; });
    add("to the target", palette::write, all, [](const TrafficPoint &p) { return p.bytes[0]; });
    if (t.traffic.size() < 2)
        return c;
    std::size_t n = 2; // the first two are those of the sums
    for (const StreamId stream : busiest_streams(t)) {
        const TrafficSeries &s = t.traffic.at(stream);
        add("connection " + connection_words(r, stream), palette::lines[n++ % std::size(palette::lines)], s,
            [](const TrafficPoint &p) { return p.bytes[0] + p.bytes[1]; });
        c.series.back().hidden = true;
    }
    return c;
}

Chart response_times(const Report &r, TaskType type) {
    const Timeline &t = r.timeline;
    const LatencySeries &s = t.latency[static_cast<std::size_t>(type)];
    const bool reads = type == TaskType::read;
    Chart c = chart_over_time(r, fmt::format("response-{}", name(type)),
                              reads ? "Response time of reads" : "Response time of writes", "ms",
                              "by when the task ended, over " + interval_words(r) +
                                  "; median and p99 within 9 %, the greatest exact");
    c.logarithmic = true;
    Chart::Series median{"median", palette::of(type), {}}, high{"p99", palette::p99, {}},
        most{"greatest", palette::other, {}};
    most.dashed = true;
    for (std::size_t b = 0; b < t.used; ++b) {
        const LatencyPoint &p = s[b];
        const double none = p.outstanding_ns != 0 ? no_sample : not_asked;
        const bool any = p.count != 0;
        median.y.push_back(any ? p.quantile(0.5).value_or(0) / 1e6 : none);
        high.y.push_back(any ? p.quantile(0.99).value_or(0) / 1e6 : none);
        most.y.push_back(any ? static_cast<double>(p.max_ns) / 1e6 : none);
    }
    c.series = {std::move(median), std::move(high), std::move(most)};
    return c;
}

bool any_ended(const LatencySeries &s) {
    return std::any_of(
        s.begin(), s.end(), [](const LatencyPoint &p) { return p.count != 0; });
}

Chart outstanding(const Report &r) {
    const Timeline &t = r.timeline;
    Chart c = chart_over_time(r, "outstanding", "Reads and writes in flight", "commands",
                              "mean of " + interval_words(r) + ", all connections together");
    for (const TaskType type : {TaskType::read, TaskType::write}) {
        const LatencySeries &s = t.latency[static_cast<std::size_t>(type)];
        if (!any_ended(s))
            continue;
        Chart::Series series{type == TaskType::read ? "reads" : "writes", palette::of(type), {}};
        series.filled = true;
        for (std::size_t b = 0; b < t.used; ++b) {
            const bool asked = b < t.all_traffic.size() && t.all_traffic[b].asked;
            series.y.push_back(asked ? t.mean_outstanding(s[b]) : not_asked);
        }
        c.series.push_back(std::move(series));
    }
    return c;
}

} // namespace

double seconds_in_capture(const Report &r, Time at) {
    return static_cast<double>(to_ns(at - r.capture.first_frame_time.value_or(r.timeline.origin))) / 1e9;
}

double bucket_seconds(const Report &r, std::size_t bucket) {
    return seconds_in_capture(r, r.timeline.origin) + r.timeline.seconds(bucket);
}

std::string seconds_text(const Report &r, double seconds) {
    const double width = std::max(1e-9, static_cast<double>(to_ns(r.timeline.width)) / 1e9);
    const int digits = std::clamp(1 - static_cast<int>(std::floor(std::log10(width))), 0, 9);
    std::string s = fmt::format("{:.{}f}", seconds, digits);
    if (s.find('.') != std::string::npos) {
        s.erase(s.find_last_not_of('0') + 1);
        if (s.back() == '.')
            s.pop_back();
    }
    return s == "-0" ? "0" : s;
}

std::string interval_words(const Report &r) {
    return "each " + human::duration(r.timeline.width);
}

std::string connection_words(const Report &r, StreamId stream) {
    for (const ConnectionRecord &c : r.connections)
        if (c.stream == stream)
            return fmt::format("{}: {} → {}", stream, to_text(c.initiator), to_text(c.target));
    return to_string(stream);
}

std::vector<Chart> charts_of(const Report &r) {
    std::vector<Chart> all;
    if (r.timeline.used == 0)
        return all;
    if (!r.timeline.traffic.empty())
        all.push_back(throughput(r));
    for (const TaskType type : {TaskType::read, TaskType::write})
        if (any_ended(r.timeline.latency[static_cast<std::size_t>(type)]))
            all.push_back(response_times(r, type));
    add_group_charts(r, all);
    if (Chart c = outstanding(r); !c.series.empty())
        all.push_back(std::move(c));
    add_session_charts(r, all);
    add_sender_charts(r, all);
    return all;
}

} // namespace iscsiscope::html

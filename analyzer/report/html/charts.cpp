// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/html/charts.h"

#include "analyzer/base/number_format.h"
#include "analyzer/report/palette.h"
#include "analyzer/report/tables/row_writer.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>

namespace iscsiscope::html {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t connections_shown = 8;

std::vector<double> times(const Timeline &t) {
    std::vector<double> x(t.used);
    for (std::size_t b = 0; b < t.used; ++b)
        x[b] = t.seconds(b);
    return x;
}

std::string connection_words(const Report &r, std::uint64_t stream) {
    for (const ConnectionRecord &c : r.connections)
        if (c.stream == stream)
            return fmt::format("{}: {} → {}", stream, to_text(c.initiator), to_text(c.target));
    return std::to_string(stream);
}

Chart throughput(const Report &r) {
    const Timeline &t = r.timeline;
    Chart c{"throughput", "Throughput", "MB/s",   "TCP payload by when it passed, without repeats",
            "",           false,        times(t), {}};
    const double scale = t.per_second(1e-6); // MB/s of one byte in a bucket
    const auto add = [&](std::string label, std::uint32_t color, auto value) {
        Chart::Series s{std::move(label), color, std::vector<double>(t.used), false, false, false, false};
        for (std::size_t b = 0; b < t.used; ++b)
            s.y[b] = value(b) * scale;
        c.series.push_back(std::move(s));
    };
    for (const std::size_t d : {std::size_t{1}, std::size_t{0}}) {
        add(
            d == 0 ? "to the target" : "to the initiator", d == 0 ? palette::write : palette::read,
            [&](std::size_t b) { return static_cast<double>(t.all_traffic.bytes[d][b]); });
    }
    if (t.traffic.size() < 2)
        return c;
    std::vector<std::pair<std::uint64_t, const TrafficSeries *>> busiest;
    for (const auto &[stream, s] : t.traffic) {
        std::uint64_t sum = 0;
        for (std::size_t b = 0; b < t.used; ++b)
            sum += s.bytes[0][b] + s.bytes[1][b];
        busiest.emplace_back(sum, &s);
    }
    std::stable_sort(busiest.begin(), busiest.end(),
                     [](const auto &a, const auto &b) { return a.first > b.first; });
    busiest.resize(std::min(busiest.size(), connections_shown));
    std::size_t n = 2; // the first two are those of the sums
    for (const auto &[stream, s] : t.traffic) {
        if (std::any_of(busiest.begin(), busiest.end(),
                        [&, at = &s](const auto &b) { return b.second == at; })) {
            add(
                "connection " + connection_words(r, stream),
                palette::series[n++ % std::size(palette::series)],
                [&, at = &s](std::size_t b) {
                    return static_cast<double>(at->bytes[0][b] + at->bytes[1][b]);
                });
        }
    }
    return c;
}

Chart response_times(const Report &r, TaskType type) {
    const Timeline &t = r.timeline;
    const LatencySeries &s = t.latency[static_cast<std::size_t>(type)];
    const std::string what(name(type));
    const std::uint32_t color = palette::of(type);
    Chart c{"response-" + what,
            type == TaskType::read ? "Response time of reads" : "Response time of writes",
            "ms",
            "by when the task ended; median and p99 within 9 %, the greatest exact",
            "",
            true,
            times(t),
            {}};
    std::vector<double> median(t.used, unknown), high(t.used, unknown), most(t.used, unknown);
    for (std::size_t b = 0; b < t.used; ++b) {
        if (s.count[b] != 0) {
            median[b] = s.quantile(b, 0.5).value_or(unknown) / 1e6;
            high[b] = s.quantile(b, 0.99).value_or(unknown) / 1e6;
            most[b] = static_cast<double>(s.max_ns[b]) / 1e6;
        }
    }
    c.series.push_back({"median", color, std::move(median), false, false, false, false});
    c.series.push_back({"p99", 0xcc79a7, std::move(high), false, false, false, false});
    c.series.push_back({"greatest", 0x8a8a8a, std::move(most), true, false, false, false});
    return c;
}

Chart outstanding(const Report &r) {
    const Timeline &t = r.timeline;
    Chart c{"outstanding",
            "Tasks outstanding",
            "tasks",
            "mean over each interval, all connections together",
            "",
            false,
            times(t),
            {}};
    for (const TaskType type : {TaskType::read, TaskType::write}) {
        const LatencySeries &s = t.latency[static_cast<std::size_t>(type)];
        if (std::all_of(s.count.begin(), s.count.end(), [](std::uint32_t n) { return n == 0; }))
            continue;
        Chart::Series series{type == TaskType::read ? "reads" : "writes",
                             palette::of(type),
                             std::vector<double>(t.used),
                             false,
                             false,
                             true,
                             false};
        for (std::size_t b = 0; b < t.used; ++b)
            series.y[b] = t.mean_outstanding(s, b);
        c.series.push_back(std::move(series));
    }
    return c;
}

// Adds a chart of flight and windows and one of round trips for each of the senders with the most samples.
void senders(const Report &r, std::vector<Chart> &all) {
    const Timeline &t = r.timeline;
    std::vector<std::pair<std::uint64_t, SenderKey>> order;
    for (const auto &[key, points] : t.senders) {
        std::uint64_t n = 0;
        for (const SenderPoint &p : points)
            n += p.samples;
        order.emplace_back(n, key);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto &a, const auto &b) { return a.first > b.first; });
    order.resize(std::min<std::size_t>(order.size(), connections_shown));
    std::size_t number = 0;
    for (const auto &[n, key] : order) {
        const auto &points = t.senders.at(key);
        const bool out = key.second == PduDirection::to_target;
        const std::string who =
            fmt::format("{}, {}", connection_words(r, key.first), out ? "to the target" : "to the initiator");
        Chart c{
            fmt::format("sender-{}", number++),
            "Bytes in flight and congestion window, " + who,
            "kB",
            "as the sender saw it: the greatest flight of each interval, the last of the other figures. cwnd "
            "only where it was seen to limit",
            "senders",
            false,
            {},
            {}};
        std::vector<double> flight, cwnd, low, high, window, rtt;
        const auto kb = [](const std::optional<std::uint64_t> &v) {
            return v ? static_cast<double>(*v) / 1e3 : unknown;
        };
        for (std::size_t b = 0; b < t.used; ++b) {
            const SenderPoint &p = points[b];
            if (p.samples == 0)
                continue;
            c.x.push_back(t.seconds(b));
            flight.push_back(static_cast<double>(p.flight_max) / 1e3);
            cwnd.push_back(kb(p.cwnd));
            low.push_back(static_cast<double>(p.cwnd_low) / 1e3);
            high.push_back(kb(p.cwnd_high));
            window.push_back(kb(p.receive_window));
            rtt.push_back(p.rtt ? static_cast<double>(to_ns(*p.rtt)) / 1e6 : unknown);
        }
        Chart round{c.id + "-rtt", "Round trip, " + who,
                    "ms",          "the latest sample of each interval",
                    "senders",     false,
                    c.x,           {}};
        round.series.push_back(
            {"round trip", palette::series[2], std::move(rtt), false, false, false, false});
        c.series.push_back({"flight", palette::series[5], std::move(flight), false, false, true, false});
        c.series.push_back({"cwnd", palette::series[1], std::move(cwnd), false, false, false, false});
        c.series.push_back({"cwnd at least", palette::series[7], std::move(low), true, false, false, false});
        c.series.push_back({"cwnd at most", palette::series[6], std::move(high), true, false, false, false});
        c.series.push_back(
            {"receive window", palette::series[2], std::move(window), false, true, false, false});
        all.push_back(std::move(c));
        if (std::any_of(round.series[0].y.begin(), round.series[0].y.end(),
                        [](double v) { return !std::isnan(v); }))
            all.push_back(std::move(round));
    }
}

double seconds_since(const Timeline &t, Time at) {
    return static_cast<double>(to_ns(at - t.origin)) / 1e9;
}

// Equation 8 of Nomoto et al. for each session of several connections.
void deviations(const Report &r, std::vector<Chart> &all) {
    for (const ThroughputFigures &f : r.session_figures->throughput) {
        if (f.streams.size() < 2 || f.rows.size() < 2)
            continue;
        Chart c{fmt::format("deviation-{}", f.session),
                fmt::format("Throughput deviation, session {}", f.session),
                "MB/s",
                fmt::format("between its {} connections, over intervals of {}", f.streams.size(),
                            human::duration(f.interval)),
                "",
                false,
                {},
                {}};
        std::vector<double> mean, deviation;
        for (const ThroughputRow &row : f.rows) {
            c.x.push_back(
                seconds_since(r.timeline, f.first + f.interval * static_cast<std::int64_t>(row.interval)));
            mean.push_back(row.rate.mean / 1e6);
            deviation.push_back(row.rate.deviation / 1e6);
        }
        c.series.push_back(
            {"mean of a connection", palette::series[0], std::move(mean), false, false, false, true});
        c.series.push_back(
            {"deviation", palette::series[1], std::move(deviation), false, false, false, true});
        all.push_back(std::move(c));
    }
}

void command_windows(const Report &r, std::vector<Chart> &all) {
    for (const WindowFigures &w : r.session_figures->windows) {
        if (w.closings == 0 || w.size.size() < 2)
            continue; // a window that never closed delays nothing
        Chart c{fmt::format("window-{}", w.session),
                fmt::format("Command window, session {}", w.session),
                "commands",
                "MaxCmdSN − CmdSN + 1, mean over each interval; at 0 the initiator may send no command",
                "",
                false,
                {},
                {}};
        for (std::size_t i = 0; i < w.size.size(); ++i) {
            c.x.push_back(
                seconds_since(r.timeline, w.size.start + w.size.width * static_cast<std::int64_t>(i)));
        }
        c.series.push_back(
            {"window", palette::of(GapKind::command_window), w.size.means(), false, false, true, true});
        all.push_back(std::move(c));
    }
}

// Four digits are finer than a screen can show.
void append_number(std::string &out, double v) {
    if (std::isnan(v))
        out += "null";
    else
        fmt::format_to(std::back_inserter(out), "{:.4g}", v);
}

} // namespace

std::vector<Chart> charts_of(const Report &r) {
    std::vector<Chart> all;
    if (r.timeline.used == 0)
        return all;
    if (!r.timeline.traffic.empty())
        all.push_back(throughput(r));
    for (const TaskType type : {TaskType::read, TaskType::write}) {
        const auto &count = r.timeline.latency[static_cast<std::size_t>(type)].count;
        if (std::any_of(count.begin(), count.end(), [](std::uint32_t n) { return n != 0; }))
            all.push_back(response_times(r, type));
    }
    if (Chart c = outstanding(r); !c.series.empty())
        all.push_back(std::move(c));
    if (r.session_figures) {
        deviations(r, all);
        command_windows(r, all);
    }
    senders(r, all);
    return all;
}

std::string charts_json(const std::vector<Chart> &charts) {
    std::string out = "[";
    const auto text = [&out](std::string_view key, const std::string &value) {
        fmt::memory_buffer b;
        append_json(b, Value::text(value));
        out += fmt::format("\"{}\":{},", key, std::string_view(b.data(), b.size()));
    };
    for (const Chart &c : charts) {
        out += out.size() > 1 ? ",\n{" : "{";
        text("id", c.id);
        text("unit", c.unit);
        out += fmt::format("\"log\":{},\"x\":[", c.logarithmic);
        for (std::size_t i = 0; i < c.x.size(); ++i)
            fmt::format_to(std::back_inserter(out), "{}{:.7g}", i == 0 ? "" : ",", c.x[i]);
        out += "],\"series\":[";
        for (const Chart::Series &s : c.series) {
            out += &s == c.series.data() ? "{" : ",{";
            text("label", s.label);
            out += fmt::format(
                "\"color\":\"#{:06x}\",\"dashed\":{},\"hidden\":{},\"filled\":{},\"steps\":{},\"y\":[",
                s.color, s.dashed, s.hidden, s.filled, s.steps);
            for (std::size_t i = 0; i < s.y.size(); ++i) {
                out += i == 0 ? "" : ",";
                append_number(out, s.y[i]);
            }
            out += "]}";
        }
        out += "]}";
    }
    // A "</script>" in a name must not end the script.
    out += "]";
    for (std::size_t at = out.find("</"); at != std::string::npos; at = out.find("</", at + 1))
        out.replace(at, 2, "<\\/");
    return out;
}

} // namespace iscsiscope::html

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/figures/report_names.h"

#include <charconv>
#include <fmt/format.h>

namespace iscsiscope {
namespace {

NamedConstant natural(std::uint64_t v, Unit u = Unit::none) {
    return {Value::natural(v), u, ValueType::natural};
}

NamedConstant number(std::optional<double> v, Unit u) {
    return {v ? Value::number(*v) : Value{}, u, ValueType::number};
}

NamedConstant whole(std::optional<std::int64_t> v, Unit u) {
    return {v ? Value::integer(*v) : Value{}, u, ValueType::integer};
}

// "p99", "p99.9": 0.99, 0.999.
std::optional<double> quantile_of(std::string_view text) {
    double percent = 0;
    if (!text.starts_with('p')) {
        return std::nullopt;
    }
    const auto r =
        std::from_chars(text.data() + 1, text.data() + text.size(), percent, std::chars_format::fixed);
    if (r.ec != std::errc{} || r.ptr != text.data() + text.size() || !(percent >= 0 && percent <= 100)) {
        return std::nullopt;
    }
    return percent / 100;
}

// count, min, max, mean, sum or a quantile of a distribution of times.
std::optional<NamedConstant> statistic(const Histogram &h, std::string_view what) {
    if (what == "count") {
        return natural(h.count());
    }
    if (what == "min") {
        return whole(h.minimum(), Unit::time);
    }
    if (what == "max") {
        return whole(h.maximum(), Unit::time);
    }
    if (what == "mean") {
        return number(h.mean(), Unit::time);
    }
    if (what == "sum" || what == "time") {
        return whole(h.sum(), Unit::time);
    }
    if (const auto q = quantile_of(what)) {
        return whole(h.quantile(*q), Unit::time);
    }
    return std::nullopt;
}

std::optional<double> share_of(Duration part, Duration all) {
    return all > Duration{0}
               ? std::optional(static_cast<double>(to_ns(part)) / static_cast<double>(to_ns(all)))
               : std::nullopt;
}

std::pair<std::string_view, std::string_view> split(std::string_view name) {
    const auto dot = name.find('.');
    return {name.substr(0, dot), dot == std::string_view::npos ? std::string_view{} : name.substr(dot + 1)};
}

} // namespace

std::optional<NamedConstant> ReportNames::of_type(const TypeTally &t, std::string_view rest) const {
    const auto elapsed = report_.elapsed();
    const double seconds = elapsed ? static_cast<double>(to_ns(*elapsed)) / 1e9 : 0;
    const auto rate = [&](std::uint64_t n) {
        return seconds > 0 ? std::optional(static_cast<double>(n) / seconds) : std::nullopt;
    };
    if (rest == "count") {
        return natural(t.count);
    }
    if (rest == "bytes") {
        return natural(t.bytes, Unit::bytes);
    }
    if (rest == "throughput") {
        return number(rate(t.bytes), Unit::rate);
    }
    if (rest == "iops") {
        return number(rate(t.count), Unit::none);
    }
    if (rest == "not_good") {
        return natural(t.count - t.outcomes[static_cast<std::size_t>(TaskOutcome::good)]);
    }
    if (rest == "incomplete") {
        return natural(t.count - t.complete);
    }
    if (rest == "retransmitted_segments") {
        return natural(t.retransmitted_segments);
    }
    if (rest == "queue_depth.max") {
        return natural(t.deepest_queue);
    }
    const auto [figure_name, what] = split(rest);
    for (std::size_t i = 0; i < cycle_figure_count; ++i) {
        if (name(static_cast<CycleFigure>(i)) == figure_name) {
            return statistic(t.figures[i], what);
        }
    }
    return std::nullopt;
}

std::optional<NamedConstant> ReportNames::of_gap(std::string_view rest) const {
    const auto [kind_name, what] = split(rest);
    for (std::size_t i = 0; i < gap_kind_count; ++i) {
        if (name(static_cast<GapKind>(i)) == kind_name) {
            return what == "share"
                       ? number(share_of(report_.time.gap_time[i], report_.time.active), Unit::share)
                       : statistic(report_.gaps.lengths[i], what);
        }
    }
    return std::nullopt;
}

std::optional<NamedConstant> ReportNames::of_whole(std::string_view n) const {
    const IscsiCoverage &c = report_.capture.coverage;
    const std::pair<std::string_view, NamedConstant> all[] = {
        {"tasks", natural(report_.tasks())},
        {"pdus", natural(c.pdus)},
        {"sessions", natural(report_.sessions.size() + report_.sessions_left_out)},
        {"connections", natural(c.connections)},
        {"failed_logins", natural(report_.failed_logins)},
        {"anomalies", natural(report_.anomaly_count())},
        {"cut", natural(c.cut_bytes, Unit::bytes)},
        {"unseen", natural(c.unseen_bytes, Unit::bytes)},
        {"transfer.share", number(share_of(report_.time.transfer, report_.time.active), Unit::share)},
        {"idle.share",
         number(share_of(report_.time.active - report_.time.transfer, report_.time.active), Unit::share)},
    };
    for (const auto &[known, value] : all) {
        if (n == known) {
            return value;
        }
    }
    return std::nullopt;
}

std::variant<std::monostate, const Column *, NamedConstant> ReportNames::find(std::string_view n) const {
    const auto [first, rest] = split(n);
    std::optional<NamedConstant> found = of_whole(n);
    for (std::size_t i = 0; !found && i < task_type_count; ++i) {
        if (first == name(static_cast<TaskType>(i))) {
            found = of_type(report_.types[i], rest);
        }
    }
    if (!found && first == "gap") {
        found = of_gap(rest);
    }
    for (std::size_t i = 0; !found && first == "outcome" && i < task_outcome_count; ++i) {
        if (rest == name(static_cast<TaskOutcome>(i))) {
            std::uint64_t sum = 0;
            for (const TypeTally &t : report_.types) {
                sum += t.outcomes[i];
            }
            found = natural(sum);
        }
    }
    for (std::size_t i = 0; !found && first == "anomaly" && i < anomaly_kind_count; ++i) {
        if (rest == name(static_cast<AnomalyKind>(i))) {
            found = natural(report_.anomalies[i].count);
        }
    }
    if (!found) {
        return std::monostate{};
    }
    return *found;
}

std::vector<std::string> ReportNames::names() const {
    std::vector<std::string> all = {"tasks",     "pdus", "sessions", "connections",    "failed_logins",
                                    "anomalies", "cut",  "unseen",   "transfer.share", "idle.share"};
    for (std::size_t t = 0; t < task_type_count; ++t) {
        const std::string_view type = name(static_cast<TaskType>(t));
        for (const std::string_view what : {"count", "bytes", "throughput", "iops", "not_good", "incomplete",
                                            "retransmitted_segments", "queue_depth.max"}) {
            all.push_back(fmt::format("{}.{}", type, what));
        }
        for (std::size_t f = 0; f < cycle_figure_count; ++f) {
            for (const std::string_view what :
                 {"count", "min", "mean", "p50", "p90", "p99", "p99.9", "max", "sum"}) {
                all.push_back(fmt::format("{}.{}.{}", type, name(static_cast<CycleFigure>(f)), what));
            }
        }
    }
    for (std::size_t g = 0; g < gap_kind_count; ++g) {
        for (const std::string_view what : {"count", "time", "share", "p50", "p99", "max"}) {
            all.push_back(fmt::format("gap.{}.{}", name(static_cast<GapKind>(g)), what));
        }
    }
    for (std::size_t o = 0; o < task_outcome_count; ++o) {
        all.push_back(fmt::format("outcome.{}", name(static_cast<TaskOutcome>(o))));
    }
    for (std::size_t a = 0; a < anomaly_kind_count; ++a) {
        all.push_back(fmt::format("anomaly.{}", name(static_cast<AnomalyKind>(a))));
    }
    return all;
}

} // namespace iscsiscope

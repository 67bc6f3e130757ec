// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/figures/report_names.h"

#include "analyzer/figures/rates.h"
#include "analyzer/figures/shares.h"
#include "analyzer/figures/totals.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <initializer_list>
#include <vector>

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

NamedConstant duration(std::optional<Duration> d) {
    return whole(d ? std::optional(to_ns(*d)) : std::nullopt, Unit::time);
}

using NameAndValue = std::pair<std::string_view, NamedConstant>;

std::optional<NamedConstant> look_up(const std::vector<NameAndValue> &all, std::string_view name) {
    const auto at = std::ranges::find(all, name, &NameAndValue::first);
    return at != all.end() ? std::optional(at->second) : std::nullopt;
}

// Parses "p99" or "p99.9" to 0.99 or 0.999.
std::optional<double> quantile_of(std::string_view text) {
    double percent = 0;
    if (!text.starts_with('p'))
        return std::nullopt;
    const auto r =
        std::from_chars(text.data() + 1, text.data() + text.size(), percent, std::chars_format::fixed);
    if (r.ec != std::errc{} || r.ptr != text.data() + text.size() || !(percent >= 0 && percent <= 100))
        return std::nullopt;
    return percent / 100;
}

// Returns count, min, max, mean, sum or a quantile of a distribution of times.
std::optional<NamedConstant> statistic(const Histogram &h, std::string_view what) {
    const std::vector<NameAndValue> all = {
        {"count", natural(h.count())},           {"min", whole(h.minimum(), Unit::time)},
        {"max", whole(h.maximum(), Unit::time)}, {"mean", number(h.mean(), Unit::time)},
        {"sum", whole(h.sum(), Unit::time)},     {"time", whole(h.sum(), Unit::time)},
    };
    if (const auto found = look_up(all, what))
        return found;
    if (const auto q = quantile_of(what))
        return whole(h.quantile(*q), Unit::time);
    return std::nullopt;
}

// Returns the value of an enumeration, of its first `count`, that has this name.
template <class Kind>
std::optional<Kind> named(std::string_view wanted, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        if (name(static_cast<Kind>(i)) == wanted)
            return static_cast<Kind>(i);
    return std::nullopt;
}

std::pair<std::string_view, std::string_view> split(std::string_view name) {
    const auto dot = name.find('.');
    return {name.substr(0, dot), dot == std::string_view::npos ? std::string_view{} : name.substr(dot + 1)};
}

// The rates of Reads, of Writes or of both, and `others` behind them.
std::vector<NameAndValue> with_rates(const Rates &rate, std::initializer_list<NameAndValue> others) {
    std::vector<NameAndValue> all = {
        {"throughput", number(rate.throughput, Unit::rate)},
        {"average_throughput", number(rate.average_throughput, Unit::rate)},
        {"iops", number(rate.iops, Unit::none)},
        {"average_iops", number(rate.average_iops, Unit::none)},
        {"data_time", duration(rate.data_time)},
    };
    all.insert(all.end(), others);
    return all;
}

std::vector<NameAndValue> type_figures(const Report &r, TaskType type) {
    const TypeTally &t = r.of(type);
    return with_rates(rates(r, type), {
                                          {"count", natural(t.count)},
                                          {"bytes", natural(t.bytes, Unit::bytes)},
                                          {"not_good", natural(t.not_good)},
                                          {"incomplete", natural(t.count - t.complete)},
                                          {"retransmitted_segments", natural(t.retransmitted_segments)},
                                          {"queue_depth.max", natural(t.deepest_queue)},
                                      });
}

std::vector<NameAndValue> whole_figures(const Report &r) {
    const IscsiCoverage &c = r.capture.coverage;
    const Rates rate = rates(r); // of Reads and Writes together
    return with_rates(
        rate,
        {
            {"wire_rate", number(rate.wire_rate, Unit::rate)},
            {"average_wire_rate", number(r.wire.average_rate(), Unit::rate)},
            {"tasks", natural(r.tasks())},
            {"pdus", natural(c.pdus)},
            {"sessions", natural(r.sessions.size() + r.sessions_left_out)},
            {"connections", natural(c.connections)},
            {"failed_logins", natural(r.failed_logins)},
            {"anomalies", natural(anomaly_count(r))},
            {"cut", natural(c.cut_bytes, Unit::bytes)},
            {"unseen", natural(c.unseen_bytes, Unit::bytes)},
            {"busy", duration(busy_share(r.time) ? std::optional(r.time.busy) : std::nullopt)},
            {"unasked", duration(busy_share(r.time) ? std::optional(r.time.without_task) : std::nullopt)},
            {"busy.share", number(busy_share(r.time), Unit::share)},
            {"transfer.share", number(transfer_share(r.time), Unit::share)},
            {"idle.share", number(idle_ratio(r.time), Unit::share)},
        });
}

} // namespace

std::optional<NamedConstant> ReportNames::of_type(TaskType type, std::string_view rest) const {
    if (const auto found = look_up(type_figures(report_, type), rest))
        return found;
    const auto [figure_name, what] = split(rest);
    const auto figure = named<CycleFigure>(figure_name, cycle_figure_count);
    return figure ? statistic(report_.of(type).of(*figure), what) : std::nullopt;
}

std::optional<NamedConstant> ReportNames::of_gap(std::string_view rest) const {
    const auto [kind_name, what] = split(rest);
    const auto kind = named<GapKind>(kind_name, gap_kind_count);
    if (!kind)
        return std::nullopt;
    return what == "share" ? number(gap_share(report_.time, *kind), Unit::share)
                           : statistic(report_.gaps.lengths[static_cast<std::size_t>(*kind)], what);
}

std::variant<std::monostate, const Column *, NamedConstant> ReportNames::find(std::string_view n) const {
    const auto [first, rest] = split(n);
    std::optional<NamedConstant> found = look_up(whole_figures(report_), n);
    if (const auto type = named<TaskType>(first, task_type_count); type && !found)
        found = of_type(*type, rest);
    if (!found && first == "gap")
        found = of_gap(rest);
    for (std::size_t i = 0; !found && first == "owner" && i < owner_count; ++i) {
        const OwnerTimes &t = report_.time.owners;
        if (rest == owner_names[i])
            found = duration(t.sum() > Duration{} ? std::optional(t.parts[i]) : std::nullopt);
        else if (rest == fmt::format("{}.share", owner_names[i]))
            found = number(owner_share(t, static_cast<Owner>(i)), Unit::share);
    }
    if (const auto outcome = named<TaskOutcome>(rest, task_outcome_count); outcome && first == "outcome")
        found = natural(task_totals(report_).of(*outcome));
    if (const auto kind = named<AnomalyKind>(rest, anomaly_kind_count); kind && first == "anomaly")
        found = natural(report_.anomalies[static_cast<std::size_t>(*kind)].count);
    if (!found)
        return std::monostate{};
    return *found;
}

std::vector<std::string> ReportNames::names() const {
    std::vector<std::string> all;
    for (const auto &[figure, value] : whole_figures(report_))
        all.emplace_back(figure);
    for (std::size_t t = 0; t < task_type_count; ++t) {
        const std::string_view type = name(static_cast<TaskType>(t));
        for (const auto &[figure, value] : type_figures(report_, static_cast<TaskType>(t)))
            all.push_back(fmt::format("{}.{}", type, figure));
        for (std::size_t f = 0; f < cycle_figure_count; ++f)
            for (const std::string_view what :
                 {"count", "min", "mean", "p50", "p90", "p99", "p99.9", "max", "sum"})
                all.push_back(fmt::format("{}.{}.{}", type, name(static_cast<CycleFigure>(f)), what));
    }
    for (std::size_t g = 0; g < gap_kind_count; ++g)
        for (const std::string_view what : {"count", "time", "share", "p50", "p99", "max"})
            all.push_back(fmt::format("gap.{}.{}", name(static_cast<GapKind>(g)), what));
    for (const std::string_view owner : owner_names)
        for (const std::string_view what : {"", ".share"})
            all.push_back(fmt::format("owner.{}{}", owner, what));
    for (std::size_t o = 0; o < task_outcome_count; ++o)
        all.push_back(fmt::format("outcome.{}", name(static_cast<TaskOutcome>(o))));
    for (std::size_t a = 0; a < anomaly_kind_count; ++a)
        all.push_back(fmt::format("anomaly.{}", name(static_cast<AnomalyKind>(a))));
    return all;
}

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/figures/compare/comparison.h"

#include "analyzer/base/number_format.h"
#include "analyzer/base/ratio.h"
#include "analyzer/figures/rates.h"
#include "analyzer/figures/shares.h"
#include "analyzer/figures/totals.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

namespace iscsiscope {
namespace {

template <class T>
std::optional<double> as_number(const std::optional<T> &v) {
    return v ? std::optional(amount(*v)) : std::nullopt;
}
template <class T>
std::optional<double> as_number(T v) {
    return amount(v);
}

// Adds figures of one group, those that are known of either capture.
class Group {
public:
    Group(Comparison &c, std::string_view name) : all_(c.differences), name_(name) {}

    void add(std::string what, Unit unit, std::optional<double> before, std::optional<double> after,
             bool higher = false, bool neutral = false) {
        if (before || after)
            all_.push_back({name_, std::move(what), unit, before, after, higher, neutral});
    }
    // Averages are neutral: they differ as well where the host pauses longer.
    void add(const Rates &s, const Rates &t) {
        add("count", Unit::none, as_number(s.tasks), as_number(t.tasks), false, true);
        add("data_time", Unit::time, as_number(s.data_time), as_number(t.data_time), false, true);
        add("throughput", Unit::rate, s.throughput, t.throughput, true);
        add("average_throughput", Unit::rate, s.average_throughput, t.average_throughput, false, true);
        add("iops", Unit::none, s.iops, t.iops, true);
        add("average_iops", Unit::none, s.average_iops, t.average_iops, false, true);
    }

private:
    std::vector<Difference> &all_;
    std::string name_;
};

OwnerTimes read_and_write_owners(const Report &r) {
    OwnerTimes all = r.type_owners[static_cast<std::size_t>(TaskType::read)];
    return all += r.type_owners[static_cast<std::size_t>(TaskType::write)];
}

// Returns the owner whose busy time for each byte changed most, if that explains the difference of the
// throughput; else nothing. It does if busy time for each byte changed as the throughput did, if most
// of the change is that owner's, and if neither unknown time nor an owner that changed the other way could be
// as much. It is no cause: with fewer tasks at a time, for example, more of the distance is waited for.
std::optional<OwnerChange> changed_owner(const Report &a, const Report &b, const Rates &before,
                                         const Rates &after) {
    constexpr double least = 0.1, agreement = 0.25, most = 0.6, little = 0.2;
    const double change = *after.throughput / *before.throughput;
    const OwnerTimes x = read_and_write_owners(a), y = read_and_write_owners(b);
    const bool whole = a.filter.empty() && b.filter.empty() && !a.time.busy_at_least &&
                       !b.time.busy_at_least && a.time.one_sided == Duration{} &&
                       b.time.one_sided == Duration{};
    if (!whole || std::abs(change - 1) < least || x.sum() <= Duration{} || y.sum() <= Duration{})
        return std::nullopt;
    const auto each = [](Duration d, const Rates &r) {
        return amount(d) / amount(r.bytes) * 1e6; // ns for each MB
    };
    const double sum = each(y.sum(), after) - each(x.sum(), before);
    if (std::abs(each(x.sum(), before) / each(y.sum(), after) / change - 1) > agreement)
        return std::nullopt;
    std::optional<Owner> found;
    for (std::size_t i = 0; i < owner_count; ++i) {
        const auto owner = static_cast<Owner>(i);
        const double part = (each(y[owner], after) - each(x[owner], before)) / sum;
        if (part < -little || (owner == Owner::unknown && part > little))
            return std::nullopt;
        if (part > most)
            found = owner;
    }
    if (!found)
        return std::nullopt;
    return OwnerChange{*found, each(x[*found], before), each(y[*found], after)};
}

ThroughputChange throughput_change(const Report &a, const Report &b) {
    ThroughputChange t{rates(a), rates(b), tasks_known(a), tasks_known(b), std::nullopt};
    if (t.comparable())
        t.owner = changed_owner(a, b, t.before, t.after);
    return t;
}

void tasks(Comparison &c, const Report &a, const Report &b, TaskType type,
           const std::vector<double> &quantiles) {
    const TypeTally &x = a.of(type), &y = b.of(type);
    if (x.count == 0 && y.count == 0)
        return;
    Group group(c, name(type));
    group.add(rates(a, type), rates(b, type));
    group.add("not_good", Unit::none, as_number(x.not_good), as_number(y.not_good));
    for (std::size_t i = 0; i < cycle_figure_count; ++i) {
        const auto f = static_cast<CycleFigure>(i);
        const Histogram &h = x.figures[i], &g = y.figures[i];
        if (h.maximum().value_or(0) == 0 && g.maximum().value_or(0) == 0)
            continue; // a phase that neither capture has
        for (const double q : quantiles) {
            group.add(fmt::format("{}.p{:g}", name(f), q * 100), Unit::time, as_number(h.quantile(q)),
                      as_number(g.quantile(q)));
        }
    }
    group.add("queue_depth.mean", Unit::none, x.mean_queue_depth(), y.mean_queue_depth(), false, true);
}

void times(Comparison &c, const Report &a, const Report &b) {
    Group time(c, "time");
    if (const auto x = busy_share(a.time), y = busy_share(b.time); x && y) {
        time.add("busy", Unit::time, as_number(a.time.busy), as_number(b.time.busy), false, true);
        time.add("unasked", Unit::time, as_number(a.time.without_task), as_number(b.time.without_task), false,
                 true);
        time.add("busy.share", Unit::share, x, y, false, true);
    }
    c.differences.push_back(
        {"time", "transfer.share", Unit::share, transfer_share(a.time), transfer_share(b.time), true, false});
    for (std::size_t i = 0; i < gap_kind_count; ++i) {
        const auto kind = static_cast<GapKind>(i);
        if (a.time.gap_time[i] > Duration{0} || b.time.gap_time[i] > Duration{0}) {
            c.differences.push_back({"time", fmt::format("gap.{}.share", name(kind)), Unit::share,
                                     gap_share(a.time, kind), gap_share(b.time, kind), false, false});
        }
    }
}

// The owners' parts of busy time. They are neutral: a longer part is worse only if the work is the same.
void owners(Comparison &c, const Report &a, const Report &b) {
    Group group(c, "owners");
    const OwnerTimes &x = a.time.owners, &y = b.time.owners;
    const auto of = [](const OwnerTimes &t, Owner o) {
        return as_number(t.sum() > Duration{} ? std::optional(t[o]) : std::nullopt);
    };
    for (std::size_t i = 0; i < owner_count; ++i) {
        const auto o = static_cast<Owner>(i);
        group.add(fmt::format("owner.{}", owner_names[i]), Unit::time, of(x, o), of(y, o), false, true);
        group.add(fmt::format("owner.{}.share", owner_names[i]), Unit::share, owner_share(x, o),
                  owner_share(y, o), false, true);
    }
}

void tcp(Comparison &c, const Report &a, const Report &b) {
    const SegmentTotals x = segment_totals(a), y = segment_totals(b);
    c.differences.push_back(
        {"tcp", "round_trip", Unit::time, as_number(x.min_rtt), as_number(y.min_rtt), false, false});
    c.differences.push_back({"tcp", "retransmitted.share", Unit::share, x.share, y.share, false, false});
    c.differences.push_back({"tcp", "connections", Unit::none, as_number(connection_count(a)),
                             as_number(connection_count(b)), false, true});
}

void findings(Comparison &c, const Report &a, const Report &b) {
    std::map<FindingKind, FindingChange> all;
    const auto take = [&](const Report &r, bool before) {
        if (!r.findings)
            return;
        for (const Finding &f : r.findings->findings) {
            FindingChange &x = all[f.kind];
            x.kind = f.kind;
            x.title = title(f.kind);
            auto &share = before ? x.before : x.after;
            auto &severity = before ? x.severity_before : x.severity_after;
            share = share.value_or(0) + f.share; // a kind may have several findings, one for each connection
            severity = severity ? std::min(*severity, f.severity) : f.severity;
        }
    };
    take(a, true);
    take(b, false);
    for (auto &[kind, x] : all)
        c.findings.push_back(std::move(x));
    std::ranges::stable_sort(c.findings, [](const FindingChange &x, const FindingChange &y) {
        return std::max(x.before.value_or(0), x.after.value_or(0)) >
               std::max(y.before.value_or(0), y.after.value_or(0));
    });
}

struct Settings {
    using Values = std::map<std::string, std::set<std::string>>; // the values of all sessions
    Values keys, tcp;
    bool login_whole = false; // a login was seen whole: keys that are absent were not negotiated
};

// Returns the negotiated keys, as far as they are known.
Settings settings_of(const Report &r) {
    Settings s;
    for (const ConnectionRecord &c : r.connections) {
        if (!c.login || !c.login->accepted)
            continue;
        s.login_whole |= c.login->whole;
        for (const NegotiatedKey &k : c.login->keys.keys) {
            const bool site = k.key.ends_with("Name") || k.key.ends_with("Alias") ||
                              k.key.ends_with("Address") || k.key == "TargetPortalGroupTag" ||
                              k.key.starts_with("CHAP_");
            if (site)
                continue;
            const bool each = parameter_of(Party::initiator, k.key) == Parameter::max_recv_initiator;
            if (!k.in_force.empty())
                s.keys[each ? k.key + " of the initiator" : k.key].insert(human::name(k.in_force));
            if (each && !k.in_force_target.empty())
                s.keys[k.key + " of the target"].insert(human::name(k.in_force_target));
        }
    }
    for (const TcpDirectionRow &d : r.tcp) {
        const char *from = d.direction == PduDirection::to_target ? "initiator" : "target";
        if (d.figures->syn_seen) {
            s.tcp[fmt::format("MSS offered by the {}", from)].insert(
                d.figures->mss_offered ? std::to_string(*d.figures->mss_offered) : "none");
            s.tcp[fmt::format("window scale offered by the {}", from)].insert(
                d.figures->window_scale_offered ? std::to_string(*d.figures->window_scale_offered) : "none");
        }
    }
    return s;
}

// A key that is known of one capture only is no difference, unless the other capture is known to lack it.
void settings(Comparison &c, const Settings::Values &x, const Settings::Values &y, bool absence_known) {
    std::set<std::string> names;
    for (const auto *m : {&x, &y})
        for (const auto &[k, v] : *m)
            names.insert(k);
    for (const std::string &k : names) {
        const auto at = [&](const Settings::Values &m) {
            const auto i = m.find(k);
            return i == m.end() ? std::string() : fmt::format("{}", fmt::join(i->second, ", "));
        };
        const bool comparable = absence_known || (x.contains(k) && y.contains(k));
        if (comparable && at(x) != at(y))
            c.settings.push_back({k, at(x), at(y)});
    }
}

void settings(Comparison &c, const Report &a, const Report &b) {
    const Settings x = settings_of(a), y = settings_of(b);
    settings(c, x.keys, y.keys, x.login_whole && y.login_whole);
    settings(c, x.tcp, y.tcp, false);
}

} // namespace

bool ThroughputChange::comparable() const {
    return before.throughput && after.throughput && *before.throughput != 0 && before_whole && after_whole;
}

std::optional<double> Difference::change() const {
    return before && after && *before != 0 ? std::optional((*after - *before) / *before) : std::nullopt;
}

Comparison compare(const Report &before, const Report &after, const std::vector<double> &quantiles) {
    Comparison c;
    c.before = before.capture.path;
    c.after = after.capture.path;
    c.throughput = throughput_change(before, after);
    const Rates &x = c.throughput.before, &y = c.throughput.after;
    if (x.tasks != 0 || y.tasks != 0)
        Group(c, "both").add(x, y);
    for (const TaskType type : {TaskType::read, TaskType::write, TaskType::control})
        tasks(c, before, after, type, quantiles);
    times(c, before, after);
    owners(c, before, after);
    tcp(c, before, after);
    findings(c, before, after);
    settings(c, before, after);
    return c;
}

} // namespace iscsiscope

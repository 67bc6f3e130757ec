// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/compare/comparison.h"

#include "analyzer/base/number_format.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace iscsiscope {
namespace {

std::optional<double> number(const std::optional<std::int64_t> &v) {
    return v ? std::optional(static_cast<double>(*v)) : std::nullopt;
}

double seconds_of(const Report &r) {
    const auto e = r.elapsed();
    return e ? static_cast<double>(to_ns(*e)) / 1e9 : 0;
}

std::optional<double> rate(double amount, double seconds) {
    return seconds > 0 ? std::optional(amount / seconds) : std::nullopt;
}

void tasks(Comparison &c, const Report &a, const Report &b, TaskType type,
           const std::vector<double> &quantiles) {
    const TypeTally &x = a.types[static_cast<std::size_t>(type)],
                    &y = b.types[static_cast<std::size_t>(type)];
    if (x.count == 0 && y.count == 0) {
        return;
    }
    const std::string group(name(type));
    const auto add = [&](std::string what, Unit unit, std::optional<double> before,
                         std::optional<double> after, bool higher = false, bool neutral = false) {
        if (before || after) {
            c.differences.push_back({group, std::move(what), unit, before, after, higher, neutral});
        }
    };
    const double s = seconds_of(a), t = seconds_of(b);
    add("count", Unit::none, static_cast<double>(x.count), static_cast<double>(y.count), false, true);
    add("throughput", Unit::rate, rate(static_cast<double>(x.bytes), s),
        rate(static_cast<double>(y.bytes), t), true);
    add("iops", Unit::none, rate(static_cast<double>(x.count), s), rate(static_cast<double>(y.count), t),
        true);
    const auto not_good = [](const TypeTally &z) {
        return static_cast<double>(z.count - z.outcomes[static_cast<std::size_t>(TaskOutcome::good)]);
    };
    add("not_good", Unit::none, not_good(x), not_good(y));
    for (std::size_t i = 0; i < cycle_figure_count; ++i) {
        const auto f = static_cast<CycleFigure>(i);
        const Histogram &h = x.figures[i], &g = y.figures[i];
        if (h.maximum().value_or(0) == 0 && g.maximum().value_or(0) == 0) {
            continue; // a phase that neither has
        }
        for (const double q : quantiles) {
            add(fmt::format("{}.p{:g}", name(f), q * 100), Unit::time, number(h.quantile(q)),
                number(g.quantile(q)));
        }
    }
    const auto depth = [](const TypeTally &z) {
        return z.depth_count == 0
                   ? std::nullopt
                   : std::optional(static_cast<double>(z.depth_sum) / static_cast<double>(z.depth_count));
    };
    add("queue_depth.mean", Unit::none, depth(x), depth(y), false, true);
}

void times(Comparison &c, const Report &a, const Report &b) {
    const auto share = [](Duration part, const Report &r) {
        return r.time.active > Duration{0}
                   ? std::optional(human::ratio(static_cast<double>(to_ns(part)),
                                                static_cast<double>(to_ns(r.time.active))))
                   : std::nullopt;
    };
    c.differences.push_back({"time", "transfer.share", Unit::share, share(a.time.transfer, a),
                             share(b.time.transfer, b), true, false});
    for (std::size_t i = 0; i < gap_kind_count; ++i) {
        if (a.time.gap_time[i] > Duration{0} || b.time.gap_time[i] > Duration{0}) {
            c.differences.push_back({"time", fmt::format("gap.{}.share", name(static_cast<GapKind>(i))),
                                     Unit::share, share(a.time.gap_time[i], a), share(b.time.gap_time[i], b),
                                     false, false});
        }
    }
}

// Of the connections together.
struct Path {
    std::optional<double> round_trip; // ns, least
    double segments = 0, again = 0;
};

Path path_of(const Report &r) {
    Path p;
    for (const ConnectionRecord &c : r.connections) {
        if (c.rtt_to_initiator && c.rtt_to_target) {
            const auto v = static_cast<double>(to_ns(*c.rtt_to_initiator + *c.rtt_to_target));
            p.round_trip = p.round_trip ? std::min(*p.round_trip, v) : v;
        }
        p.segments += static_cast<double>(c.segments_to_target + c.segments_to_initiator);
        p.again += static_cast<double>(c.retransmitted_to_target + c.retransmitted_to_initiator);
    }
    return p;
}

void tcp(Comparison &c, const Report &a, const Report &b) {
    const Path x = path_of(a), y = path_of(b);
    c.differences.push_back({"tcp", "round_trip", Unit::time, x.round_trip, y.round_trip, false, false});
    const auto loss = [](const Path &p) {
        return p.segments > 0 ? std::optional(p.again / p.segments) : std::nullopt;
    };
    c.differences.push_back({"tcp", "retransmitted.share", Unit::share, loss(x), loss(y), false, false});
    const auto connections = [](const Report &r) {
        return static_cast<double>(r.connections.size() + r.connections_left_out);
    };
    c.differences.push_back({"tcp", "connections", Unit::none, connections(a), connections(b), false, true});
}

void findings(Comparison &c, const Report &a, const Report &b) {
    std::map<FindingKind, FindingChange> all;
    const auto take = [&](const Report &r, bool before) {
        if (!r.findings) {
            return;
        }
        for (const Finding &f : r.findings->findings) {
            FindingChange &x = all[f.kind];
            x.kind = f.kind;
            x.title = title(f.kind);
            auto &share = before ? x.before : x.after;
            auto &severity = before ? x.severity_before : x.severity_after;
            share = share.value_or(0) + f.share; // several of one kind, each of its own connection
            severity = severity ? std::min(*severity, f.severity) : f.severity;
        }
    };
    take(a, true);
    take(b, false);
    for (auto &[kind, x] : all) {
        c.findings.push_back(std::move(x));
    }
    std::stable_sort(c.findings.begin(), c.findings.end(),
                     [](const FindingChange &x, const FindingChange &y) {
                         return std::max(x.before.value_or(0), x.after.value_or(0)) >
                                std::max(y.before.value_or(0), y.after.value_or(0));
                     });
}

struct Settings {
    using Values = std::map<std::string, std::set<std::string>>; // of several sessions: all of them
    Values keys, tcp;
    bool login_whole = false; // a key that is not among them was named by nobody
};

// What was negotiated, as far as it is known.
Settings settings_of(const Report &r) {
    Settings s;
    for (const ConnectionRecord &c : r.connections) {
        if (!c.login || !c.login->accepted) {
            continue;
        }
        s.login_whole |= c.login->whole;
        for (const NegotiatedKey &k : c.login->keys.keys) {
            const bool site = k.key.ends_with("Name") || k.key.ends_with("Alias") ||
                              k.key.ends_with("Address") || k.key == "TargetPortalGroupTag" ||
                              k.key.starts_with("CHAP_");
            if (site) {
                continue;
            }
            const bool each = parameter_of(Party::initiator, k.key) == Parameter::max_recv_initiator;
            if (!k.in_force.empty()) {
                s.keys[each ? k.key + " of the initiator" : k.key].insert(human::name(k.in_force));
            }
            if (each && !k.in_force_target.empty()) {
                s.keys[k.key + " of the target"].insert(human::name(k.in_force_target));
            }
        }
    }
    for (const TcpDirectionRow &d : r.tcp) {
        const char *from = d.direction == PduDirection::to_target ? "initiator" : "target";
        if (d.figures.syn_seen) {
            s.tcp[fmt::format("MSS offered by the {}", from)].insert(
                d.figures.mss_offered ? std::to_string(*d.figures.mss_offered) : "none");
            s.tcp[fmt::format("window scale offered by the {}", from)].insert(
                d.figures.window_scale_offered ? std::to_string(*d.figures.window_scale_offered) : "none");
        }
    }
    return s;
}

// What only one of them tells is no difference, unless the other is known to be without it.
void settings(Comparison &c, const Settings::Values &x, const Settings::Values &y, bool absence_tells) {
    std::set<std::string> names;
    for (const auto *m : {&x, &y}) {
        for (const auto &[k, v] : *m) {
            names.insert(k);
        }
    }
    for (const std::string &k : names) {
        const auto at = [&](const Settings::Values &m) {
            const auto i = m.find(k);
            return i == m.end() ? std::string() : fmt::format("{}", fmt::join(i->second, ", "));
        };
        const bool told = absence_tells || (x.contains(k) && y.contains(k));
        if (told && at(x) != at(y)) {
            c.settings.push_back({k, at(x), at(y)});
        }
    }
}

void settings(Comparison &c, const Report &a, const Report &b) {
    const Settings x = settings_of(a), y = settings_of(b);
    settings(c, x.keys, y.keys, x.login_whole && y.login_whole);
    settings(c, x.tcp, y.tcp, false);
}

} // namespace

std::optional<double> Difference::change() const {
    return before && after && *before != 0 ? std::optional((*after - *before) / *before) : std::nullopt;
}

Comparison compare(const Report &before, const Report &after, const std::vector<double> &quantiles) {
    Comparison c;
    c.before = before.capture.path;
    c.after = after.capture.path;
    for (const TaskType type : {TaskType::read, TaskType::write, TaskType::control}) {
        tasks(c, before, after, type, quantiles);
    }
    times(c, before, after);
    tcp(c, before, after);
    findings(c, before, after);
    settings(c, before, after);
    return c;
}

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// Rule path_imbalance: several sessions to one LUN (MPIO) carry unequal shares, or take unequal times for
// equal shares.
#include "analyzer/findings/rules/rule_tools.h"
#include "analyzer/findings/rules/sense_words.h"

#include "analyzer/base/containers/greatest.h"
#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/iscsi/scsi/sense_group.h"
#include "analyzer/sessions/figures/session_figures.h"
#include "analyzer/sessions/figures/spread.h"

#include <algorithm>

namespace iscsiscope::rules {
namespace {

// Two paths at 2 : 1 have a Jain's index of 0.9.
constexpr double equal_from = 0.9;
constexpr double alike_from = 0.96;        // 3 : 2; from there to 2 : 1 what distance explains is noticed
constexpr std::uint64_t enough_tasks = 10; // of one path, for its median

// The shortest round trips of a session's connections.
struct RoundTrip {
    std::optional<Duration> to_initiator, whole;
};

RoundTrip round_trip_of(const Facts &facts, SessionId session) {
    RoundTrip r;
    const auto keep = [](std::optional<Duration> &least, std::optional<Duration> d) {
        if (d)
            least = std::min(least.value_or(*d), *d);
    };
    for (const ConnectionFacts &k : facts.connections)
        if (k.record.session == session) {
            keep(r.to_initiator, k.record.rtt_to_initiator);
            keep(r.whole, k.rtt());
        }
    return r;
}

// What a path takes for a Read or Write, at the median and at the initiator.
struct PathTime {
    const PathShare *path = nullptr;
    RoundTrip round_trip;
    Duration median{};
};

struct UnequalTimes {
    const PathGroup *group = nullptr;
    PathTime fast, slow;
    double jain = 1; // of the medians of all paths

    Duration more() const { return slow.median - fast.median; }
    // The round trips explain at least half of the difference.
    bool by_distance() const {
        const auto &far = slow.round_trip.whole, &near = fast.round_trip.whole;
        return far && near && *far - *near >= more() / 2;
    }
};

std::optional<UnequalTimes> times_of(const Facts &facts, const PathGroup &g) {
    UnequalTimes t{&g, {}, {}, 1};
    std::vector<double> medians;
    for (const PathShare &p : g.paths) {
        const std::optional<Duration> median = quantile(p.response_time, 0.5);
        if (!median || p.tasks < enough_tasks)
            continue;
        PathTime now{&p, round_trip_of(facts, first_session(p.session)), *median};
        now.median += now.round_trip.to_initiator.value_or(Duration{});
        medians.push_back(static_cast<double>(now.median.count()));
        if (t.fast.path == nullptr || now.median < t.fast.median)
            t.fast = now;
        if (t.slow.path == nullptr || now.median > t.slow.median)
            t.slow = now;
    }
    if (medians.size() < 2)
        return std::nullopt;
    t.jain = spread_of(medians).jain.value_or(1);
    return t;
}

// The group whose paths differ most.
std::optional<UnequalTimes> max_unequal(const RuleContext &c) {
    std::optional<UnequalTimes> worst;
    for (const PathGroup &g : c.in.sessions->path_groups)
        if (const auto t = times_of(c.facts, g); t && (!worst || t->jain < worst->jain))
            worst = t;
    return worst;
}

void name_paths(Finding &f, const PathGroup &g, const PathShare &worst) {
    f.lun = worst.lun;
    f.session = first_session(worst.session);
    add_figure(f, "jain_index", g.by_bytes.jain.value_or(1));
    add_figure(f, "paths", static_cast<double>(g.paths.size()));
    add_figure(f, "idle_paths", static_cast<double>(g.idle_paths));
}

std::string paths_to_one_lun(const PathGroup &g, const PathShare &path) {
    return "Of " + human::count(g.paths.size()) + " paths to LUN " + to_string(Lun{path.lun}) +
           (g.guess ? " (one LUN by name and number, which is a guess)" : "");
}

// Returns "the path to 10.0.0.2:3260", or the other words if its address is not known.
std::string named(const RuleContext &c, const PathShare &path, const char *otherwise) {
    const ConnectionFacts *k = connection_of_session(c.facts, first_session(path.session));
    return k == nullptr || k->record.target == Endpoint{} ? otherwise
                                                          : "the path to " + to_text(k->record.target);
}

// " The host takes another path after 1 Read or Write (median)."; empty where the paths did not take turns.
std::string run_words(Finding &f, const PathGroup &g) {
    const auto median = g.runs.quantile(0.5);
    if (!median || g.runs.count() < enough_tasks)
        return {};
    add_figure(f, "run_length", static_cast<double>(*median));
    return " The host takes another path after " +
           human::plural(static_cast<std::uint64_t>(*median), "Read or Write", "Reads and Writes") +
           " (median).";
}

// True if repairs of losses take a tenth of the path's busy time, and the other paths have hardly any.
bool loses_packets(const RuleContext &c, const PathShare &path) {
    constexpr double nearly_all = 0.9;
    Duration here{}, anywhere{}, busy{};
    for (const FindingKind kind : {FindingKind::packet_loss, FindingKind::retransmission_timeout})
        for (const auto &[stream, time] : c.lost.to(kind).by_stream) {
            const ConnectionFacts *k = connection_of(c.facts, stream);
            here += k != nullptr && k->record.session == first_session(path.session) ? time : Duration{};
            anywhere += time;
        }
    for (const ConnectionFacts &k : c.facts.connections)
        busy += k.record.session == first_session(path.session) ? k.busy() : Duration{};
    return ratio(here, busy) >= problem_from && ratio(here, anywhere) >= nearly_all;
}

Finding unequal_times(const RuleContext &c, const UnequalTimes &t) {
    Finding f = begin_finding(FindingKind::path_imbalance);
    f.title = "Paths to one LUN are unequally fast";
    f.task_time = std::min(t.more() * static_cast<std::int64_t>(t.slow.path->tasks), c.facts.response());
    f.task_share = ratio(f.task_time, c.facts.response());
    f.occurrences = t.slow.path->tasks;
    const bool lossy = loses_packets(c, *t.slow.path);
    if (t.jain >= equal_from || lossy)
        f.at_most = Severity::notice;
    name_paths(f, *t.group, *t.slow.path);
    f.sentence = paths_to_one_lun(*t.group, *t.slow.path) + ", " + named(c, *t.slow.path, "one") + " takes " +
                 human::duration(t.slow.median) + " per Read or Write (median), " +
                 named(c, *t.fast.path, "another") + " " + human::duration(t.fast.median) + "; they carry " +
                 percent(t.slow.path->task_share) + " and " + percent(t.fast.path->task_share) +
                 " of the commands.";
    const auto &far = t.slow.round_trip.whole, &near = t.fast.round_trip.whole;
    const bool distance = t.by_distance();
    if (far && near) {
        f.sentence += " Their round trips are " + human::duration(*far) + " and " + human::duration(*near) +
                      (distance ? ": the paths differ, not the target."
                       : lossy  ? "; packets of the slower one are lost, which explains it."
                                : ", which does not explain it.");
        add_figure(f, "slower_round_trip", *far);
        add_figure(f, "faster_round_trip", *near);
    }
    also(f, FindingKind::packet_loss, lossy);
    add_figure(f, "slower_median", t.slow.median);
    add_figure(f, "faster_median", t.fast.median);
    for (const LunFacts &l : c.facts.luns)
        if (l.session == first_session(t.slow.path->session) && l.lun == t.slow.path->lun)
            for (const LunFacts::Slowest &s : l.slowest) {
                add_evidence(f, s.command_frame, "a command on the slower path");
                add_evidence(f, s.answer_frame, "its answer");
            }
    f.sentence += run_words(f, *t.group);
    f.remedy =
        std::string(distance || lossy
                        ? "Look at the slower path's links and route. "
                        : "Look at the slower path's target port and controller, and at its load. ") +
        "Until then let multipath choose by time (path_selector service-time; ESXi: VMW_PSP_RR with latency "
        "policy; Windows MPIO: Least Queue Depth), or keep that path as standby (path_grouping_policy "
        "failover).";
    return f;
}

// Why some paths carry less, if the target asked for that: it reported their port group (ALUA) in a state
// other than active/optimized, or refused commands for such a state. Empty: it did not of the path with
// fewest bytes.
std::string kept_back(const RuleContext &c, const PathGroup &g) {
    const auto least = std::ranges::min_element(g.paths, {}, &PathShare::bytes);
    for (const PathState &s : c.in.sessions->paths.states)
        if (s.session == first_session(least->session) && s.lun == least->lun && s.worst)
            return named(c, *least, "one path") + " carried " + percent(least->byte_share) +
                   " of the bytes, and the target had reported its port group " + std::to_string(s.group) +
                   " as " + std::string(words(*s.worst)) + " (ALUA)";
    for (const auto &[key, row] : c.facts.refusals.rows)
        if (key.unit.session == first_session(least->session) && key.unit.lun == least->lun && key.sense &&
            group_of(*key.sense) == SenseGroup::path_state)
            return named(c, *least, "one path") + " carried " + percent(least->byte_share) +
                   " of the bytes, and the target refused commands there for the state of the path (ALUA, " +
                   sense_digits(*key.sense) + ")";
    return {};
}

// True if the host gave a path of the group up for another one.
bool failed_over(const RuleContext &c, const PathGroup &g) {
    return std::ranges::any_of(
        c.lost.stories().failovers(),
        [&](const Failover *f) {
            const SessionGroup *session = c.in.sessions->group_of_stream(f->from);
            return session != nullptr &&
                   std::ranges::any_of(
                       g.paths,
                       [&](const PathShare &p) { return p.session == session->session && p.lun == f->lun; });
        });
}

Finding unequal_shares(const RuleContext &c, const PathGroup &g) {
    const auto [least, most] = std::ranges::minmax_element(g.paths, {}, &PathShare::bytes);
    Finding f = begin_finding(FindingKind::path_imbalance);
    f.nature = Nature::harm;
    name_paths(f, g, *most);
    f.sentence =
        paths_to_one_lun(g, *most) + ", " + named(c, *most, "one") + " carried " + percent(most->byte_share) +
        " of the bytes, " + named(c, *least, "another") + " " + percent(least->byte_share) +
        (g.idle_paths > 0 ? "; " + human::plural(g.idle_paths, "path", "paths") + " carried none" : "") + ".";
    f.sentence += run_words(f, g);
    f.remedy = "Check that all paths are active and optimized (Linux: multipath -ll), then let multipath use "
               "them (path_selector round-robin or queue-length, rr_min_io_rq 1; ESXi: VMW_PSP_RR with "
               "IOPS=1; Windows MPIO: Round Robin or Least Queue Depth).";
    return f;
}

} // namespace

Verdict path_imbalance(const RuleContext &c) {
    const auto inequality = [](const PathGroup &g) {
        return g.paths.size() > 1 ? std::optional(-g.by_bytes.jain.value_or(1)) : std::nullopt;
    };
    const auto *worst =
        c.in.sessions != nullptr ? greatest_of(c.in.sessions->path_groups, inequality) : nullptr;
    if (worst == nullptr)
        return none("no LUN was reached by several sessions");
    std::uint64_t tasks = 0;
    for (const PathShare &p : worst->paths)
        tasks += p.tasks;
    const double jain = worst->by_bytes.jain.value_or(1);
    if (jain < equal_from && failed_over(c, *worst))
        return none("one of the paths failed, and the host went on over the other (failover)");
    if (jain < equal_from && tasks >= 2 * enough_tasks) {
        if (const std::string why = kept_back(c, *worst); !why.empty())
            return none(why);
        return {unequal_shares(c, *worst), {}};
    }
    const std::optional<UnequalTimes> times = max_unequal(c);
    if (!times)
        return none("too few Reads and Writes to judge the paths");
    // Differences below 200 us are those of hosts, not of paths.
    if (times->jain < (times->by_distance() ? alike_from : equal_from) &&
        times->more() >= std::chrono::microseconds(200))
        return {unequal_times(c, *times), {}};
    return none("the paths share the work: Jain's index " + human::share(jain) + " of the bytes, " +
                human::share(times->jain) + " of the median times" +
                (worst->runs.count() >= enough_tasks
                     ? ", and the host takes another path after " +
                           human::count(static_cast<std::uint64_t>(*worst->runs.quantile(0.5))) +
                           " Reads and Writes (median)"
                     : std::string()));
}

} // namespace iscsiscope::rules

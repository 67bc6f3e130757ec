// SPDX-License-Identifier: GPL-2.0-or-later
// The figures of the room sessions.
#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/query/cell.h"
#include "analyzer/report/json/json_writer.h"
#include "analyzer/report/wording.h"

namespace iscsiscope {
namespace {

Json spread_json(const Spread &s) {
    return {{"members", s.members},
            {"sum", s.sum},
            {"mean", s.mean},
            {"deviation", s.deviation},
            {"ratio", optional_json(s.ratio)},
            {"jain", optional_json(s.jain)}};
}

Json groups_json(const SessionFigures &s) {
    Json all = Json::array();
    for (const SessionGroup &g : s.groups) {
        all.push_back({{"session", g.session},
                       {"sessions", g.sessions},
                       {"streams", g.streams},
                       {"by", name(g.by)},
                       {"confidence", g.confidence},
                       {"reason", g.reason},
                       {"handovers_agreeing", g.handovers_agreeing},
                       {"handovers_contradicting", g.handovers_contradicting}});
    }
    return all;
}

void write_throughput(JsonWriter &w, const SessionFigures &s) {
    w.open_array("throughput");
    for (const ThroughputFigures &t : s.throughput) {
        w.open_object();
        w.add("session", t.session);
        w.add("first", to_ns(t.first));
        w.add("interval_ns", to_ns(t.interval));
        w.add("streams", t.streams);
        std::vector<std::uint64_t> stream_bytes, bytes;
        for (const ThroughputFigures::Total &total : t.totals) {
            stream_bytes.push_back(total.stream_bytes);
            bytes.push_back(total.bytes);
        }
        w.add("total_stream_bytes", stream_bytes);
        w.add("total_bytes", bytes);
        w.add("active_ns", to_ns(t.active));
        w.add("total_rate", spread_json(t.total_rate));
        w.open_array("intervals");
        for (const ThroughputRow &row : t.rows) {
            w.add({{"interval", row.interval},
                   {"stream_bytes", row.stream_bytes},
                   {"bytes", row.bytes},
                   {"tasks", row.tasks},
                   {"rate", spread_json(row.rate)}});
        }
        w.close();
        w.add("intervals_left_out", t.intervals_left_out);
        for (const DispatchFigures &d : s.dispatch) {
            if (d.session == t.session) {
                w.add("dispatch", {{"policy", name(d.policy)},
                                   {"choices", d.choices},
                                   {"round_robin_share", d.round_robin_share},
                                   {"least_loaded_share", d.least_loaded_share}});
            }
        }
        for (const HoldFigures &h : s.holds) {
            if (h.session == t.session) {
                Json held = {{"held_ns", to_ns(h.held)}, {"share", h.share}, {"members", Json::array()}};
                for (const HoldFigures::Member &m : h.members) {
                    held["members"].push_back({{"stream", m.stream},
                                               {"holds", m.holds},
                                               {"held_ns", to_ns(m.held)},
                                               {"longest_ns", to_ns(m.longest)},
                                               {"longest_frame", m.longest_frame}});
                }
                w.add("exp_cmd_sn_held", held);
            }
        }
        w.close();
    }
    w.close();
}

Json paths_json(const SessionFigures &s, const std::vector<double> &quantiles) {
    Json all = Json::array();
    for (const PathGroup &g : s.path_groups) {
        Json j;
        j["by"] = name(g.by);
        j["guess"] = g.guess;
        j["identity"] = g.identity;
        j["initiator"] = text_json(g.initiator);
        j["by_bytes"] = spread_json(g.by_bytes);
        j["by_tasks"] = spread_json(g.by_tasks);
        j["idle_paths"] = g.idle_paths;
        j["run_length"] = optional_json(g.runs.quantile(0.5));
        j["runs"] = g.runs.count();
        Json &paths = j["paths"] = Json::array();
        for (const PathShare &p : g.paths) {
            paths.push_back({{"session", p.session},
                             {"lun", to_string(Lun{p.lun})},
                             {"tasks", p.tasks},
                             {"bytes", p.bytes},
                             {"byte_share", p.byte_share},
                             {"iops", optional_json(p.iops)},
                             {"response_time", distribution(p.response_time, quantiles)}});
        }
        all.push_back(std::move(j));
    }
    return all;
}

Json mirrors_json(const SessionFigures &s, const std::vector<double> &quantiles) {
    Json all = Json::array();
    for (const MirrorPair &m : s.mirrors) {
        Json j;
        Json &members = j["members"] = Json::array();
        for (const MirrorPair::Member &x : m.members) {
            members.push_back({{"session", x.session},
                               {"lun", to_string(Lun{x.lun})},
                               {"writes", x.writes},
                               {"last", x.last},
                               {"held_share", x.held_share},
                               {"held_ns", to_ns(x.held)},
                               {"response_time", distribution(x.response_time, quantiles)}});
        }
        j["pairs"] = m.pairs;
        j["ties"] = m.ties;
        j["bytes"] = m.bytes;
        j["paired_share"] = m.paired_share;
        j["skew"] = distribution(m.skew, quantiles);
        j["first_frame"] = m.first_frame;
        all.push_back(std::move(j));
    }
    return all;
}

Json track_json(const Track &t) {
    return {{"start", to_ns(t.start)}, {"width_ns", to_ns(t.width)}, {"mean", t.means()}};
}

void write_depths(JsonWriter &w, std::string_view name, const std::vector<DepthFigures> &depths,
                  const char *key) {
    w.open_array(name);
    for (const DepthFigures &d : depths) {
        w.add({{key, d.number},
               {"tasks", d.tasks},
               {"mean_depth", d.mean_depth},
               {"most", optional_json(d.most)},
               {"rate", d.rate},
               {"mean_response_ns", to_ns(d.mean_response)},
               {"littles_depth", d.littles_depth},
               {"depth", track_json(d.depth)}});
    }
    w.close();
}

void write_windows(JsonWriter &w, const SessionFigures &s) {
    w.open_array("command_windows");
    for (const WindowFigures &f : s.windows) {
        w.add({{"session", f.session},
               {"smallest", f.smallest},
               {"largest", f.largest},
               {"mean", f.mean},
               {"closed_ns", to_ns(f.closed)},
               {"closed_share", f.closed_share},
               {"closings", f.closings},
               {"closed_waiting_ns", to_ns(f.closed_waiting)},
               {"size", track_json(f.size)}});
    }
    w.close();
}

Json nops_json(const SessionFigures &s, const std::vector<double> &quantiles) {
    Json all = Json::array();
    for (const NopFigures &n : s.nops) {
        all.push_back({{"stream", n.stream},
                       {"by_initiator", n.asked_by_initiator},
                       {"by_target", n.asked_by_target},
                       {"unanswered", n.unanswered},
                       {"not_known", n.not_known},
                       {"round_trip", distribution(n.round_trip, quantiles)},
                       {"idle_round_trip", distribution(n.idle_round_trip, quantiles)},
                       {"loaded_round_trip", distribution(n.loaded_round_trip, quantiles)}});
    }
    return all;
}

Json task_row(const TaskRow &t, const std::vector<double> &quantiles) {
    return {{"count", t.count},
            {"reads", t.reads},
            {"writes", t.writes},
            {"bytes", t.bytes},
            {"not_good", t.not_good},
            {"iops", optional_json(t.iops())},
            {"rate", optional_json(t.rate())},
            {"response_time", distribution(t.response_time, quantiles)},
            {"service_time", distribution(t.service_time, quantiles)}};
}

Json tables_json(const TaskTables &t, const std::vector<double> &quantiles) {
    Json j;
    const auto add = [&](const char *table, const char *key, const auto &rows, auto words) {
        Json &all = j[table] = Json::array();
        for (const auto &[k, row] : rows) {
            Json one = {{key, words(k)}};
            one.update(task_row(row, quantiles));
            all.push_back(std::move(one));
        }
    };
    const auto same = [](const auto &k) { return k; };
    add("by_initiator", "initiator", t.by_initiator, same);
    add("by_target", "target", t.by_target, same);
    add(
        "by_portal", "portal", t.by_portal, [](const Endpoint &e) { return to_text(e); });
    add(
        "by_lun", "lun", t.by_lun,
        [](const LunKey &k) {
            return Json{{"session", k.session}, {"lun", to_string(Lun{k.lun})}};
        });
    add("by_size", "up_to_bytes", t.by_size,
        [](std::size_t n) { return n == 0 ? std::uint64_t{0} : std::uint64_t{1} << (n - 1); });
    add("by_connection", "stream", t.by_connection, same);
    add("by_session", "session", t.by_session, same);
    return j;
}

Json access_json(const SessionFigures &s) {
    Json all = Json::array();
    for (const AccessFigures &a : s.access) {
        Json split(nullptr);
        if (a.split) {
            split = {{"piece_bytes", a.split->piece_bytes}, {"asked_bytes", a.split->asked_bytes},
                     {"last_bytes", a.split->last_bytes},   {"pieces", a.split->pieces},
                     {"requests", a.split->requests},       {"first_frame", a.split->first_frame}};
        }
        all.push_back({{"session", a.lun.session},
                       {"lun", to_string(Lun{a.lun.lun})},
                       {"type", name(a.type)},
                       {"commands", a.commands},
                       {"sequential_share", a.sequential_share()},
                       {"stream_share", a.stream_share()},
                       {"misaligned", a.misaligned},
                       {"split", split}});
    }
    return all;
}

Json path_events_json(const PathFigures &f) {
    Json all = Json::array();
    for (const PathEvent &e : f.events) {
        all.push_back({{"time", to_ns(e.time)},
                       {"frame", e.frame},
                       {"event", name(e.kind)},
                       {"stream", optional_json(e.stream)},
                       {"session", optional_json(e.session)},
                       {"lun", e.lun ? Json(to_string(Lun{*e.lun})) : Json(nullptr)},
                       {"initiator", to_text(e.initiator)},
                       {"target", to_text(e.target)},
                       {"words", text_json(e.words)}});
    }
    return all;
}

Json compares_json(const PathFigures &f) {
    Json all = Json::array();
    for (const CompareFigures &c : f.compares) {
        all.push_back({{"target", text_json(c.target_name)},
                       {"lun", to_string(Lun{c.lun})},
                       {"commands", c.commands},
                       {"miscompares", c.miscompares},
                       {"other_failures", c.other_failures},
                       {"hosts", c.hosts},
                       {"longest_ns", to_ns(c.longest)}});
    }
    return all;
}

Json logins_json(const LoginSummary &l) {
    Json j = {{"accepted", l.accepted},
              {"refused", l.refused},
              {"redirected", l.redirected},
              {"unfinished", l.unfinished}};
    Json &all = j["logins"] = Json::array();
    for (const LoginFigures &f : l.logins) {
        all.push_back({{"stream", f.stream},
                       {"initiator", to_text(f.initiator)},
                       {"target", to_text(f.target)},
                       {"accepted", f.login.accepted},
                       {"status", login_status_words(f.login.status_class, f.login.status_detail)},
                       {"start", to_ns(f.login.start)},
                       {"duration_ns", to_ns(f.login.end - f.login.start)},
                       {"from_syn_ns", duration_json(f.from_syn)},
                       {"waiting_for_target_ns", to_ns(f.waiting_for_target)},
                       {"waiting_for_initiator_ns", to_ns(f.waiting_for_initiator)},
                       {"attempt", f.attempt},
                       {"first_frame", f.login.first_frame}});
    }
    return j;
}

Json rules_json(const SessionFigures &s) {
    Json all = Json::array();
    for (const RuleRow &r : s.rules) {
        Json frames = Json::array();
        for (const RuleRow::Case &c : r.first)
            frames.push_back(c.frame);
        all.push_back({{"rule", name(r.rule)},
                       {"section", section(r.rule)},
                       {"checked", r.checked},
                       {"broken", r.broken},
                       {"first_frames", frames}});
    }
    return all;
}

} // namespace

void write_session_figures(JsonWriter &w, std::string_view key, const Report &r,
                           const std::vector<double> &quantiles) {
    if (!r.session_figures) {
        w.add(key, nullptr);
        return;
    }
    const SessionFigures &s = *r.session_figures;
    w.open_object(key);
    w.add("groups", groups_json(s));
    write_throughput(w, s);
    w.add("path_groups", paths_json(s, quantiles));
    w.add("mirrors", mirrors_json(s, quantiles));
    write_depths(w, "connection_depth", s.connection_depth, "stream");
    write_depths(w, "session_depth", s.session_depth, "session");
    write_windows(w, s);
    w.add("nops", nops_json(s, quantiles));
    w.add("tables", tables_json(s.tables, quantiles));
    w.add("access", access_json(s));
    w.add("logins", logins_json(s.logins));
    w.add("path_events", path_events_json(s.paths));
    w.add("compare_and_write", compares_json(s.paths));
    w.add("rules", rules_json(s));
    w.close();
}

} // namespace iscsiscope

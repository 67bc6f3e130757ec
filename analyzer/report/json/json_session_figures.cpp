// SPDX-License-Identifier: GPL-2.0-or-later
// The figures of the room sessions.
#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/report/json/json_parts.h"
#include "analyzer/words/protocol_words.h"

namespace iscsiscope {
namespace {

void write_groups(JsonWriter &w, const SessionFigures &s) {
    w.open_array("groups");
    for (const SessionGroup &g : s.groups) {
        w.open_object();
        w.add("session", g.session);
        w.add("sessions", g.sessions);
        w.add("streams", g.streams);
        w.add("by", name(g.by));
        w.add("confidence", g.confidence);
        w.add("reason", g.reason);
        w.add("handovers_agreeing", g.handovers_agreeing);
        w.add("handovers_contradicting", g.handovers_contradicting);
        w.close();
    }
    w.close();
}

void write_path_groups(JsonWriter &w, const SessionFigures &s, const JsonQuantiles &quantiles) {
    w.open_array("path_groups");
    for (const PathGroup &g : s.path_groups) {
        w.open_object();
        w.add("by", name(g.by));
        w.add("guess", g.guess);
        w.add("identity", g.identity);
        w.add("initiator", known_text(g.initiator));
        write_spread(w, "by_bytes", g.by_bytes);
        write_spread(w, "by_tasks", g.by_tasks);
        w.add("idle_paths", g.idle_paths);
        w.add("run_length", g.runs.quantile(0.5));
        w.add("runs", g.runs.count());
        w.open_array("paths");
        for (const PathShare &p : g.paths) {
            w.open_object();
            w.add("session", p.session);
            w.add("lun", to_string(Lun{p.lun}));
            w.add("tasks", p.tasks);
            w.add("bytes", p.bytes);
            w.add("byte_share", p.byte_share);
            w.add("iops", p.iops);
            write_distribution(w, "response_time", p.response_time, quantiles);
            w.close();
        }
        w.close();
        w.close();
    }
    w.close();
}

void write_mirrors(JsonWriter &w, const SessionFigures &s, const JsonQuantiles &quantiles) {
    w.open_array("mirrors");
    for (const MirrorPair &m : s.mirrors) {
        w.open_object();
        w.open_array("members");
        for (const MirrorPair::Member &x : m.members) {
            w.open_object();
            w.add("session", x.session);
            w.add("lun", to_string(Lun{x.lun}));
            w.add("writes", x.writes);
            w.add("last", x.last);
            w.add("held_share", x.held_share);
            w.add("held_ns", x.held);
            write_distribution(w, "response_time", x.response_time, quantiles);
            w.close();
        }
        w.close();
        w.add("pairs", m.pairs);
        w.add("ties", m.ties);
        w.add("bytes", m.bytes);
        w.add("paired_share", m.paired_share);
        write_distribution(w, "skew", m.skew, quantiles);
        w.add("first_frame", m.first_frame);
        w.close();
    }
    w.close();
}

void write_track(JsonWriter &w, std::string_view key, const Track &t) {
    w.open_object(key);
    w.add("start", t.start);
    w.add("width_ns", t.width);
    w.add("mean", t.means());
    w.close();
}

void write_depths(JsonWriter &w, std::string_view key, const std::vector<DepthFigures> &depths,
                  const char *number) {
    w.open_array(key);
    for (const DepthFigures &d : depths) {
        w.open_object();
        w.add(number, d.number);
        w.add("tasks", d.tasks);
        w.add("mean_depth", d.mean_depth);
        w.add("most", d.most);
        w.add("rate", d.rate);
        w.add("mean_response_ns", d.mean_response);
        w.add("littles_depth", d.littles_depth);
        write_track(w, "depth", d.depth);
        w.close();
    }
    w.close();
}

void write_windows(JsonWriter &w, const SessionFigures &s) {
    w.open_array("command_windows");
    for (const WindowFigures &f : s.windows) {
        w.open_object();
        w.add("session", f.session);
        w.add("smallest", f.smallest);
        w.add("largest", f.largest);
        w.add("mean", f.mean);
        w.add("closed_ns", f.closed);
        w.add("closed_share", f.closed_share);
        w.add("closings", f.closings);
        w.add("closed_waiting_ns", f.closed_waiting);
        write_track(w, "size", f.size);
        w.close();
    }
    w.close();
}

void write_nops(JsonWriter &w, const SessionFigures &s, const JsonQuantiles &quantiles) {
    w.open_array("nops");
    for (const NopFigures &n : s.nops) {
        w.open_object();
        w.add("stream", n.stream);
        w.add("by_initiator", n.asked_by_initiator);
        w.add("by_target", n.asked_by_target);
        w.add("unanswered", n.unanswered);
        w.add("not_known", n.not_known);
        write_distribution(w, "round_trip", n.round_trip, quantiles);
        write_distribution(w, "idle_round_trip", n.idle_round_trip, quantiles);
        write_distribution(w, "loaded_round_trip", n.loaded_round_trip, quantiles);
        w.close();
    }
    w.close();
}

void write_task_row(JsonWriter &w, const TaskRow &t, const JsonQuantiles &quantiles) {
    w.add("count", t.count);
    w.add("reads", t.reads);
    w.add("writes", t.writes);
    w.add("bytes", t.bytes);
    w.add("not_good", t.not_good);
    w.add("iops", t.iops());
    w.add("rate", t.rate());
    write_distribution(w, "response_time", t.response_time, quantiles);
    write_distribution(w, "service_time", t.service_time, quantiles);
}

// write_key: writes what the row is of.
template <class Rows, class WriteKey>
void write_table(JsonWriter &w, std::string_view table, const Rows &rows, const JsonQuantiles &quantiles,
                 WriteKey write_key) {
    w.open_array(table);
    for (const auto &[key, row] : rows) {
        w.open_object();
        write_key(key);
        write_task_row(w, row, quantiles);
        w.close();
    }
    w.close();
}

void write_tables(JsonWriter &w, const TaskTables &t, const JsonQuantiles &quantiles) {
    const auto as = [&w](const char *name) { return [&w, name](const auto &key) { w.add(name, key); }; };
    w.open_object("tables");
    write_table(w, "by_initiator", t.by_initiator, quantiles, as("initiator"));
    write_table(w, "by_target", t.by_target, quantiles, as("target"));
    write_table(w, "by_portal", t.by_portal, quantiles,
                [&](const Endpoint &e) { w.add("portal", to_text(e)); });
    write_table(
        w, "by_lun", t.by_lun, quantiles,
        [&](const LunKey &key) {
            w.open_object("lun");
            w.add("session", key.session);
            w.add("lun", to_string(Lun{key.lun}));
            w.close();
        });
    write_table(w, "by_size", t.by_size, quantiles, [&](std::size_t n) {
        w.add("up_to_bytes", n == 0 ? std::uint64_t{0} : std::uint64_t{1} << (n - 1));
    });
    write_table(w, "by_connection", t.by_connection, quantiles, as("stream"));
    write_table(w, "by_session", t.by_session, quantiles, as("session"));
    w.close();
}

void write_access(JsonWriter &w, const SessionFigures &s) {
    w.open_array("access");
    for (const AccessFigures &a : s.access) {
        w.open_object();
        w.add("session", a.lun.session);
        w.add("lun", to_string(Lun{a.lun.lun}));
        w.add("type", name(a.type));
        w.add("commands", a.commands);
        w.add("sequential_share", a.sequential_share());
        w.add("stream_share", a.stream_share());
        w.add("misaligned", a.misaligned);
        if (a.split) {
            w.open_object("split");
            w.add("piece_bytes", a.split->piece_bytes);
            w.add("asked_bytes", a.split->asked_bytes);
            w.add("last_bytes", a.split->last_bytes);
            w.add("pieces", a.split->pieces);
            w.add("requests", a.split->requests);
            w.add("first_frame", a.split->first_frame);
            w.close();
        } else {
            w.add("split", nullptr);
        }
        w.close();
    }
    w.close();
}

void write_path_events(JsonWriter &w, const PathFigures &f) {
    w.open_array("path_events");
    for (const PathEvent &e : f.events) {
        w.open_object();
        w.add("time", e.time);
        w.add("frame", e.frame);
        w.add("event", name(e.kind));
        w.add("stream", e.stream);
        w.add("session", e.session);
        w.add("lun", e.lun ? std::optional(to_string(Lun{*e.lun})) : std::nullopt);
        w.add("initiator", to_text(e.initiator));
        w.add("target", to_text(e.target));
        w.add("words", known_text(e.words));
        w.close();
    }
    w.close();
}

void write_compares(JsonWriter &w, const PathFigures &f) {
    w.open_array("compare_and_write");
    for (const CompareFigures &c : f.compares) {
        w.open_object();
        w.add("target", known_text(c.target_name));
        w.add("lun", to_string(Lun{c.lun}));
        w.add("commands", c.commands);
        w.add("miscompares", c.miscompares);
        w.add("other_failures", c.other_failures);
        w.add("hosts", c.hosts);
        w.add("longest_ns", c.longest);
        w.close();
    }
    w.close();
}

void write_logins(JsonWriter &w, const LoginSummary &l) {
    w.open_object("logins");
    w.add("accepted", l.accepted);
    w.add("refused", l.refused);
    w.add("redirected", l.redirected);
    w.add("unfinished", l.unfinished);
    w.open_array("logins");
    for (const LoginFigures &f : l.logins) {
        w.open_object();
        w.add("stream", f.stream);
        w.add("initiator", to_text(f.initiator));
        w.add("target", to_text(f.target));
        w.add("accepted", f.login.accepted);
        w.add("status", login_status_words(f.login.status_class, f.login.status_detail));
        w.add("start", f.login.start);
        w.add("duration_ns", f.login.end - f.login.start);
        w.add("from_syn_ns", f.from_syn);
        w.add("waiting_for_target_ns", f.waiting_for_target);
        w.add("waiting_for_initiator_ns", f.waiting_for_initiator);
        w.add("attempt", f.attempt);
        w.add("first_frame", f.login.first_frame);
        w.close();
    }
    w.close();
    w.close();
}

void write_rules(JsonWriter &w, const SessionFigures &s) {
    w.open_array("rules");
    for (const RuleRow &r : s.conformance.rules) {
        w.open_object();
        w.add("rule", name(r.rule));
        w.add("section", section(r.rule));
        w.add("checked", r.checked);
        w.add("broken", r.broken);
        w.open_array("first_frames");
        for (const OptionalFrame frame : r.first_frames)
            w.add(frame);
        w.close();
        w.close();
    }
    w.close();
}

} // namespace

void write_session_figures(JsonWriter &w, std::string_view key, const Report &r,
                           const JsonQuantiles &quantiles) {
    if (!r.session_figures) {
        w.add(key, nullptr);
        return;
    }
    const SessionFigures &s = *r.session_figures;
    w.open_object(key);
    write_groups(w, s);
    write_throughput(w, s);
    write_path_groups(w, s, quantiles);
    write_mirrors(w, s, quantiles);
    write_depths(w, "connection_depth", s.connection_depth, "stream");
    write_depths(w, "session_depth", s.session_depth, "session");
    write_windows(w, s);
    write_nops(w, s, quantiles);
    write_tables(w, s.tables, quantiles);
    write_access(w, s);
    write_logins(w, s.logins);
    write_path_events(w, s.paths);
    write_compares(w, s.paths);
    write_rules(w, s);
    w.close();
}

} // namespace iscsiscope

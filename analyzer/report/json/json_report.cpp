// SPDX-License-Identifier: GPL-2.0-or-later
// Keys and their meaning are a stable interface (report.schema.json): keys may be added, none is renamed.
#include "analyzer/report/json/json_report.h"

#include "analyzer/figures/shares.h"
#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/report/json/json_parts.h"
#include "analyzer/words/finding_words.h"

namespace iscsiscope {
namespace {

constexpr int schema_version = 2;

void write_owner_times(JsonWriter &w, const OwnerTimes &t) {
    w.add("busy_ns", t.sum());
    for (const OwnerShare &s : owner_shares(t))
        w.add(std::string(s.name) + "_ns", s.time);
    w.add("network_trouble_ns", t.trouble);
}

void write_owner_times(JsonWriter &w, const ActiveTime &life) {
    write_owner_times(w, life.owners);
    w.add("unasked_ns", life.without_task);
}

// The owners of the busy time: of all, and by session, LUN and type.
void write_owners(JsonWriter &w, std::string_view key, const Report &r) {
    w.open_object(key);
    w.open_object("all");
    write_owner_times(w, r.time);
    w.close();
    w.open_array("sessions");
    for (const auto &[session, time] : r.session_time) {
        w.open_object();
        w.add("session", session);
        write_owner_times(w, time);
        w.close();
    }
    w.close();
    w.open_array("luns");
    for (const auto &[id, lun] : r.luns) {
        w.open_object();
        w.add("session", lun.session);
        w.add("lun", to_string(Lun{lun.lun}));
        write_owner_times(w, lun.owners);
        w.close();
    }
    w.close();
    w.open_object("types");
    for (std::size_t i = 0; i < task_type_count; ++i) {
        w.open_object(name(static_cast<TaskType>(i)));
        write_owner_times(w, r.type_owners[i]);
        w.close();
    }
    w.close();
    w.close();
}

void write_phase_shares(JsonWriter &w, std::string_view key, const Report &r) {
    const std::vector<PhaseShare> shares = phase_shares(r.types);
    w.open_object(key);
    w.add("total_ns", whole(shares));
    w.open_object("phases");
    for (const PhaseShare &s : shares) {
        w.open_object(s.name);
        w.add("time_ns", s.time);
        w.add("share", s.share);
        w.close();
    }
    w.close();
    w.close();
}

void write_tool(JsonWriter &w, const std::string &version) {
    w.open_object("tool");
    w.add("name", "iscsiscope");
    w.add("version", version);
    w.close();
}

} // namespace

void write_time_shares(JsonWriter &w, std::string_view key, const ActiveTime &life) {
    const std::vector<TimeShare> shares = time_shares(life); // transfer first
    const bool known = life.one_sided < life.active;
    w.open_object(key);
    w.add("active_ns", life.active);
    w.add("busy_ns", known_if(known, life.busy));
    w.add("unasked_ns", known_if(known, life.without_task));
    w.add("one_sided_ns", life.one_sided);
    w.add("busy_at_least", known_if(known, life.busy_at_least));
    w.add("transfer_ns", life.transfer);
    w.add("transfer_share", shares.front().share);
    w.open_object("gaps");
    for (std::size_t i = 0; i < gap_kind_count; ++i) {
        const TimeShare &s = shares[i + 1];
        if (life.gaps[i] != 0 || s.time != Duration{0}) {
            w.open_object(s.name);
            w.add("count", life.gaps[i]);
            w.add("time_ns", s.time);
            w.add("share", s.share);
            w.close();
        }
    }
    w.close();
    w.close();
}

void write_json_report(const Report &r, const std::vector<double> &quantiles, const std::string &version,
                       const std::function<void(std::string_view)> &out) {
    const JsonQuantiles wanted = json_quantiles(quantiles);
    JsonWriter w(out);
    w.open_object();
    w.add("schema_version", schema_version);
    write_tool(w, version);
    write_capture(w, "capture", r);
    write_coverage(w, "coverage", r);
    write_sessions(w, "sessions", r, wanted);
    write_left_out(w, "left_out", r);
    write_tasks(w, "tasks", r);
    write_rates(w, "rates", r);
    write_cycles(w, "cycles", r, wanted);
    write_time_shares(w, "time_shares", r.time);
    write_owners(w, "owners", r);
    write_phase_shares(w, "phase_shares", r);
    w.open_array("tcp");
    for (const TcpDirectionRow &d : r.tcp)
        write_row(w, {}, tcp_direction_table(), &d);
    w.close();
    write_verdict(w, "verdict", r);
    write_findings(w, "findings", r);
    w.add("findings_cover", findings_cover(r));
    write_ruled_out(w, "ruled_out", r);
    write_models(w, "models", r);
    write_session_figures(w, "session_analysis", r, wanted);
    w.close();
}

} // namespace iscsiscope

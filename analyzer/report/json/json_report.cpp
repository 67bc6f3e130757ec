// SPDX-License-Identifier: GPL-2.0-or-later
// Keys and their meaning are a stable interface (report.schema.json): keys may be added, none is renamed.
#include "analyzer/report/json/json_report.h"

#include "analyzer/base/number_format.h"
#include "analyzer/figures/shares.h"
#include "analyzer/figures/totals.h"
#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/query/cell.h"
#include "analyzer/report/json/json_parts.h"
#include "analyzer/report/json/json_writer.h"
#include "analyzer/report/json/memory_reserve.h"
#include "analyzer/report/tables/row_writer.h"
#include "analyzer/report/wording.h"

#include <fmt/format.h>

namespace iscsiscope {
namespace {

constexpr int schema_version = 2;

Json left_out_json(const Report &r) {
    Json j = {{"sessions", r.sessions_left_out},
              {"connections", r.connections_left_out},
              {"tasks_by_lun", r.lun_tasks_left_out}};
    if (const ForgottenState &f = r.capture.forgotten; f.any()) {
        j["forgotten_connections"] = f.connections;
        j["forgotten_sessions"] = f.sessions;
    }
    return j;
}

Json pdu_counts(const std::array<std::array<std::uint64_t, 64>, 2> &pdus) {
    Json j;
    for (std::size_t d = 0; d < 2; ++d) {
        Json &of = j[d == 0 ? "to_target" : "to_initiator"] = Json::object();
        for (std::size_t o = 0; o < 64; ++o) {
            if (pdus[d][o] != 0) {
                const auto opcode = static_cast<Opcode>(o);
                of[is_known(opcode) ? std::string(name(opcode)) : fmt::format("0x{:02x}", o)] = pdus[d][o];
            }
        }
    }
    return j;
}

Json shares_json(const ActiveTime &life) {
    const std::vector<TimeShare> shares = time_shares(life); // transfer first
    Json j;
    j["active_ns"] = to_ns(life.active);
    const bool known = life.one_sided < life.active;
    j["busy_ns"] = known ? Json(to_ns(life.busy)) : Json(nullptr);
    j["unasked_ns"] = known ? Json(to_ns(life.unasked)) : Json(nullptr);
    j["one_sided_ns"] = to_ns(life.one_sided);
    j["busy_at_least"] = known ? Json(life.busy_at_least) : Json(nullptr);
    j["transfer_ns"] = to_ns(life.transfer);
    j["transfer_share"] = shares.front().share;
    Json &kinds = j["gaps"] = Json::object();
    for (std::size_t i = 0; i < gap_kind_count; ++i) {
        const TimeShare &s = shares[i + 1];
        if (life.gaps[i] != 0 || s.time != Duration{0}) {
            kinds[std::string(s.name)] = {
                {"count", life.gaps[i]}, {"time_ns", to_ns(s.time)}, {"share", s.share}};
        }
    }
    return j;
}

Json owners_json(const OwnerTimes &t) {
    Json j = {{"busy_ns", to_ns(t.sum())}};
    for (const OwnerShare &s : owner_shares(t))
        j[std::string(s.name) + "_ns"] = to_ns(s.time);
    j["network_trouble_ns"] = to_ns(t.trouble);
    return j;
}

Json owners_json(const ActiveTime &life) {
    Json j = owners_json(life.owners);
    j["unasked_ns"] = to_ns(life.unasked);
    return j;
}

// The owners of the busy time: of all, and by session, LUN and type.
Json owners_json(const Report &r) {
    Json j = {{"all", owners_json(r.time)}, {"sessions", Json::array()}, {"luns", Json::array()}};
    for (const auto &[session, time] : r.session_time) {
        Json row = {{"session", session}};
        row.update(owners_json(time));
        j["sessions"].push_back(std::move(row));
    }
    for (const auto &[key, lun] : r.luns) {
        Json row = {{"session", lun.session}, {"lun", to_string(Lun{lun.lun})}};
        row.update(owners_json(lun.owners));
        j["luns"].push_back(std::move(row));
    }
    for (std::size_t i = 0; i < task_type_count; ++i)
        j["types"][std::string(name(static_cast<TaskType>(i)))] = owners_json(r.type_owners[i]);
    return j;
}

Json keys_json(const Login &login) {
    Json all = Json::array();
    constexpr const char *origins[] = {"default", "negotiated", "derived", "declared", "unknown"};
    for (const NegotiatedKey &k : login.keys.keys) {
        // Keys that authenticate are omitted, since reports are sent to others.
        if (k.key.starts_with("CHAP_"))
            continue;
        // A key that each end declares for itself has a value for each direction.
        const bool each = parameter_of(Party::initiator, k.key) == Parameter::max_recv_initiator;
        all.push_back(
            {{"key", k.key},
             {"offered_by", !k.offered_by                       ? Json(nullptr)
                            : *k.offered_by == Party::initiator ? Json("initiator")
                                                                : Json("target")},
             {"initiator", optional_json(k.initiator)},
             {"target", optional_json(k.target)},
             {"in_force", each && k.in_force != k.in_force_target ? Json(nullptr) : text_json(k.in_force)},
             {"origin", origins[static_cast<std::size_t>(k.origin)]}});
        if (each) {
            all.back()["in_force_initiator"] = text_json(k.in_force);
            all.back()["in_force_target"] = text_json(k.in_force_target);
        }
    }
    return all;
}

Json login_json(const Login &l) {
    Json j;
    j["accepted"] = l.accepted;
    j["finished"] = l.finished;
    j["whole"] = l.whole;
    j["status_class"] = l.status_class;
    j["status_detail"] = l.status_detail;
    j["status_words"] = login_status_words(l.status_class, l.status_detail);
    j["initiator_name"] = text_json(l.initiator_name);
    j["target_name"] = text_json(l.target_name);
    j["session_type"] = text_json(l.session_type);
    j["authentication"] = text_json(l.authentication);
    j["redirect"] = text_json(l.redirect);
    j["start"] = to_ns(l.start);
    j["duration_ns"] = to_ns(l.end - l.start);
    j["first_frame"] = l.first_frame;
    j["last_frame"] = l.last_frame;
    j["round_trips"] = l.round_trips;
    return j;
}

Json connection_json(const ConnectionRecord &c) {
    Json j = row_json(connection_table(), &c);
    ActiveTime life;
    life.add(c);
    j["pdus"] = pdu_counts(c.pdus.table());
    j["time_shares"] = shares_json(life);
    j["login"] = c.login ? login_json(*c.login) : Json(nullptr);
    return j;
}

Json lun_json(const Report &r, const LunTally &l, const std::vector<double> &quantiles) {
    Json j;
    j["lun"] = to_string(Lun{l.lun});
    const auto facts = r.lun_facts.find({l.session, l.lun});
    if (facts != r.lun_facts.end()) {
        const LunRecord &f = facts->second;
        j["block_length"] = optional_json(f.block_length);
        j["blocks"] = optional_json(f.blocks);
        j["device_type"] = optional_json(f.device_type);
        j["vendor"] = text_json(f.vendor);
        j["product"] = text_json(f.product);
        j["serial"] = text_json(f.serial);
        j["designator"] = text_json(f.designator);
    }
    for (std::size_t i = 0; i < task_type_count; ++i) {
        const LunTally::Part &p = l.parts[i];
        j[std::string(name(static_cast<TaskType>(i)))] = {
            {"count", p.count},
            {"bytes", p.bytes},
            {"not_good", p.not_good},
            {"response_time", distribution(p.response_time, quantiles)}};
    }
    return j;
}

Json sessions_json(const Report &r, const std::vector<double> &quantiles) {
    Json all = Json::array();
    for (const auto &[id, s] : r.sessions) {
        Json j;
        j["session"] = id;
        j["from_login"] = s.from_login;
        j["initiator_name"] = text_json(s.initiator_name);
        j["target_name"] = text_json(s.target_name);
        j["target_portal_group"] = text_json(s.target_portal_group);
        j["session_type"] = text_json(s.session_type);
        std::string isid;
        for (const std::uint8_t b : s.isid)
            isid += fmt::format("{:02x}", b);
        j["isid"] = s.from_login ? Json(isid) : Json(nullptr);
        j["tsih"] = s.from_login ? Json(s.tsih) : Json(nullptr);
        j["reinstates"] = optional_json(s.reinstates);
        const auto down = r.downtimes.find(id);
        const bool known = down != r.downtimes.end();
        j["downtime_ns"] = known ? Json(to_ns(down->second.length)) : Json(nullptr);
        j["downtime_tasks"] = known ? Json(down->second.tasks) : Json(nullptr);
        const auto time = r.session_time.find(id);
        j["time_shares"] = shares_json(time != r.session_time.end() ? time->second : ActiveTime{});
        Json &connections = j["connections"] = Json::array();
        Json keys = Json::array();
        for (const ConnectionRecord &c : r.connections) {
            if (c.session == id) {
                connections.push_back(connection_json(c));
                if (keys.empty() && c.login && c.login->accepted)
                    keys = keys_json(*c.login);
            }
        }
        j["negotiated_keys"] = std::move(keys);
        Json &luns = j["luns"] = Json::array();
        for (auto at = r.luns.lower_bound({id, 0}); at != r.luns.end() && at->first.first == id; ++at)
            luns.push_back(lun_json(r, at->second, quantiles));
        all.push_back(std::move(j));
    }
    return all;
}

Json tasks_json(const Report &r) {
    Json j;
    const TaskTotals all = task_totals(r);
    j["count"] = all.count;
    j["first_start"] = time_json(r.first_start);
    j["last_end"] = time_json(r.last_end);
    Json &outcomes = j["by_outcome"] = Json::object();
    for (std::size_t o = 0; o < task_outcome_count; ++o)
        outcomes[std::string(name(static_cast<TaskOutcome>(o)))] = all.outcomes[o];
    Json &commands = j["by_opcode"] = Json::array();
    for (const CommandTally &c : r.commands) {
        commands.push_back({{"opcode", c.opcode},
                            {"service_action", optional_json(c.service_action)},
                            {"name", command_words(c.opcode, c.service_action)},
                            {"count", c.count},
                            {"not_good", c.not_good}});
    }
    Json &senses = j["by_sense"] = Json::array();
    Scratch scratch;
    for (const SenseTally &s : r.senses) {
        senses.push_back({{"sense", std::string(sense_cell(s.sense, scratch))},
                          {"words", sense_words(s.sense)},
                          {"count", s.count},
                          {"first_frame", s.first_frame}});
    }
    Json &events = j["events"] = Json::array();
    for (const EventTally &e : r.events) {
        Json frames = Json::array();
        for (const EventRecord &x : e.first)
            frames.push_back(x.frame);
        events.push_back({{"opcode", static_cast<unsigned>(e.opcode)},
                          {"code", e.code},
                          {"words", event_words(e.opcode, e.code)},
                          {"count", e.count},
                          {"first_frames", frames}});
    }
    Json &refused = j["failed_logins"] = Json::object();
    refused["count"] = r.failed_logins;
    refused["first"] = Json::array();
    for (const FailedLogin &f : r.first_failed_logins) {
        Json one = login_json(f.login);
        one["stream"] = f.stream;
        refused["first"].push_back(std::move(one));
    }
    j["pdus"] = pdu_counts(r.pdus);
    return j;
}

Json cycles_json(const Report &r, const std::vector<double> &quantiles) {
    Json all = Json::object();
    for (std::size_t i = 0; i < task_type_count; ++i) {
        const TypeTally &t = r.types[i];
        Json j;
        j["count"] = t.count;
        j["bytes"] = t.bytes;
        j["complete"] = t.complete;
        j["not_good"] = t.not_good();
        j["retransmitted_segments"] = t.retransmitted_segments;
        j["lost_beyond_tap"] = t.lost_beyond_tap;
        j["r2ts"] = t.r2ts;
        j["max_queue_depth"] = t.deepest_queue;
        for (std::size_t f = 0; f < cycle_figure_count; ++f) {
            j["times"][std::string(name(static_cast<CycleFigure>(f)))] =
                distribution(t.figures[f], quantiles);
        }
        Json &sizes = j["sizes"] = Json::array();
        for (const SizeTally &s : t.sizes) {
            if (s.count != 0) {
                sizes.push_back({{"smallest_bytes", s.smallest},
                                 {"largest_bytes", s.largest},
                                 {"count", s.count},
                                 {"bytes", s.bytes},
                                 {"response_time", distribution(s.response_time, quantiles)}});
            }
        }
        Json &slowest = j["slowest"] = Json::array();
        for (const CycleRecord &c : t.slowest.list())
            slowest.push_back(row_json(cycle_table(), &c));
        all[std::string(name(static_cast<TaskType>(i)))] = std::move(j);
    }
    all["bursts"] = {{"solicited", r.bursts.solicited},
                     {"solicited_bytes", r.bursts.solicited_bytes},
                     {"unsolicited", r.bursts.unsolicited},
                     {"unsolicited_bytes", r.bursts.unsolicited_bytes},
                     {"not_final", r.bursts.not_final},
                     {"r2t_wait", distribution(r.bursts.r2t_wait, quantiles)},
                     {"burst_response", distribution(r.bursts.burst_response, quantiles)},
                     {"burst_data", distribution(r.bursts.burst_data, quantiles)}};
    return all;
}

Json phase_shares_json(const Report &r) {
    Json j = Json::object();
    const std::vector<PhaseShare> shares = phase_shares(r.types);
    j["total_ns"] = to_ns(whole(shares));
    Json &phases = j["phases"] = Json::object();
    for (const PhaseShare &s : shares)
        phases[std::string(s.name)] = {{"time_ns", to_ns(s.time)}, {"share", s.share}};
    return j;
}

Json tcp_json(const Report &r) {
    Json all = Json::array();
    for (const TcpDirectionRow &d : r.tcp)
        all.push_back(row_json(tcp_direction_table(), &d));
    return all;
}

void write_members(const Report &r, const std::vector<double> &quantiles, const std::string &version,
                   const std::function<void(std::string_view)> &out) noexcept {
    JsonWriter j(out);
    j.open_object();
    j.add("schema_version", schema_version);
    j.add("tool", {{"name", "iscsiscope"}, {"version", version}});
    j.add("capture", capture_json(r));
    j.add("coverage", coverage_json(r));
    j.add("sessions", sessions_json(r, quantiles));
    j.add("left_out", left_out_json(r));
    j.add("tasks", tasks_json(r));
    j.add("rates", rates_json(r));
    j.add("cycles", cycles_json(r, quantiles));
    j.add("time_shares", shares_json(r.time));
    j.add("owners", owners_json(r));
    j.add("phase_shares", phase_shares_json(r));
    j.add("tcp", tcp_json(r));
    j.add("verdict", verdict_json(r));
    j.add("findings", findings_json(r));
    j.add("findings_cover", findings_cover(r));
    j.add("ruled_out", ruled_out_json(r));
    j.add("models", models_json(r));
    write_session_figures(j, "session_analysis", r, quantiles);
    j.close();
}

} // namespace

void write_json_report(const Report &r, const std::vector<double> &quantiles, const std::string &version,
                       const std::function<void(std::string_view)> &out) {
    const MemoryReserve reserve;
    write_members(r, quantiles, version, out);
    reserve.check();
}

} // namespace iscsiscope

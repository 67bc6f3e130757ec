// SPDX-License-Identifier: GPL-2.0-or-later
// The sessions, with their connections, logins and LUNs.
#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/report/json/json_parts.h"
#include "analyzer/words/protocol_words.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace iscsiscope {
namespace {

// Keys that authenticate are omitted, since reports are sent to others.
bool authenticates(const NegotiatedKey &k) {
    return k.key.starts_with("CHAP_");
}

void write_key(JsonWriter &w, const NegotiatedKey &k) {
    constexpr const char *origins[] = {"default", "negotiated", "derived", "declared", "unknown"};
    // A key that each end declares for itself has a value for each direction.
    const bool each = parameter_of(Party::initiator, k.key) == Parameter::max_recv_initiator;
    const char *by = !k.offered_by ? "" : *k.offered_by == Party::initiator ? "initiator" : "target";
    w.open_object();
    w.add("key", k.key);
    w.add("offered_by", known_text(by));
    w.add("initiator", k.initiator);
    w.add("target", k.target);
    w.add("in_force", each && k.in_force != k.in_force_target ? std::nullopt : known_text(k.in_force));
    w.add("origin", origins[static_cast<std::size_t>(k.origin)]);
    if (each) {
        w.add("in_force_initiator", known_text(k.in_force));
        w.add("in_force_target", known_text(k.in_force_target));
    }
    w.close();
}

using Connections = std::vector<const ConnectionRecord *>;

// Those of the first connection whose login was accepted and whose keys are known.
void write_keys(JsonWriter &w, std::string_view key, std::span<const ConnectionRecord *const> connections) {
    w.open_array(key);
    bool any = false;
    for (const ConnectionRecord *c : connections) {
        if (any || !c->login || !c->login->accepted)
            continue;
        for (const NegotiatedKey &k : c->login->keys.keys) {
            if (!authenticates(k)) {
                write_key(w, k);
                any = true;
            }
        }
    }
    w.close();
}

void write_connection(JsonWriter &w, const ConnectionRecord &c) {
    ActiveTime life;
    life.add(c);
    w.open_object();
    write_cells(w, connection_table(), &c);
    write_pdu_counts(w, "pdus", c.pdus.table());
    write_time_shares(w, "time_shares", life);
    if (c.login) {
        w.open_object("login");
        write_login(w, *c.login);
        w.close();
    } else {
        w.add("login", nullptr);
    }
    w.close();
}

void write_lun(JsonWriter &w, const Report &r, const LunTally &l, const JsonQuantiles &quantiles) {
    w.open_object();
    w.add("lun", to_string(Lun{l.lun}));
    const auto facts = r.lun_facts.find({l.session, l.lun});
    if (facts != r.lun_facts.end()) {
        const LunRecord &f = facts->second;
        w.add("block_length", f.block_length);
        w.add("blocks", f.blocks);
        w.add("device_type", f.device_type);
        w.add("vendor", known_text(f.vendor));
        w.add("product", known_text(f.product));
        w.add("serial", known_text(f.serial));
        w.add("designator", known_text(f.designator));
    }
    for (std::size_t i = 0; i < task_type_count; ++i) {
        const Tally &p = l.parts[i];
        w.open_object(name(static_cast<TaskType>(i)));
        w.add("count", p.count);
        w.add("bytes", p.bytes);
        w.add("not_good", p.not_good);
        write_distribution(w, "response_time", p.response_time, quantiles);
        w.close();
    }
    w.close();
}

} // namespace

void write_login(JsonWriter &w, const Login &l) {
    w.add("accepted", l.accepted);
    w.add("finished", l.finished);
    w.add("whole", l.whole);
    w.add("status_class", l.status_class);
    w.add("status_detail", l.status_detail);
    w.add("status_words", login_status_words(l.status_class, l.status_detail));
    w.add("initiator_name", known_text(l.initiator_name));
    w.add("target_name", known_text(l.target_name));
    w.add("session_type", known_text(l.session_type));
    w.add("authentication", known_text(l.authentication));
    w.add("redirect", known_text(l.redirect));
    w.add("start", l.start);
    w.add("duration_ns", l.end - l.start);
    w.add("first_frame", l.first_frame);
    w.add("last_frame", l.last_frame);
    w.add("round_trips", l.round_trips);
}

void write_sessions(JsonWriter &w, std::string_view key, const Report &r, const JsonQuantiles &quantiles) {
    Connections sorted; // by session, each in the order of the report
    for (const ConnectionRecord &c : r.connections)
        sorted.push_back(&c);
    const auto session_of = [](const ConnectionRecord *c) { return c->session; };
    std::ranges::stable_sort(sorted, {}, session_of);
    w.open_array(key);
    for (const auto &[id, s] : r.sessions) {
        w.open_object();
        w.add("session", id);
        w.add("from_login", s.from_login);
        w.add("initiator_name", known_text(s.initiator_name));
        w.add("target_name", known_text(s.target_name));
        w.add("target_portal_group", known_text(s.target_portal_group));
        w.add("session_type", known_text(s.session_type));
        w.add("isid", known_if(s.from_login, fmt::format("{:02x}", fmt::join(s.isid, ""))));
        w.add("tsih", known_if(s.from_login, s.tsih));
        w.add("reinstates", s.reinstates);
        const auto down = r.downtimes.find(id);
        const bool known = down != r.downtimes.end();
        w.add("downtime_ns", known ? std::optional(down->second.length) : std::nullopt);
        w.add("downtime_tasks", known ? std::optional(down->second.tasks) : std::nullopt);
        const auto time = r.session_time.find(id);
        write_time_shares(w, "time_shares", time != r.session_time.end() ? time->second : ActiveTime{});
        // Not ranges::equal_range: Clang 14 cannot compile libstdc++'s subrange.
        const auto first = std::ranges::lower_bound(sorted, id, {}, session_of);
        const auto last = std::ranges::upper_bound(sorted, id, {}, session_of);
        w.open_array("connections");
        std::for_each(first, last, [&w](const ConnectionRecord *c) { write_connection(w, *c); });
        w.close();
        write_keys(w, "negotiated_keys", {first, last});
        w.open_array("luns");
        for (auto at = r.luns.lower_bound({id, 0}); at != r.luns.end() && at->first.first == id; ++at)
            write_lun(w, r, at->second, quantiles);
        w.close();
        w.close();
    }
    w.close();
}

} // namespace iscsiscope

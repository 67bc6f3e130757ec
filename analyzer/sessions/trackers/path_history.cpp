// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/trackers/path_history.h"

#include "analyzer/base/containers/bounded.h"
#include "analyzer/iscsi/codec/pdu/session_pdus.h"
#include "analyzer/iscsi/scsi/sense.h"
#include "analyzer/iscsi/scsi/sense_codes.h"
#include "analyzer/iscsi/scsi/sense_group.h"
#include "analyzer/sessions/grouping/unit_names.h"

#include <algorithm>
#include <set>

namespace iscsiscope {
namespace {

constexpr std::uint8_t plain_reserves[] = {0x16, 0x56}, plain_releases[] = {0x17, 0x57}; // of 6 and 10 bytes
constexpr std::uint8_t compare_and_write = 0x89;

// RESERVE and RELEASE of SPC-2, of the whole logical unit.
bool is_plain_reserve(const CycleRecord &r) {
    return r.opcode && std::ranges::find(plain_reserves, *r.opcode) != std::end(plain_reserves);
}

bool is_plain_release(const CycleRecord &r) {
    return r.opcode && std::ranges::find(plain_releases, *r.opcode) != std::end(plain_releases);
}

bool is_of_state(const CycleRecord &r) {
    return r.sense && group_of(*r.sense) == SenseGroup::path_state;
}

const char *async_words(std::uint8_t event) {
    switch (static_cast<AsyncEvent>(event)) {
    case AsyncEvent::logout_requested:
        return "the target asks for a logout";
    case AsyncEvent::connection_dropped:
        return "the target drops a connection";
    case AsyncEvent::session_dropped:
        return "the target drops all connections of the session";
    case AsyncEvent::negotiation_requested:
        return "the target asks for a new negotiation of keys";
    default:
        return nullptr;
    }
}

} // namespace

// The paths to one logical unit.
struct PathHistory::Unit {
    UnitReservations reservations;
    CompareFigures compares;
    std::set<std::string> comparing;
    std::vector<const PortGroupsRecord *> states;
    std::map<std::uint16_t, std::set<std::string>> portals; // of the port groups

    void add(Raw &, const SessionLun &, const std::string &host, const std::string &target_name);
    void sort(); // by time
    // "port group 1 (10.0.0.2:3260) is standby, before active/optimized"; nullopt: not reported before.
    std::string words_of(const PortGroup &, std::optional<PortState> before) const;
    std::optional<PortState> worst_of(std::uint16_t group) const;
};

PathHistory::Raw *PathHistory::raw(SessionId session, std::uint64_t lun) {
    return find_or_add(raw_, {session, lun}, max_units);
}

void PathHistory::keep(PathEvent e) {
    if (events_.size() < max_events)
        events_.push_back(std::move(e));
    else
        ++events_left_out_;
}

void PathHistory::on(const LoginRecord &record) {
    const ConnectionFace &c = *record.connection;
    const Login &login = *record.login;
    if (login.session_type == "Discovery" || !login.finished)
        return;
    const bool moved = !login.accepted && login.status_class == 1;
    keep({.time = login.end,
          .frame = login.last_frame,
          .kind = login.accepted ? PathEventKind::up
                  : moved        ? PathEventKind::moved
                                 : PathEventKind::refused,
          .stream = c.stream,
          .initiator = c.endpoint(Side::opener),
          .target = c.endpoint(Side::acceptor),
          .words = login.accepted ? "login accepted"
                   : moved        ? "the target redirects the login" +
                                 (login.redirect.empty() ? "" : " to " + login.redirect)
                           : "login refused (class " + std::to_string(login.status_class) + ", detail " +
                                 std::to_string(login.status_detail) + ")"});
}

void PathHistory::on(const ConnectionRecord &r) {
    if (r.outcome == ConnectionOutcome::open || !r.login || !r.login->accepted ||
        r.login->session_type == "Discovery")
        return;
    const char *how = r.outcome == ConnectionOutcome::logged_out ? "logged out"
                      : r.outcome == ConnectionOutcome::reset    ? "connection reset without a logout"
                      : r.outcome == ConnectionOutcome::closed
                          ? "connection closed without a logout"
                          : "connection gone: its addresses and ports begin a new one";
    keep({.time = r.end,
          .frame = r.last_frame,
          .kind = PathEventKind::down,
          .stream = r.stream,
          .session = r.session,
          .initiator = r.initiator,
          .target = r.target,
          .words = how,
          .outcome = r.outcome});
}

void PathHistory::on(const EventRecord &e) {
    const char *words = e.opcode == Opcode::async_message ? async_words(e.code) : nullptr;
    if (words == nullptr)
        return;
    PathEvent p{.time = e.time,
                .frame = e.frame,
                .kind = PathEventKind::moved,
                .stream = e.stream,
                .session = e.session,
                .words = words};
    if (const Member *m = members_.of_stream(e.stream)) {
        p.initiator = m->initiator_end;
        p.target = m->target_end;
    }
    keep(std::move(p));
}

void PathHistory::on(const AttemptRecord &r) {
    if (!r.known_port || (r.outcome != AttemptOutcome::refused && r.outcome != AttemptOutcome::unanswered))
        return;
    const bool refused = r.outcome == AttemptOutcome::refused;
    keep({.time = r.end,
          .frame = refused ? r.answer_frame : OptionalFrame(r.last_syn_frame),
          .kind = PathEventKind::unreachable,
          .stream = r.stream,
          .initiator = r.initiator,
          .target = r.portal,
          .words = refused ? "attempt to connect refused"
                           : "no answer to " + std::to_string(r.syns) + (r.syns == 1 ? " SYN" : " SYNs")});
}

void PathHistory::sense(const CycleRecord &r, Raw &at) {
    if (!is_of_state(r)) {
        if (r.outcome == TaskOutcome::good && r.type != TaskType::control)
            at.sense_event = no_event; // the path carries data again
        return;
    }
    if (at.sense_event == no_event || at.sense != *r.sense) {
        at.sense_event = events_.size();
        at.sense = *r.sense;
        at.sense_count = 0;
        keep({.time = r.end,
              .frame = r.status_frame,
              .kind = PathEventKind::sense,
              .stream = r.stream,
              .session = r.session,
              .lun = r.lun});
    }
    ++at.sense_count;
    if (at.sense_event < events_.size())
        events_[at.sense_event].words =
            (at.sense_count == 1 ? std::string("1 command ends")
                                 : std::to_string(at.sense_count) + " commands end") +
            " with " +
            std::string(sense_code_name(static_cast<std::uint8_t>(*r.sense >> 8),
                                        static_cast<std::uint8_t>(*r.sense)));
}

void PathHistory::on(const CycleRecord &r) {
    const auto pending = pending_.find(r.cycle);
    const bool plain = is_plain_reserve(r) || is_plain_release(r);
    const bool conflict = r.outcome == TaskOutcome::reservation_conflict;
    const auto known = raw_.find({r.session, r.lun});
    const bool sense_counted = known != raw_.end() && known->second.sense_event != no_event;
    if (pending == pending_.end() && !plain && !conflict && r.opcode != compare_and_write && !sense_counted &&
        !is_of_state(r))
        return;
    Raw *at = raw(r.session, r.lun);
    if (at == nullptr)
        return;
    sense(r, *at);
    if (pending != pending_.end()) {
        for (ReservationStep &s : at->steps)
            if (s.action && s.cycle == r.cycle && r.outcome != TaskOutcome::good)
                s.failed = true;
        pending_.erase(pending);
    }
    if (plain && at->steps.size() < max_steps) {
        at->steps.push_back({.time = r.end,
                             .frame = r.command_frame,
                             .session = r.session,
                             .plain_reserve = is_plain_reserve(r),
                             .plain_release = !is_plain_reserve(r),
                             .failed = r.outcome != TaskOutcome::good});
    }
    if (conflict && ++at->conflict_count <= 16)
        at->conflicts.push_back({r.end, r.command_frame, r.end_frame, {}});
    if (r.opcode == compare_and_write)
        compare(r, at->compares);
}

void PathHistory::compare(const CycleRecord &r, CompareFigures &c) {
    ++c.commands;
    const bool miscompare = r.sense && sense_key_of(*r.sense) == 0x0e;
    if (miscompare && c.miscompares++ == 0)
        c.first_miscompare = r.status_frame;
    c.other_failures += !miscompare && r.outcome != TaskOutcome::good ? 1 : 0;
    if (r.response_time && *r.response_time > c.longest) {
        c.longest = *r.response_time;
        c.longest_frame = r.command_frame;
    }
}

void PathHistory::on(const ReservationRecord &r) {
    Raw *at = raw(r.session, r.lun);
    if (at == nullptr || at->steps.size() == max_steps)
        return;
    ReservationStep s;
    s.time = r.time;
    s.frame = r.frame;
    s.session = r.session;
    s.cycle = r.cycle;
    s.answer = !r.to_target;
    if (r.to_target) {
        s.action = static_cast<ReserveOut>(r.service_action);
        s.key = r.keys ? r.keys->key : 0;
        s.new_key = r.keys ? r.keys->new_key : 0;
        s.type = r.scope_and_type;
        if (pending_.size() < max_pending)
            pending_.emplace(r.cycle, SessionLun{r.session, r.lun});
    } else {
        s.names_holder = r.service_action == static_cast<std::uint16_t>(ReserveIn::read_full_status) ||
                         r.service_action == static_cast<std::uint16_t>(ReserveIn::read_reservation);
        s.registrants = r.registrants;
    }
    at->steps.push_back(std::move(s));
}

void PathHistory::on(const PortGroupsRecord &r) {
    Raw *at = raw(r.session, r.lun);
    // The same answer again adds nothing.
    if (at != nullptr && at->states.size() < max_steps &&
        (at->states.empty() || at->states.back().groups != r.groups))
        at->states.push_back(r);
}

void PathHistory::Unit::add(Raw &raw, const SessionLun &at, const std::string &host,
                            const std::string &target_name) {
    UnitReservations &r = reservations;
    r.target_name = compares.target_name = target_name;
    r.lun = compares.lun = at.second;
    for (ReservationStep &s : raw.steps) {
        s.host = host;
        r.steps.push_back(std::move(s));
    }
    for (ReservationConflict &c : raw.conflicts) {
        c.host = host;
        r.conflicts.push_back(std::move(c));
    }
    r.conflict_count += raw.conflict_count;
    for (const PortGroupsRecord &p : raw.states)
        states.push_back(&p);
    CompareFigures &c = compares;
    if (raw.compares.commands > 0)
        comparing.insert(host);
    c.commands += raw.compares.commands;
    c.miscompares += raw.compares.miscompares;
    c.other_failures += raw.compares.other_failures;
    keep_earlier(c.first_miscompare, raw.compares.first_miscompare);
    if (raw.compares.longest > c.longest) {
        c.longest = raw.compares.longest;
        c.longest_frame = raw.compares.longest_frame;
    }
}

void PathHistory::Unit::sort() {
    std::ranges::stable_sort(reservations.steps, {}, &ReservationStep::time);
    std::ranges::stable_sort(reservations.conflicts, {}, &ReservationConflict::time);
    std::ranges::stable_sort(states, {}, &PortGroupsRecord::time);
}

std::string PathHistory::Unit::words_of(const PortGroup &g, std::optional<PortState> before) const {
    std::string portals_of_group;
    if (const auto at = portals.find(g.group); at != portals.end())
        for (const std::string &portal : at->second)
            portals_of_group += (portals_of_group.empty() ? "" : ", ") + portal;
    return "port group " + std::to_string(g.group) +
           (portals_of_group.empty() ? std::string() : " (" + portals_of_group + ")") + " is " +
           std::string(words(g.state)) + (g.preferred ? ", preferred" : "") +
           (before ? ", before " + std::string(words(*before)) : std::string());
}

std::optional<PortState> PathHistory::Unit::worst_of(std::uint16_t group) const {
    std::optional<PortState> worst;
    for (const PortGroupsRecord *p : states)
        for (const PortGroup &g : p->groups)
            if (g.group == group && g.state != PortState::optimized)
                worst = g.state;
    return worst;
}

PathFigures PathHistory::take(const Luns &luns) {
    UnitNames names(members_, luns);
    std::map<std::string, Unit> units;
    for (auto &[at, raw] : raw_) {
        const UnitNames::Ends &ends = names.of_session[at.first];
        units[names.unit(at)].add(raw, at, ends.host, ends.target_name);
    }
    for (const auto &[at, l] : luns)
        if (const auto u = units.find(names.unit(at)); l.port_group && u != units.end())
            u->second.portals[*l.port_group].insert(to_text(names.of_session[l.session].target));
    const auto on_path = [&](PathEventKind kind, Time time, OptionalFrame frame, SessionId session,
                             std::uint64_t lun, std::string text, std::optional<PortState> before) {
        const UnitNames::Ends &ends = names.of_session[session];
        keep({time,
              frame,
              kind,
              ends.stream,
              session,
              lun,
              ends.initiator,
              ends.target,
              std::move(text),
              {},
              before});
    };
    PathFigures f;
    for (auto &[key, u] : units) {
        u.sort();
        UnitReservations &r = u.reservations;
        for (const ReservationStep &s : r.steps)
            on_path(PathEventKind::reservation, s.time, s.frame, s.session, r.lun, step_words(s), {});
        std::map<std::uint16_t, PortState> now;
        for (const PortGroupsRecord *p : u.states)
            for (const PortGroup &g : p->groups) {
                const auto known = now.find(g.group);
                const auto before = known != now.end() ? std::optional(known->second) : std::nullopt;
                if (before == g.state)
                    continue;
                on_path(PathEventKind::state, p->time, p->frame, p->session, p->lun, u.words_of(g, before),
                        before);
                now[g.group] = g.state;
            }
        for (const auto &[at, l] : luns)
            if (l.port_group && now.contains(*l.port_group) && names.unit(at) == key)
                f.states.push_back(
                    {l.session, l.lun, *l.port_group, now[*l.port_group], u.worst_of(*l.port_group)});
        if (!r.steps.empty() || r.conflict_count > 0)
            f.reservations.push_back(std::move(r));
        u.compares.hosts = u.comparing.size();
        if (u.compares.commands > 0)
            f.compares.push_back(u.compares);
    }
    for (PathEvent &e : events_)
        if (e.kind == PathEventKind::sense && e.session) {
            e.initiator = names.of_session[*e.session].initiator;
            e.target = names.of_session[*e.session].target;
        }
    std::ranges::stable_sort(events_, {}, &PathEvent::time);
    f.events = std::move(events_);
    f.events_left_out = events_left_out_;
    return f;
}

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// Rule target_moved: the target sent its initiators away, by a login redirection (RFC 7143 section 11.13.5,
// status class 1) or by an Async Message that asks for a logout or drops connections (section 11.9).
#include "analyzer/findings/rules/rule_tools.h"

#include "analyzer/iscsi/codec/pdu/session_pdus.h"
#include "analyzer/sessions/figures/session_figures.h"

#include <algorithm>

namespace iscsiscope::rules {
namespace {

struct Move {
    Time time{};
    FrameNumber frame = 0;
    StreamId stream{};
    Endpoint initiator{}, target{};
    std::string initiator_name{}, target_name{};
    std::string words{};                     // what the target did
    const char *title = nullptr;             // of the finding
    std::string to{};                        // TargetAddress; empty: none named
    const LoginFigures *new_login = nullptr; // the first that was accepted afterwards
    std::uint8_t event = 0;                  // of an Async Message
    std::uint16_t seconds = 0;               // within which the target asks for the logout
    std::optional<Duration> logout{};        // from the message to the initiator's Logout Request
    std::uint64_t lost_tasks = 0;            // open when the connection was lost
    bool open_end = false;                   // the capture ends before a new login could be expected
    bool to_itself = false;                  // the portal names itself

    Duration cost() const { return std::max(Duration{}, new_login->login.end - time); }
};

const char *event_words(std::uint8_t event) {
    switch (event) {
    case 1:
        return "asked for a logout (Async Message)";
    case 2:
        return "dropped a connection (Async Message)";
    case 3:
        return "dropped all connections of a session (Async Message)";
    default:
        return nullptr;
    }
}

// True if a TargetAddress (RFC 7143 section 13.8) names this portal.
bool names_portal(std::string_view address, const Endpoint &portal) {
    const std::string text = to_text(portal);
    return address == to_text(portal.address) ||
           (address.starts_with(text) && (address.size() == text.size() || address[text.size()] == ','));
}

Move move_of(const LoginFigures &l) {
    const char *words = l.login.status_detail == 2 ? "redirected a login (moved permanently)"
                                                   : "redirected a login (moved temporarily)";
    return {.time = l.login.end,
            .frame = l.login.last_frame,
            .stream = l.stream,
            .initiator = l.initiator,
            .target = l.target,
            .initiator_name = l.login.initiator_name,
            .target_name = l.login.target_name,
            .words = words,
            .title = "The target redirects logins",
            .to = l.login.redirect,
            .to_itself = names_portal(l.login.redirect, l.target)};
}

std::optional<Move> move_of(const EventRecord &e, const RuleContext &c) {
    const ConnectionFacts *at = connection_of(c.facts, e.stream);
    if (at == nullptr)
        return std::nullopt;
    const ConnectionRecord &r = at->record;
    std::optional<Duration> logout;
    if (at->logout_request && at->logout_request->time >= e.time)
        logout = at->logout_request->time - e.time;
    return Move{.time = e.time,
                .frame = e.frame,
                .stream = e.stream,
                .initiator = r.initiator,
                .target = r.target,
                .initiator_name = r.initiator_name,
                .target_name = r.target_name,
                .words = event_words(e.code),
                .title =
                    e.code == 1 ? "The target asks initiators to log out" : "The target drops connections",
                .event = e.code,
                .seconds = e.parameter3,
                .logout = logout,
                .lost_tasks = at->lost_tasks.count};
}

// The same initiator at the same target, by their names. Where a name is not in the capture, it is an
// initiator with the same address, or one at the portal that the target named.
bool same_nexus(const Move &m, const LoginFigures &l) {
    const bool names = !m.initiator_name.empty() && !l.login.initiator_name.empty();
    const bool initiator = names ? m.initiator_name == l.login.initiator_name
                                 : m.initiator.address == l.initiator.address || names_portal(m.to, l.target);
    return initiator &&
           (m.target_name.empty() || l.login.target_name.empty() || m.target_name == l.login.target_name);
}

// Returns the moves by time, at most those that the tables hold; their number in the capture is `count`.
std::vector<Move> moves_of(const RuleContext &c, std::uint64_t &count) {
    const LoginSummary &logins = c.in.sessions->logins;
    std::vector<Move> moves;
    count = logins.redirected;
    for (const LoginFigures &l : logins.logins)
        if (l.redirected)
            moves.push_back(move_of(l));
    for (const auto &[key, event] : c.facts.events) {
        if (key.first != Opcode::async_message || event_words(key.second) == nullptr)
            continue;
        count += event.count;
        for (const EventRecord &e : event.first)
            if (auto move = move_of(e, c))
                moves.push_back(std::move(*move));
    }
    std::ranges::stable_sort(moves, {}, &Move::time);
    Time end{};
    for (const ConnectionFacts &k : c.facts.connections)
        end = std::max(end, k.record.end);
    for (Move &m : moves) {
        const auto login = std::ranges::find_if(logins.logins, [&](const auto &l) {
            return l.login.accepted && l.login.start >= m.time && same_nexus(m, l);
        });
        m.new_login = login != logins.logins.end() ? &*login : nullptr;
        // An initiator that logged out as asked comes back after Time2Wait, 2 s unless the keys differ.
        m.open_end = m.new_login == nullptr && m.logout && end - m.time < std::chrono::seconds{5};
    }
    return moves;
}

std::string sentence(const Move &m, std::uint64_t count, std::uint64_t lost) {
    std::string text = "The target at " + to_text(m.target) + " " + m.words;
    if (m.to_itself)
        text += " to itself";
    else if (!m.to.empty())
        text += " to " + m.to;
    if (m.event == static_cast<std::uint8_t>(AsyncEvent::logout_requested)) {
        text += " within " + human::plural(m.seconds, "second", "seconds");
        text += m.logout ? "; the initiator sent it after " + human::duration(*m.logout)
                         : "; the initiator sent none";
    }
    if (m.event != 0)
        text += m.lost_tasks == 0
                    ? ", no command was lost"
                    : ", " + human::plural(m.lost_tasks, "command was", "commands were") + " lost";
    text += m.open_end               ? "; the capture ends before a new login"
            : m.new_login != nullptr ? "; a new login at " + to_text(m.new_login->target) + " was accepted " +
                                           human::duration(m.cost()) + " later"
                                     : "; no login of this initiator was accepted afterwards";
    text += ".";
    if (count > 1) {
        text += " In all " + human::count(count) + " logins and sessions were sent away";
        text += lost > 0 ? ", " + human::count(lost) + " of them without a new login." : ".";
    }
    return text;
}

// Orders moves: without a new login first, then by what it cost; one that the capture's end cuts off is last.
bool worse(const Move &a, const Move &b) {
    const auto rank = [](const Move &m) { return m.open_end ? 0 : m.new_login != nullptr ? 1 : 2; };
    if (rank(a) != rank(b))
        return rank(a) > rank(b);
    return rank(a) == 1 && a.cost() > b.cost();
}

// True if the capture holds only what initiators sent.
bool targets_unseen(const RuleContext &c) {
    const auto one_way = [](const ConnectionFacts &k) {
        return k.record.segments_to_target > 0 && k.record.segments_to_initiator == 0;
    };
    return !c.facts.connections.empty() && std::ranges::all_of(c.facts.connections, one_way);
}

} // namespace

Verdict target_moved(const RuleContext &c) {
    if (c.in.sessions == nullptr)
        return none("logins were not looked at");
    std::uint64_t count = 0;
    const std::vector<Move> moves = moves_of(c, count);
    if (moves.empty() && count > 0)
        return none(
            human::count(count) +
            " logins and sessions were sent away, on connections beyond those with figures of their own");
    if (moves.empty() && targets_unseen(c))
        return none("whether a target redirected logins or dropped connections is not known: nothing that a "
                    "target sent is in the capture");
    if (moves.empty())
        return none("no login was redirected and no target asked for a logout or dropped a connection: " +
                    human::plural(c.in.sessions->logins.accepted, "login", "logins") + " accepted");
    const Move *worst = &moves.front();
    std::uint64_t lost = 0;
    for (const Move &m : moves) {
        lost += m.new_login == nullptr && !m.open_end ? 1 : 0;
        if (worse(m, *worst))
            worst = &m;
    }
    Finding f = begin_finding(FindingKind::target_moved);
    if (lost > 0)
        f.nature = Nature::failure;
    else
        f.at_most = Severity::info;
    f.stream = worst->stream;
    f.title = worst->title;
    f.sentence = sentence(*worst, count, lost);
    add_evidence(f, worst->frame, "the target " + worst->words);
    if (worst->new_login != nullptr) {
        add_evidence(f, worst->new_login->login.first_frame, "first request of the new login");
        add_evidence(f, worst->new_login->login.last_frame, "the new login is accepted");
        add_figure(f, "time_to_new_login", worst->cost());
    }
    if (worst->logout)
        add_figure(f, "time_to_logout", *worst->logout);
    if (worst->event != 0)
        add_figure(f, "commands_lost", static_cast<double>(worst->lost_tasks));
    add_figure(f, "moves", static_cast<double>(count));
    add_figure(f, "without_new_login", static_cast<double>(lost));
    f.remedy =
        lost > 0 && worst->to_itself ? "Correct the redirection at the target: the portal sends logins back "
                                       "to itself (tgtadm: RedirectAddress)."
        : lost > 0
            ? "Check that the initiator can reach the portal that the target names and is admitted there. "
              "Look in the target's log for why it gave the old portal up."
            : "After a failover or a planned move of the target, change nothing. If it happens at each "
              "login, let the initiator log in at the portal that the target names (iscsiadm -m node -p …).";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

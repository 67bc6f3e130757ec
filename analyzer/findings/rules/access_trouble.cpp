// SPDX-License-Identifier: GPL-2.0-or-later
// Rule access_trouble: RESERVATION CONFLICT and who holds the reservation, sense codes of target port groups
// (ALUA; SPC-4 sections 5.15 and 5.12: 02/04/0A transition, 0B standby, 0C unavailable, 06/2A/06 state
// changed), and COMPARE AND WRITE that finds other data (SBC-3 section 5.3, sense key MISCOMPARE).
#include "analyzer/findings/rules/rule_tools.h"

#include "analyzer/base/containers/greatest.h"
#include "analyzer/sessions/figures/session_figures.h"

#include <algorithm>
#include <fmt/format.h>

namespace iscsiscope::rules {
namespace {

// The logical unit with most conflicts; null if figures of sessions are missing.
const UnitReservations *unit_with_max_conflicts(const RuleContext &c) {
    const auto count = [](const UnitReservations &u) {
        return u.conflicts.empty() ? std::nullopt : std::optional(u.conflict_count);
    };
    return c.in.sessions != nullptr ? greatest_of(c.in.sessions->paths.reservations, count) : nullptr;
}

std::string holder_words(const ReservationHolder &h) {
    const std::string_view name = h.type ? reservation_type_name(*h.type) : std::string_view();
    const std::string type = name.empty() ? std::string() : fmt::format(" ({})", name);
    if (!h.key)
        return human::name(h.host) + " holds the reservation, by RESERVE";
    if (h.host.empty())
        return fmt::format("the reservation{} has key 0x{:x}; the capture does not show whose key that is",
                           type, *h.key);
    return fmt::format("{} holds the reservation{} with key 0x{:x}", human::name(h.host), type, *h.key);
}

std::string conflict_words(Finding &f, const RuleContext &c, const OutcomeFacts &conflicts) {
    std::string text = human::plural(conflicts.count, "command", "commands");
    const UnitReservations *unit = unit_with_max_conflicts(c);
    if (unit != nullptr && !unit->conflicts.front().host.empty())
        text += " of " + human::name(unit->conflicts.front().host);
    text += " ended with RESERVATION CONFLICT";
    const auto holder = unit != nullptr ? unit->holder(unit->conflicts.front().time) : std::nullopt;
    if (!holder)
        return text + ", because another host holds a reservation; the capture does not show which one";
    add_evidence(f, holder->frame,
                 holder->by_answer ? "an answer states the reservation" : "the reservation");
    return text + ": " + holder_words(*holder);
}

// The first change of a port group's state: "port group 1 (10.0.0.2:3260) is standby, before
// active/optimized".
const PathEvent *first_change(const RuleContext &c, std::uint64_t &changes) {
    const PathEvent *first = nullptr;
    changes = 0;
    if (c.in.sessions != nullptr)
        for (const PathEvent &e : c.in.sessions->paths.events)
            if (e.kind == PathEventKind::state && e.before && changes++ == 0)
                first = &e;
    return first;
}

std::string state_words(Finding &f, const RuleContext &c, std::uint64_t states) {
    std::string text = states > 0 ? human::plural(states, "command", "commands") +
                                        " ended with sense data about the state of their path (ALUA)"
                                  : std::string();
    std::uint64_t changes = 0;
    if (const PathEvent *change = first_change(c, changes)) {
        text += (text.empty() ? "" : ": ") + change->words;
        if (changes > 1)
            text += fmt::format(" (the first of {} changes)", human::count(changes));
        add_evidence(f, change->frame, "the state is reported again");
        add_figure(f, "state_changes", static_cast<double>(changes));
    }
    return text;
}

const CompareFigures *unit_with_max_miscompares(const RuleContext &c) {
    const auto count = [](const CompareFigures &u) {
        return u.miscompares > 0 ? std::optional(u.miscompares) : std::nullopt;
    };
    return c.in.sessions != nullptr ? greatest_of(c.in.sessions->paths.compares, count) : nullptr;
}

std::string compare_words(Finding &f, const CompareFigures &u) {
    add_evidence(f, u.first_miscompare, "MISCOMPARE");
    add_figure(f, "compare_and_write", static_cast<double>(u.commands));
    add_figure(f, "miscompares", static_cast<double>(u.miscompares));
    return fmt::format("{} of {} COMPARE AND WRITE (ATS) of {} found other data than expected",
                       human::count(u.miscompares), human::count(u.commands),
                       human::plural(u.hosts, "host", "hosts"));
}

} // namespace

Verdict access_trouble(const RuleContext &c) {
    const OutcomeFacts &conflicts = c.facts.of(TaskOutcome::reservation_conflict);
    std::uint64_t states = 0;
    OptionalFrame frame;
    for (const auto &[code, s] : c.facts.senses)
        if (is_of_path_state(code)) {
            states += s.count;
            keep_earlier(frame, s.first_frame);
        }
    const CompareFigures *compares = unit_with_max_miscompares(c);
    if (conflicts.count + states == 0 && compares == nullptr)
        return none("no reservation conflict and no change of a port group's state was reported");
    Finding f = begin_finding(FindingKind::access_trouble);
    if (conflicts.of_transfers > 0 || conflicts.count + states >= 5)
        f.nature = Nature::failure;
    const bool conflict = conflicts.count > 0;
    if (conflict && states == 0)
        f.title = "Another host's reservation blocks commands";
    else if (!conflict && states > 0)
        f.title = "Commands are refused by a path's state (ALUA)";
    else if (!conflict)
        f.title = "Block locks found unexpected data (ATS miscompare)";
    add_evidence(f, conflicts.first_command, "the first command in conflict");
    add_evidence(f, conflicts.first_end, "RESERVATION CONFLICT");
    add_evidence(f, frame, "sense data of the path's state");
    for (const std::string &part : {conflict ? conflict_words(f, c, conflicts) : std::string(),
                                    states > 0 ? state_words(f, c, states) : std::string(),
                                    compares != nullptr ? compare_words(f, *compares) : std::string()})
        if (!part.empty())
            f.sentence += (f.sentence.empty() ? "" : " ") + capitalized(part) + ".";
    std::ranges::sort(f.evidence, {}, &EvidenceFrame::frame);
    add_figure(f, "reservation_conflicts", static_cast<double>(conflicts.count));
    add_figure(f, "path_states", static_cast<double>(states));
    if (conflict)
        f.remedy =
            "Let the holder release it, or register this host's key (Linux: sg_persist --in -k, -r and -s "
            "show keys and holder). ESXi logs such a status as D:0x18.";
    if (states > 0)
        f.remedy += std::string(conflict ? " " : "") +
                    "Let multipath use active, optimized paths only (prio alua, hardware_handler \"1 "
                    "alua\"), with the same policy on every host.";
    if (compares != nullptr && f.remedy.empty())
        f.remedy =
            "A single miscompare means that two hosts competed for one lock. Where ESXi loses access to a "
            "volume with them "
            "(P:0x5, ATS Miscompare in its log), ask the storage's vendor before turning ATS heartbeats off.";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

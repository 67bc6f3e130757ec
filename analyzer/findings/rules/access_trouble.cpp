// SPDX-License-Identifier: GPL-2.0-or-later
// Rule access_trouble: RESERVATION CONFLICT and who holds the reservation, sense codes of target port groups
// (ALUA; SPC-4 sections 5.15 and 5.12: 02/04/0A transition, 0B standby, 0C unavailable, 06/2A/06 state
// changed), a LUN that is taken by turns (turns.h), and COMPARE AND WRITE that finds other data (SBC-3
// section 5.3, sense key MISCOMPARE).
#include "analyzer/findings/rules/refused_units.h"
#include "analyzer/findings/rules/rule_tools.h"
#include "analyzer/findings/rules/sense_words.h"
#include "analyzer/findings/rules/turns.h"

#include "analyzer/base/containers/greatest.h"
#include "analyzer/iscsi/scsi/lun.h"
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

// Whether the host whose command was refused had registered a key, as far as the steps show: without one, or
// with a key of its own, it is no holder of a reservation of registrants.
std::string own_key_words(const UnitReservations &unit, const ReservationConflict &conflict) {
    if (conflict.host.empty())
        return "";
    std::optional<std::uint64_t> key;
    for (const ReservationStep &s : unit.steps) {
        const bool registers =
            s.action && (*s.action == ReserveOut::registers || *s.action == ReserveOut::register_and_ignore);
        if (registers && !s.failed && s.host == conflict.host && s.time <= conflict.time)
            key = s.new_key;
    }
    if (!key || *key == 0)
        return fmt::format(". The capture shows no key that {} registered", human::name(conflict.host));
    return fmt::format(". {} had registered key 0x{:x}", human::name(conflict.host), *key);
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
    return text + ": " + holder_words(*holder) + own_key_words(*unit, unit->conflicts.front());
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

// The longest time for which a unit refused commands in one piece because its port group changed state
// (02/04/0A).
struct Transition {
    UnitKey unit;
    const Standstill *piece = nullptr; // null: none
};

Transition longest_transition(const Facts &facts) {
    constexpr std::uint32_t transition = 0x040a;
    Transition longest;
    for (const auto &[key, unit] : facts.refusals.units)
        for (const Standstill &s : unit.standstills)
            if (s.sense && group_of(*s.sense) == SenseGroup::path_state &&
                (*s.sense & 0xffff) == transition &&
                (longest.piece == nullptr || s.length() > longest.piece->length()))
                longest = {key, &s};
    return longest;
}

// Another session of the same initiator by which the same LUN served commands after that time: another path.
const ConnectionFacts *other_path(const Facts &facts, const UnitKey &unit, Time after) {
    const ConnectionFacts *own = connection_of_session(facts, unit.session);
    for (const auto &[key, sight] : facts.refusals.units) {
        const ConnectionFacts *k =
            sight.worked > 0 && sight.last_worked > after && key != unit && same_lun(key.lun, unit.lun)
                ? connection_of_session(facts, key.session)
                : nullptr;
        if (own != nullptr && k != nullptr && !own->record.initiator_name.empty() &&
            own->record.initiator_name == k->record.initiator_name &&
            own->record.target_name == k->record.target_name)
            return k;
    }
    return nullptr;
}

std::string transition_words(Finding &f, const RuleContext &c, const Transition &t, std::uint64_t states) {
    const Standstill &s = *t.piece;
    const std::string lun = "LUN " + to_string(Lun{t.unit.lun});
    f.lun = t.unit.lun;
    f.session = t.unit.session;
    const std::string length = human::duration(s.length());
    f.title = "ALUA transition: " + lun + " refused commands for " + length;
    add_evidence(f, s.first_frame, "first refusal in the transition");
    add_evidence(f, s.last_frame, "last refusal in the transition");
    add_evidence(f, s.over_frame, "the LUN answers again");
    add_figure(f, "longest_transition", s.length());
    std::string text =
        fmt::format("{} refused {} for {} in one piece{}, as the state of its path (ALUA) was in transition "
                    "({})",
                    lun, human::plural(s.count, "command", "commands"), length,
                    ends_words(connection_of_session(c.facts, t.unit.session)), sense_digits(*s.sense));
    const ConnectionFacts *other = other_path(c.facts, t.unit, s.last);
    if (s.over)
        text += "; then it answered again";
    else if (other != nullptr)
        text += "; the LUN served commands at " + to_text(other->record.target) + " meanwhile or afterwards";
    else
        text += "; the capture shows no end of it";
    if (states > s.count)
        text += fmt::format("; {} were refused by a path's state in all", human::count(states));
    return text;
}

// The state that refused commands (SPC-4 section 5.15.2.4); "": sense data of a change.
std::string_view refusing_state(std::uint32_t sense) {
    switch (sense & 0xffff) {
    case 0x040b:
        return "standby";
    case 0x040c:
        return "unavailable";
    default:
        return "";
    }
}

// " (standby, 02/04/0B), on LUN 0 from 10.0.0.1:40001 to 10.0.0.2:3260"; "" without details.
std::string refusing_words(Finding &f, const RuleContext &c) {
    const std::vector<RefusedUnit> units = refused_units(c.facts, SenseGroup::path_state);
    if (units.empty())
        return "";
    const RefusedUnit &worst = units.front();
    const std::uint32_t sense =
        std::ranges::max_element(worst.by_sense, {}, [](const auto &s) { return s.second; })->first;
    f.lun = worst.key.lun;
    f.session = worst.key.session;
    const std::string_view state = refusing_state(sense);
    return fmt::format(" ({}{}), on {}{}", state.empty() ? "" : std::string(state) + ", ",
                       sense_digits(sense), lun_names(units),
                       ends_words(connection_of_session(c.facts, worst.key.session)));
}

std::string state_words(Finding &f, const RuleContext &c, std::uint64_t states) {
    std::string text = states > 0 ? human::plural(states, "command", "commands") +
                                        " ended with sense data about the state of their path (ALUA)" +
                                        refusing_words(f, c)
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

// True for states that a path may have for good, as multipath intends (SPC-4 section 5.15.2): standby and
// unavailable.
bool is_lasting_state(std::uint32_t code) {
    return (code & 0xffff) == 0x040b || (code & 0xffff) == 0x040c;
}

} // namespace

Verdict access_trouble(const RuleContext &c) {
    const OutcomeFacts &conflicts = c.facts.of(TaskOutcome::reservation_conflict);
    std::uint64_t states = 0, of_work = 0;
    OptionalFrame frame;
    for (const auto &[code, s] : c.facts.senses)
        if (group_of(code) == SenseGroup::path_state) {
            states += s.count;
            of_work += is_lasting_state(code) ? s.of_transfers : s.count;
            keep_earlier(frame, s.first_frame);
        }
    const CompareFigures *compares = unit_with_max_miscompares(c);
    const std::optional<Turns> turns = turns_of(c.facts);
    if (conflicts.count + states == 0 && compares == nullptr && !turns)
        return none("no reservation conflict and no change of a port group's state was reported");
    Finding f = begin_finding(FindingKind::access_trouble);
    if (conflicts.of_transfers > 0 || conflicts.count + of_work >= 5 || turns)
        f.nature = Nature::failure;
    else if (conflicts.count + of_work == 0 && compares == nullptr)
        f.at_most = Severity::info; // a host that asks a path whether it is still in standby
    const bool conflict = conflicts.count > 0;
    const Transition transition = longest_transition(c.facts);
    if (conflict && states == 0)
        f.title = "Another host's reservation blocks commands";
    else if (!conflict && states > 0)
        f.title = "Commands are refused by a path's state (ALUA)";
    else if (!conflict && compares != nullptr)
        f.title = "Block locks found unexpected data (ATS miscompare)";
    add_evidence(f, conflicts.first_command, "the first command in conflict");
    add_evidence(f, conflicts.first_end, "RESERVATION CONFLICT");
    add_evidence(f, frame, "sense data of the path's state");
    const bool by_turns = turns && turns->by_state; // then one transition follows the other
    for (const std::string &part : {conflict ? conflict_words(f, c, conflicts) : std::string(),
                                    by_turns || states == 0       ? std::string()
                                    : transition.piece != nullptr ? transition_words(f, c, transition, states)
                                                                  : state_words(f, c, states),
                                    turns ? turns->sentence(f) : std::string(),
                                    compares != nullptr ? compare_words(f, *compares) : std::string()})
        if (!part.empty())
            f.sentence += (f.sentence.empty() ? "" : " ") + capitalized(part) + ".";
    if (turns && !conflict)
        f.title = turns->title();
    std::ranges::sort(f.evidence, {}, &EvidenceFrame::frame);
    set_events(f, c, course_of_refusals(c.facts, [](const RefusalKey &k) {
                   return k.outcome == TaskOutcome::reservation_conflict ||
                          (k.sense && group_of(*k.sense) == SenseGroup::path_state);
               }));
    add_figure(f, "reservation_conflicts", static_cast<double>(conflicts.count));
    add_figure(f, "path_states", static_cast<double>(states));
    if (conflict)
        f.remedy =
            "Let the holder release it, or register this host's key (Linux: sg_persist --in -k, -r and -s "
            "show keys and holder). ESXi logs such a status as D:0x18.";
    if (turns)
        f.remedy += (conflict ? " " : "") + turns->remedy();
    else if (transition.piece != nullptr)
        f.remedy += std::string(conflict ? " " : "") +
                    "Let hosts wait through such a transition (Linux: multipath with prio alua and "
                    "no_path_retry above its length; ESXi: default), and look in the storage's log why the "
                    "controllers took so long to change over.";
    else if (states > 0)
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

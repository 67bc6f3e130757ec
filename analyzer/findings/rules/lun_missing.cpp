// SPDX-License-Identifier: GPL-2.0-or-later
// Rule lun_missing: a LUN that a host uses is not, or no longer, there for it: LOGICAL UNIT NOT SUPPORTED
// (05/25/00) or its kin, or no LUN at all, by the answers to INQUIRY (peripheral qualifier, SPC-4
// section 6.6.2) and REPORT LUNS (section 6.33).
#include "analyzer/findings/rules/refused_units.h"
#include "analyzer/findings/rules/rule_tools.h"
#include "analyzer/findings/rules/sense_words.h"
#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/iscsi/scsi/sense.h"

#include <algorithm>
#include <fmt/format.h>

namespace iscsiscope::rules {
namespace {

// A host that scans asks each LUN once or twice, and within seconds. What asks a missing LUN for longer takes
// it for one of its own (multipath's path checker does so every 5 to 20 s).
constexpr std::uint64_t beyond_a_scan = 5;
constexpr Duration longest_scan = std::chrono::seconds(10);

constexpr std::uint8_t no_device = 0x1f, controller = 0x0c; // device types (SPC-4 table 142)

bool is_absent(const PresenceRecord &inquiry) {
    return (*inquiry.peripheral >> 5) != 0 || (*inquiry.peripheral & 0x1f) == no_device;
}

// True if an answer to INQUIRY says that the unit has a medium of its own.
bool has_device(const UnitSight &unit) {
    return std::ranges::any_of(
        unit.inquiries,
        [](const PresenceRecord &i) { return !is_absent(i) && (*i.peripheral & 0x1f) != controller; });
}

const LunLists *lists_of(const Facts &facts, SessionId session) {
    const auto at = facts.refusals.lists.find(session);
    return at != facts.refusals.lists.end() ? &at->second : nullptr;
}

bool lists(const PresenceRecord &r, std::uint64_t lun) {
    return std::ranges::any_of(
        r.luns, [&](std::uint64_t l) { return same_lun(l, lun); });
}

// True if the session's latest answer to REPORT LUNS is whole and has no such LUN.
bool not_listed(const Facts &facts, const UnitKey &unit) {
    const LunLists *answer = lists_of(facts, unit.session);
    return answer != nullptr && answer->last.whole && !lists(answer->last, unit.lun);
}

// "LUN 0, 1 and 2"; "no LUN", "7 LUNs".
std::string listed_luns(const PresenceRecord &r) {
    std::vector<RefusedUnit> units;
    for (const std::uint64_t lun : r.luns)
        units.emplace_back().key.lun = lun;
    return units.empty() ? std::string("no LUN") : lun_names(units);
}

// True if the session asked only for this unit, and without a list of LUNs: it was given the number.
bool is_only_unit(const Facts &facts, const UnitKey &key) {
    return lists_of(facts, key.session) == nullptr &&
           std::ranges::none_of(
               facts.refusals.rows,
               [&](const auto &row) {
                   return row.first.unit.session == key.session && row.first.unit != key;
               }) &&
           std::ranges::none_of(
               facts.refusals.units,
               [&](const auto &unit) {
                   return unit.first.session == key.session &&
                          (unit.first != key || unit.second.worked > 0 || has_device(unit.second));
               });
}

// The units that hosts use and that are not there. Others are those of a scan.
std::vector<RefusedUnit> missing_units(const Facts &facts) {
    std::vector<RefusedUnit> units = refused_units(facts, SenseGroup::lun_missing);
    std::erase_if(units, [&](const RefusedUnit &u) {
        const bool worked = u.sight != nullptr && u.sight->worked > 0;
        const bool long_asked = u.all.count >= beyond_a_scan && u.all.last - u.all.first >= longest_scan;
        return u.all.of_transfers == 0 && !worked && !long_asked && !is_only_unit(facts, u.key);
    });
    return units;
}

// The units whose Reads and Writes all ended with CHECK CONDITION without a code that the capture holds, and
// that REPORT LUNS does not list.
std::vector<RefusedUnit> unlisted_units(const Facts &facts) {
    std::map<UnitKey, RefusedUnit> found;
    for (const auto &[key, row] : facts.refusals.rows) {
        const bool unknown = key.outcome == TaskOutcome::check_condition &&
                             (!key.sense || *key.sense == (std::uint32_t{0x050000} | sense_code_cut));
        const UnitSight *unit = facts.refusals.unit(key.unit);
        if (!unknown || row.of_transfers == 0 || unit == nullptr || unit->worked > 0 ||
            !not_listed(facts, key.unit))
            continue;
        RefusedUnit &u = found[key.unit];
        u.key = key.unit;
        u.all.merge(row);
        u.by_opcode[key.opcode] += row.count;
        u.sight = unit;
    }
    std::vector<RefusedUnit> units;
    units.reserve(found.size());
    for (auto &[key, unit] : found)
        units.push_back(std::move(unit));
    return units;
}

// True if the same initiator used a LUN of this number at the same target before, in another session.
bool worked_in_another_session(const Facts &facts, const RefusedUnit &u) {
    const ConnectionFacts *own = connection_of_session(facts, u.key.session);
    return std::ranges::any_of(facts.refusals.units, [&](const auto &unit) {
        if (unit.first == u.key || unit.second.worked == 0 || unit.second.last_worked > u.all.first ||
            !same_lun(unit.first.lun, u.key.lun))
            return false;
        const ConnectionFacts *other = connection_of_session(facts, unit.first.session);
        return own != nullptr && other != nullptr && !own->record.target_name.empty() &&
               own->record.target_name == other->record.target_name &&
               own->record.initiator_name == other->record.initiator_name;
    });
}

// What the unit did before or after: " It had answered 3.20 s before."; "" where it never did.
std::string history(const RefusedUnit &u) {
    if (u.sight == nullptr || u.sight->worked == 0)
        return "";
    const UnitSight &s = *u.sight;
    if (s.first_worked > u.all.last)
        return fmt::format(" {} later it answered.", human::duration(s.first_worked - u.all.last));
    if (s.last_worked > u.all.last)
        return " It answered before the first and after the last refusal.";
    return fmt::format(" It had answered {} before.", human::duration(u.all.first - s.last_worked));
}

Verdict used_but_missing(const RuleContext &c, const std::vector<RefusedUnit> &units, bool certain) {
    Finding f = begin_finding(FindingKind::lun_missing);
    const RefusedUnit &worst = units.front();
    const Refusals all = total(units);
    f.lun = worst.key.lun;
    f.session = worst.key.session;
    if (all.of_transfers > 0)
        f.nature = Nature::failure;
    const bool served =
        worst.sight != nullptr && worst.sight->worked > 0 && worst.sight->first_worked < worst.all.first;
    const bool gone = served || worked_in_another_session(c.facts, worst);
    const std::string luns = lun_names(units);
    const bool several = luns.find(" and ") != std::string::npos || luns.ends_with("LUNs");
    f.title =
        luns + (several ? " are " : " is ") + (gone ? "no longer" : "not") + " mapped for this initiator";
    f.sentence = command_words(units) + " to " + luns +
                 ends_words(connection_of_session(c.facts, worst.key.session)) + " ended with " +
                 (certain ? sense_text(worst.by_sense.begin()->first)
                          : std::string("CHECK CONDITION, whose reason the capture lacks")) +
                 ": the target has no such LUN for this initiator" + (gone ? " any longer." : ".") +
                 history(worst);
    const LunLists *answer = lists_of(c.facts, worst.key.session);
    if (answer != nullptr && answer->last.whole) {
        f.sentence += " REPORT LUNS lists " + listed_luns(answer->last) + ".";
        add_evidence(f, answer->last.frame, "answer to REPORT LUNS");
    }
    if (served)
        add_evidence(f, worst.sight->last_worked_frame, "the last command that ended well");
    add_evidence(f, all.first_command, "first command to the missing LUN");
    add_evidence(f, all.first_frame, "the target has no such LUN");
    add_evidence(f, all.last_frame, "the last refusal");
    set_events(f, c, course_of_refusals(c.facts, SenseGroup::lun_missing));
    add_figure(f, "refused_for_lun", static_cast<double>(all.count));
    f.remedy =
        "Map " + luns +
        " to this initiator at the target (LUN mapping, access list of its name; LIO: mapped LUNs of its "
        "ACL), "
        "then rescan (iscsiadm -m session --rescan). If it was taken away on purpose, remove the device at "
        "the host first.";
    return {std::move(f), {}};
}

// A session whose target has no LUN with a medium for it.
struct EmptySession {
    SessionId session;
    const LunLists *answer = nullptr;     // null: REPORT LUNS is not in the capture
    const PresenceRecord *zero = nullptr; // the answer of LUN 0, or of the first unit, to INQUIRY
};

std::vector<EmptySession> empty_sessions(const Facts &facts) {
    struct Seen {
        bool works = false;
        std::uint64_t absent = 0, units = 0;
        const PresenceRecord *inquiry = nullptr;
    };
    std::map<SessionId, Seen> sessions;
    for (const auto &[key, unit] : facts.refusals.units) {
        Seen &s = sessions[key.session];
        const bool controller_only = !unit.inquiries.empty() && !is_absent(unit.inquiries.back());
        s.works = s.works || has_device(unit) || unit.addressed || (unit.worked > 0 && !controller_only);
        ++s.units;
        s.absent += !unit.inquiries.empty() && !has_device(unit) ? 1 : 0;
        if (s.inquiry == nullptr && !unit.inquiries.empty())
            s.inquiry = &unit.inquiries.back();
    }
    for (const auto &[session, answer] : facts.refusals.lists)
        sessions[session]; // an empty list needs no unit
    std::vector<EmptySession> empty;
    for (const auto &[number, seen] : sessions) {
        const SessionId session = number; // Clang 14 captures no structured binding
        if (seen.works || seen.absent < seen.units)
            continue;
        const LunLists *answer = lists_of(facts, session);
        // Without a list a target may have units that were not asked for, unless several were, or the one
        // that was is not that with which a scan begins.
        if (answer == nullptr && seen.units < 2 &&
            (seen.inquiry == nullptr || same_lun(seen.inquiry->lun, 0)))
            continue;
        const bool every_one_asked =
            answer == nullptr ||
            (answer->last.whole && std::ranges::all_of(answer->last.luns, [&](std::uint64_t lun) {
                 return std::ranges::any_of(facts.refusals.units, [&](const auto &unit) {
                     return unit.first.session == session && same_lun(unit.first.lun, lun) &&
                            !unit.second.inquiries.empty();
                 });
             }));
        if (every_one_asked)
            empty.push_back({session, answer, seen.inquiry});
    }
    return empty;
}

// True if another session of this initiator has a unit that works: the target then maps LUNs elsewhere.
bool works_elsewhere(const Facts &facts, SessionId empty) {
    const ConnectionFacts *own = connection_of_session(facts, empty);
    return std::ranges::any_of(facts.refusals.units, [&](const auto &unit) {
        const ConnectionFacts *other =
            unit.second.worked > 0 ? connection_of_session(facts, unit.first.session) : nullptr;
        return own != nullptr && other != nullptr && own != other &&
               own->record.initiator_name == other->record.initiator_name;
    });
}

Verdict nothing_mapped(const RuleContext &c, const std::vector<EmptySession> &empty) {
    const EmptySession &first = empty.front();
    Finding f = begin_finding(FindingKind::lun_missing);
    f.nature = Nature::failure;
    if (std::ranges::all_of(empty,
                            [&](const EmptySession &e) { return works_elsewhere(c.facts, e.session); }))
        f.at_most = Severity::notice;
    f.session = first.session;
    f.title = "No LUN is mapped for this initiator";
    const ConnectionFacts *k = connection_of_session(c.facts, first.session);
    f.sentence = "The login" + ends_words(k) + " succeeded, but no LUN is mapped for this initiator";
    const bool is_controller = first.zero != nullptr && !is_absent(*first.zero);
    std::vector<std::string> reasons;
    if (first.answer != nullptr)
        reasons.push_back("REPORT LUNS lists " + listed_luns(first.answer->last) +
                          (first.answer->last.luns.size() == 1 ? " only" : ""));
    if (first.zero != nullptr)
        reasons.push_back(fmt::format(
            "INQUIRY of LUN {} says that {}", to_string(Lun{first.zero->lun}),
            is_controller ? std::string("it is a controller without a medium")
                          : fmt::format("no device is there (qualifier {})", *first.zero->peripheral >> 5)));
    f.sentence += ": " + reasons.front() + (reasons.size() > 1 ? ", and " + reasons.back() : "") + ".";
    if (empty.size() > 1)
        f.sentence += " So it is in " + human::count(empty.size()) + " sessions.";
    if (first.answer != nullptr)
        add_evidence(f, first.answer->last.frame, "answer to REPORT LUNS");
    if (first.zero != nullptr)
        add_evidence(f, first.zero->frame, is_controller ? "a controller answers" : "no device is there");
    add_figure(f, "sessions_without_lun", static_cast<double>(empty.size()));
    f.remedy =
        "Map a LUN to this initiator at the target: compare the name that the login states with the access "
        "list "
        "(LIO: ACL and mapped LUNs; tgtd: --op bind; arrays: host group), then rescan (iscsiadm -m session "
        "--rescan).";
    return {std::move(f), {}};
}

} // namespace

Verdict lun_missing(const RuleContext &c) {
    const std::vector<RefusedUnit> units = missing_units(c.facts);
    if (!units.empty())
        return used_but_missing(c, units, true);
    const std::vector<RefusedUnit> unlisted = unlisted_units(c.facts);
    if (!unlisted.empty())
        return used_but_missing(c, unlisted, false);
    const std::vector<EmptySession> empty = empty_sessions(c.facts);
    if (!empty.empty())
        return nothing_mapped(c, empty);
    const std::uint64_t scanned = total(refused_units(c.facts, SenseGroup::lun_missing)).count;
    return none(scanned > 0 ? human::plural(scanned, "command", "commands") +
                                  " of a device scan asked for a LUN that is not there, as scans do"
                            : "each LUN that was used is there for its initiator");
}

} // namespace iscsiscope::rules

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/rules/turns.h"

#include "analyzer/findings/rules/rule_tools.h"
#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/iscsi/scsi/sense_group.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>
#include <vector>

namespace iscsiscope {
namespace {

// A lock that moves once follows a failover, and back once after it: from the third on it moves to and fro.
constexpr std::uint64_t to_and_fro = 3;

// A UNIT ATTENTION of a changed state alone (06/2A/06) refuses nothing but the command that it comes with.
bool is_of_state(const Standstill &s) {
    constexpr std::uint32_t not_accessible = 0x04; // additional sense code of such states
    return s.sense && group_of(*s.sense) == SenseGroup::path_state &&
           (*s.sense >> 8 & 0xff) == not_accessible;
}

struct Refused {
    UnitKey unit;
    const Standstill *at = nullptr;
};

// The name of the target and the LUN: with the same ones sessions reach the same unit. Without a login in the
// capture the name is empty; that the LUN changes hands then has to show that the units are one.
using UnitName = std::pair<std::string, std::uint64_t>;
constexpr std::uint64_t without_names = 2 * to_and_fro;

std::map<UnitName, std::vector<Refused>> refusing_units(const Facts &facts) {
    std::map<UnitName, std::vector<Refused>> units;
    for (const auto &[key, unit] : facts.refusals.units) {
        const ConnectionFacts *k = connection_of_session(facts, key.session);
        for (const Standstill &s : unit.standstills)
            if (k != nullptr && (s.outcome == TaskOutcome::busy || is_of_state(s)))
                units[{k->record.target_name, lun_number(Lun{key.lun}).value_or(key.lun)}].push_back(
                    {key, &s});
    }
    return units;
}

// True if the session of `now` was served before, and not since the other one's turn began: it lost the unit.
// Under a mere overload both are served all the time, and a new session has lost nothing.
bool takes_over(const Refused &before, const Refused &now) {
    return before.unit.session != now.unit.session && now.at->first >= before.at->last &&
           now.at->worked_before && *now.at->worked_before <= before.at->last;
}

} // namespace

std::optional<Turns> turns_of(const Facts &facts) {
    std::optional<Turns> most;
    for (auto &[name, list] : refusing_units(facts)) {
        std::vector<Refused> by_time = list;
        std::ranges::stable_sort(by_time, {}, [](const Refused &b) { return b.at->first; });
        Turns t;
        std::uint64_t states = 0;
        for (std::size_t i = 1; i < by_time.size(); ++i) {
            const Refused &before = by_time[i - 1], &now = by_time[i];
            if (!takes_over(before, now))
                continue;
            if (t.changes++ == 0) {
                t.first = std::min(before.unit.session, now.unit.session);
                t.second = std::max(before.unit.session, now.unit.session);
                t.lun = now.unit.lun;
                t.first_frame = now.at->first_frame;
            }
            t.refused += now.at->count;
            states += is_of_state(*now.at) ? 1 : 0;
            t.slowest = std::max(t.slowest, now.at->over_response);
            t.last_frame = now.at->first_frame;
        }
        if (t.changes < (name.first.empty() ? without_names : to_and_fro) ||
            (most && most->changes >= t.changes))
            continue;
        const ConnectionRecord &a = connection_of_session(facts, t.first)->record,
                               &b = connection_of_session(facts, t.second)->record;
        t.initiators[0] = a.initiator, t.initiators[1] = b.initiator;
        t.portals[0] = a.target, t.portals[1] = b.target;
        t.by_state = states * 2 > t.changes;
        t.one_initiator = a.initiator.address == b.initiator.address ||
                          (!a.initiator_name.empty() && a.initiator_name == b.initiator_name);
        most = t;
    }
    return most;
}

std::string Turns::title() const {
    const char *who = one_initiator ? "paths" : portals[0] != portals[1] ? "gateways" : "hosts";
    return fmt::format("Two {} take LUN {} from each other ({})", who, to_string(Lun{lun}),
                       by_state ? "ALUA" : "BUSY");
}

std::string Turns::sentence(Finding &f) const {
    f.lun = lun;
    add_evidence(f, first_frame, "first refusal after a change");
    add_evidence(f, last_frame, "first refusal after the last change");
    add_figure(f, "changes_of_hands", static_cast<double>(changes));
    std::string text = fmt::format(
        "LUN {} changed hands {} between {} at portal {} and {} at portal {}: each time the "
        "target first refused commands with {} ({} in all)",
        to_string(Lun{lun}), human::plural(changes, "time", "times"), to_text(initiators[0].address),
        to_text(portals[0]), to_text(initiators[1].address), to_text(portals[1]),
        by_state ? "the state of their path" : "BUSY", human::count(refused));
    if (slowest > Duration{})
        text += fmt::format(", and the first command served took up to {}", human::duration(slowest));
    return text;
}

std::string Turns::remedy() const {
    return "Let all hosts use the same gateway or path for this LUN (multipath: the same active path on each "
           "host, "
           "prio alua, no round robin over gateways), so that they do not take its lock from each other.";
}

} // namespace iscsiscope

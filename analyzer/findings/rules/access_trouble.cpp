// SPDX-License-Identifier: GPL-2.0-or-later
// Rule access_trouble: RESERVATION CONFLICT, and sense codes of target port groups (ALUA; SPC-4 sections 5.15
// and 5.12): 02/04/0A transition, 0B standby, 0C unavailable, 06/2A/06 state changed.
#include "analyzer/findings/rules/rule_tools.h"

namespace iscsiscope::rules {

Verdict access_trouble(const RuleContext &c) {
    const OutcomeFacts &conflicts = c.facts.of(TaskOutcome::reservation_conflict);
    std::uint64_t states = 0;
    FrameNumber frame = 0;
    for (const auto &[code, s] : c.facts.senses)
        if (code == 0x02040a || code == 0x02040b || code == 0x02040c || code == 0x062a06) {
            states += s.count;
            frame = frame == 0 ? s.first_frame : frame;
        }
    if (conflicts.count + states == 0)
        return none("no reservation conflict and no change of a port group's state was reported");
    Finding f = begin_finding(FindingKind::access_trouble, Severity::notice);
    f.failure = conflicts.of_transfers > 0 || conflicts.count + states >= 5;
    f.severity = f.failure ? Severity::problem : Severity::notice;
    const bool conflict = conflicts.count > 0;
    if (states == 0)
        f.title = "Another host's reservation blocks commands";
    else if (!conflict)
        f.title = "Commands are refused on a path's state (ALUA)";
    f.sentence =
        listed({conflict ? human::plural(conflicts.count, "command", "commands") +
                               " ended with RESERVATION CONFLICT, because another host holds a reservation"
                         : std::string(),
                states > 0 ? human::plural(states, "command", "commands") +
                                 " with sense data of the state of their path (ALUA)"
                           : std::string()}) +
        ".";
    add_evidence(f, conflicts.first_command, "the first command in conflict");
    add_evidence(f, conflicts.first_end, "RESERVATION CONFLICT");
    add_evidence(f, frame, "sense data of the path's state");
    add_figure(f, "reservation_conflicts", static_cast<double>(conflicts.count));
    add_figure(f, "path_states", static_cast<double>(states));
    if (conflict)
        f.remedy = "Find which host holds the reservation (Linux: sg_persist --in -k and sg_persist --in -r "
                   "on the disk), and release it there or register this host's key.";
    if (states > 0)
        f.remedy += std::string(conflict ? " " : "") +
                    "Let multipath use active, optimized paths only (prio alua, hardware_handler \"1 "
                    "alua\"), with the same policy on every host.";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

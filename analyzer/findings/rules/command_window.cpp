// SPDX-License-Identifier: GPL-2.0-or-later
// Rule command_window: the command window was closed while commands were waiting (RFC 7143 section 4.2.2.1).
#include "analyzer/findings/rules/rule_tools.h"

#include "analyzer/base/containers/greatest.h"
#include "analyzer/sessions/figures/session_figures.h"

#include <algorithm>

namespace iscsiscope::rules {

Verdict command_window(const RuleContext &c) {
    const Lost &lost = c.lost.to(FindingKind::command_window);
    const auto *worst = c.in.sessions != nullptr
                            ? greatest_of(c.in.sessions->windows, &WindowFigures::closed_waiting)
                            : nullptr;
    if (lost.waits.count == 0 && (worst == nullptr || worst->closed_waiting_share < 0.01))
        return none(worst == nullptr
                        ? "no command waited for MaxCmdSN"
                        : "the command window was closed with work waiting for " +
                              human::share(worst->closed_waiting_share) + " of the time; smallest: " +
                              human::plural(worst->smallest, "command", "commands"));
    Finding f = begin_finding(FindingKind::command_window, c);
    f.sentence =
        "Commands waited because the target's command window (MaxCmdSN) was closed." + lost_sentence(f, lost);
    if (worst != nullptr && worst->closings_waiting > 0) {
        f.session = first_session(worst->session);
        f.sentence =
            capitalized(
                end_with_address(connection_of_session(c.facts, first_session(worst->session)), true)) +
            " let a session have at most " + human::plural(worst->granted_max, "command", "commands") +
            " in flight (MaxCmdSN); further commands waited " +
            human::plural(worst->closings_waiting, "time", "times") + ", for " +
            percent(worst->closed_waiting_share) + " of the time." + lost_sentence(f, lost);
        add_figure(f, "closed_share", worst->closed_waiting_share, FigureUnit::share);
        add_figure(f, "largest_window", worst->granted_max);
        add_evidence(f, worst->longest_frame, "opened the window after the longest wait");
        // Captured near the initiator, the gap counts as a wait for the response, but tasks were delayed.
        // What other faults cost meanwhile they would with an open window as well.
        const double left = std::max(f.share, 1 - share_of_other_faults(f.kind, c));
        f.task_share = std::min(worst->closed_waiting_share, left);
        f.task_time =
            std::min(worst->closed_waiting, Duration{static_cast<std::int64_t>(left * amount(c.busy()))});
        f.occurrences = worst->closings_waiting;
        // A host that asks one command at a time closes a window of one each time as well.
        if (worst->granted_max == 1) {
            f.nature = Nature::trait;
            f.at_most = Severity::notice;
            f.title = "The target allows only one command at a time";
            f.sentence += " Whether the host had more commands to send the capture does not show.";
        }
    }
    f.remedy = "Raise the number of commands that the target allows per session (LIO: default_cmdsn_depth; "
               "tgtd: MaxQueueCmd; SCST: QueuedCommands), or spread the work over more sessions. "
               "open-iscsi's node.session.cmds_max helps only up to the target's limit.";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

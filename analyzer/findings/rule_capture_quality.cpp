// SPDX-License-Identifier: GPL-2.0-or-later
// How far the rest can be trusted: packets the capture lost, one side missing.
#include "analyzer/findings/rule_tools.h"

#include <algorithm>

namespace iscsiscope::rules {

Verdict capture_quality(const RuleContext &c) {
    std::uint64_t unseen = 0, bytes = 0, one_sided = 0;
    for (const ConnectionFacts &k : c.facts.connections) {
        unseen += k.record.unseen_to_target + k.record.unseen_to_initiator;
        bytes += k.record.bytes_to_target + k.record.bytes_to_initiator;
        one_sided += (k.record.segments_to_target == 0) != (k.record.segments_to_initiator == 0) ? 1 : 0;
    }
    const std::uint64_t tasks = c.facts.complete + c.facts.incomplete;
    const double missing = human::ratio(static_cast<double>(unseen), static_cast<double>(bytes));
    const std::uint64_t dropped = c.in.capture.dropped_by_capture;
    const Anomaly *hole = nullptr;
    if (const auto &holes = c.facts.first_anomalies[static_cast<std::size_t>(AnomalyKind::stream_hole)];
        !holes.empty())
        hole = &holes.front();
    if (unseen == 0 && dropped == 0 && one_sided == 0)
        return none("every byte that passed is accounted for, in both directions");
    Finding f = begin_finding(FindingKind::capture_quality, c);
    f.severity = missing >= 0.01 || one_sided > 0 ? Severity::problem
                 : unseen > 0 || dropped > 0      ? Severity::notice
                                                  : Severity::info;
    f.sentence = "The capture does not hold all that passed: " + human::bytes(unseen) + " (" +
                 human::share(missing) + ") are in no frame";
    if (dropped > 0)
        f.sentence +=
            ", the capturing program says it dropped " + human::plural(dropped, "packet", "packets");
    if (one_sided > 0)
        f.sentence +=
            ", of " + human::plural(one_sided, "connection", "connections") + " only one direction is there";
    f.sentence += "; " + human::count(c.facts.complete) + " of " +
                  human::plural(tasks, "task was", "tasks were") + " seen whole.";
    if (hole != nullptr)
        add_evidence(f, hole->frame, "first place where bytes are missing");
    add_figure(f, "unseen_share", missing, FigureUnit::share);
    add_figure(f, "dropped_by_capture", static_cast<double>(dropped));
    f.remedy = "Capture headers only (tcpdump -s 160), to a fast disk, with a larger buffer (-B 65536); at a "
               "mirror port "
               "make sure that both directions come and that it is not oversubscribed.";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

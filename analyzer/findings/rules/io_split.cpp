// SPDX-License-Identifier: GPL-2.0-or-later
// Rule io_split: one request of the host arrives as several commands, each with its own round trip (Yamaguchi
// et al. 2003: 500 KB as three times 127.5 KB and 117.5 KB).
#include "analyzer/findings/rules/rule_tools.h"

#include "analyzer/base/containers/greatest.h"
#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/sessions/figures/session_figures.h"

namespace iscsiscope::rules {

Verdict io_split(const RuleContext &c) {
    const auto requests = [](const AccessFigures &a) {
        return a.split ? std::optional(a.split->requests) : std::nullopt;
    };
    const auto *worst = c.in.sessions != nullptr ? greatest_of(c.in.sessions->access, requests) : nullptr;
    if (worst == nullptr)
        return none("no request was seen that arrives in pieces of a fixed size");
    const AccessFigures::Split &s = *worst->split;
    Finding f = begin_finding(FindingKind::io_split);
    f.at_most = Severity::notice; // whether the host can send larger ones, the capture does not show
    f.session = first_session(worst->lun.session);
    f.lun = worst->lun.lun;
    const std::optional<Duration> rtt = typical_rtt(c);
    // Sent one after the other, all commands except the first cost a round trip each.
    const TypeFacts &t = c.facts.of(worst->type);
    const double depth = t.mean_queue_depth().value_or(0);
    if (rtt && depth < 1.5) {
        f.task_time =
            std::min(*rtt * static_cast<std::int64_t>((s.pieces - 1) * s.requests), c.facts.response());
        f.task_share = ratio(f.task_time, c.facts.response());
    }
    f.sentence =
        std::string(worst->type == TaskType::write ? "Writes" : "Reads") + " of " +
        human::block(s.asked_bytes) + " to LUN " + to_string(Lun{worst->lun.lun}) + " arrive as " +
        human::count(s.pieces) + " commands of " + human::block(s.piece_bytes) +
        (s.last_bytes != s.piece_bytes ? " (the last: " + human::block(s.last_bytes) + ")" : std::string()) +
        ", in " + human::count(s.requests) + " of " + human::plural(s.runs, "run", "runs") +
        " of adjoining commands.";
    if (f.task_time > Duration{})
        f.sentence +=
            " One after the other, these commands spend " + human::duration(f.task_time) + " on round trips.";
    add_figure(f, "asked", static_cast<double>(s.asked_bytes), FigureUnit::bytes);
    add_figure(f, "piece", static_cast<double>(s.piece_bytes), FigureUnit::bytes);
    add_figure(f, "pieces", static_cast<double>(s.pieces));
    add_evidence(f, s.first_frame, "first piece of the first such request");
    f.remedy =
        "Let the host send larger commands (Linux: /sys/block/…/queue/max_sectors_kb up to "
        "max_hw_sectors_kb, readahead by blockdev --setra; ESXi: Disk.DiskMaxIOSize), or all pieces at once.";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

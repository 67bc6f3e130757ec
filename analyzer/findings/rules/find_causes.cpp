// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/rules/rule.h"

#include "analyzer/base/number_format.h"

#include <algorithm>

namespace iscsiscope {
namespace {

// Findings that cast doubt on the others come first, then failures, then faults (problems, notices, info),
// then traits.
int rank(const Finding &f) {
    constexpr int severities = 3;
    return f.casts_doubt ? -1 : f.failure ? 0 : 1 + static_cast<int>(f.severity) + (f.trait ? severities : 0);
}

// True for a host that pauses for less than half of its bursts of I/O: nothing else waits for it.
bool idle_at_times(const Finding &f) {
    return f.kind == FindingKind::application_idle && f.share < 0.5;
}

// True for a kind whose sentence has figures of TCP or of sessions, which no range limits.
bool of_whole_connections(FindingKind k) {
    using enum FindingKind;
    constexpr FindingKind of_the_range[] = {
        r2t_ping_pong,    no_unsolicited_data, slow_r2t_answer,  queue_depth,         slow_target,
        blocking_command, head_of_line,        abort_storm,      command_errors,      outage,
        digest_cost,      one_direction_slow,  application_idle, small_data_segments, nagle};
    return std::ranges::find(of_the_range, k) == std::end(of_the_range);
}

// The larger of the shares of connection time and of task time; without either that of the commands
// concerned.
double weight(const Finding &f) {
    // What is broken without a time that it cost counts as a quarter of the busy time.
    const bool event = f.severity == Severity::problem && f.share <= 0 && f.task_share <= 0;
    return event ? 0.25 : std::max({f.share, f.task_share, f.commands_share});
}

// Full queues accompany other causes: one with half their time is shown before them.
double order(const Finding &f) {
    const bool general = f.kind == FindingKind::bufferbloat;
    return general ? weight(f) / 2 : weight(f);
}

} // namespace

FindingsResult find_causes(const FindingsInput &in, const FindingsOptions &options) {
    FindingsResult result;
    const Attribution lost(in);
    const RuleContext context{in, *in.facts, lost};
    result.busy = lost.busy();
    for (const NamedRule &rule : finding_rules) {
        Verdict v = rule.judge(context);
        if (!v.finding) {
            result.ruled_out.push_back({rule.kind, std::move(v.why_not)});
            continue;
        }
        Finding &f = *v.finding;
        result.explained += f.lost_time;
        // A finding that costs time is shown only from a least share on; for others the rule decides.
        const bool costs_time = f.share > 0 || f.task_time > Duration{};
        if (costs_time && weight(f) < options.shown_from && !f.failure && f.severity != Severity::problem) {
            result.ruled_out.push_back({rule.kind, "too little to matter: " + human::duration(f.lost_time) +
                                                       " (" + human::share(f.share) + " of the busy time)"});
            continue;
        }
        if (options.of_range && of_whole_connections(f.kind))
            f.sentence += " Counts of packets, paths and logins are of the whole capture.";
        std::stable_sort(f.evidence.begin(), f.evidence.end(),
                         [](const EvidenceFrame &a, const EvidenceFrame &b) { return a.frame < b.frame; });
        if (f.evidence.size() > 8)
            f.evidence.resize(8);
        result.findings.push_back(std::move(f));
    }
    std::stable_sort(result.findings.begin(), result.findings.end(), [](const Finding &a, const Finding &b) {
        if (rank(a) != rank(b))
            return rank(a) < rank(b);
        if (rank(a) == 0 && a.consequence != b.consequence)
            return b.consequence;
        if (idle_at_times(a) != idle_at_times(b))
            return idle_at_times(b);
        return order(a) > order(b);
    });
    return result;
}

} // namespace iscsiscope

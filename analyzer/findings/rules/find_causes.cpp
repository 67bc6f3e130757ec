// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/facts/export.h"
#include "analyzer/findings/rating.h"
#include "analyzer/findings/rules/rule.h"
#include "analyzer/findings/rules/when_words.h"
#include "analyzer/findings/rules/where_words.h"

#include <algorithm>

namespace iscsiscope {
namespace {

// True if neither the range nor the filter that the facts are of limits all figures of the kind's sentence.
bool of_whole_capture(FindingKind k, const FindingsOptions &options) {
    const FigureScope scope = traits(k).scope;
    return (scope == FigureScope::whole && (options.of_range || options.of_filter)) ||
           (scope == FigureScope::events && options.of_filter);
}

// True for a finding on a connection that is not among the facts.
bool elsewhere(const Finding &f, const Facts &facts) {
    return f.stream &&
           std::ranges::none_of(
               facts.connections, [&](const ConnectionFacts &c) { return c.record.stream == *f.stream; });
}

// True if the kind rests on what did not pass, or on how long nothing passed.
bool rests_on_absence(FindingKind k) {
    using Kind = FindingKind;
    constexpr FindingKind kinds[] = {Kind::delayed_ack,    Kind::nagle,         Kind::small_receive_window,
                                     Kind::slow_start,     Kind::incast,        Kind::packet_loss,
                                     Kind::outage,         Kind::bufferbloat,   Kind::retransmission_timeout,
                                     Kind::mtu_black_hole, Kind::zero_window,   Kind::small_send_buffer,
                                     Kind::reordering,     Kind::slow_target,   Kind::no_window_scaling,
                                     Kind::duplication,    Kind::command_window};
    return std::ranges::find(kinds, k) != std::end(kinds);
}

// True if the finding compares times with a round trip that the clock shows as less than a tick, or with how
// soon a host goes on, which is always less.
bool finer_than(Duration tick, const Finding &f) {
    const auto rtt = std::ranges::find(f.figures, "rtt_minimum", &Figure::name);
    return f.kind == FindingKind::nagle ||
           (rtt != f.figures.end() && rtt->value < static_cast<double>(tick.count()));
}

// The reason why the capture cannot show what the finding says; empty: it can.
std::string beyond_the_capture(const Finding &f, const RuleContext &c) {
    if (rests_on_absence(f.kind) && is_export(c.facts))
        return "the capture is an export of some packets: what it lacks is no evidence";
    const std::optional<Duration> &tick = c.in.capture.clock_resolution;
    const Waits &waits = c.lost.to(f.kind).waits;
    if (tick && !waits.worst.empty() && waits.worst.front().length <= *tick)
        return "no wait is longer than a tick of the capture's clock";
    if (tick && finer_than(*tick, f))
        return "the capture's clock does not show times that are so short";
    return "";
}

Verdict judge(const NamedRule &rule, const RuleContext &c, const FindingsOptions &options) {
    if (options.of_filter && traits(rule.kind).scope == FigureScope::all_tasks)
        return {std::nullopt, "not judged with a filter: it is of no single command"};
    Verdict v = rule.judge(c);
    if (v.finding && options.of_filter && elsewhere(*v.finding, c.facts))
        return {std::nullopt, "seen only on connections without a command of the filter"};
    if (v.finding)
        if (std::string why_not = beyond_the_capture(*v.finding, c); !why_not.empty())
            return {std::nullopt, std::move(why_not)};
    return v;
}

} // namespace

FindingsResult find_causes(const FindingsInput &in, const FindingsOptions &options) {
    FindingsResult result;
    const Attribution lost(in);
    const RuleContext context{in, *in.facts, lost};
    result.busy = lost.busy();
    for (const NamedRule &rule : finding_rules) {
        Verdict v = judge(rule, context, options);
        if (!v.finding) {
            result.ruled_out.push_back({rule.kind, std::move(v.why_not)});
            continue;
        }
        Finding &f = *v.finding;
        result.explained += f.lost_time;
        if (of_whole_capture(f.kind, options))
            f.sentence += " Counts of packets, paths and logins are of the whole capture.";
        f.where = where_words(f.place, *in.facts);
        f.when = when_words(f.times, in.capture);
        std::ranges::stable_sort(f.evidence, {}, &EvidenceFrame::frame);
        if (f.evidence.size() > 8)
            f.evidence.resize(8);
        result.findings.push_back(std::move(f));
    }
    rate(result, options.shown_from);
    return result;
}

} // namespace iscsiscope

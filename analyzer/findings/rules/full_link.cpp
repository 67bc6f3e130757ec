// SPDX-License-Identifier: GPL-2.0-or-later
// Rule full_link: bytes pass nearly all the time at the highest rate that the path was seen to carry, without
// loss and without a queue beyond the ordinary: the link sets the rate, and nothing is wrong.
#include "analyzer/findings/rules/rule_tools.h"

#include <algorithm>

namespace iscsiscope::rules {
Verdict full_link(const RuleContext &c) {
    // Below four fifths something else costs time as well. Less than a second, or less than the bytes of many
    // windows, shows a burst and no full link.
    constexpr double full_from = 0.8;
    constexpr Duration long_enough = std::chrono::seconds(1);
    constexpr std::uint64_t bytes_enough = 16U << 20U;
    // Queues of switches and of congestion control lose some segments in a million on a full link.
    constexpr double lost_up_to = 0.0005;
    Duration at_rate{}, busy{};
    std::uint64_t bytes = 0;
    const ConnectionFacts *most = nullptr;
    for (const ConnectionFacts &k : c.facts.connections) {
        at_rate += k.runs[Owner::transfer];
        busy += k.busy();
        bytes += k.record.bytes_to_initiator + k.record.bytes_to_target;
        if (most == nullptr || k.runs[Owner::transfer] > most->runs[Owner::transfer])
            most = &k;
    }
    if (most == nullptr || busy <= Duration{})
        return none("no bytes passed");
    const double share = ratio(at_rate, busy);
    const std::string shown =
        "bytes passed at the highest rate seen for " + percent(share) + " of the busy time";
    if (share < full_from)
        return none(shown);
    if (at_rate < long_enough || bytes < bytes_enough)
        return none(shown + ", but for " + human::duration(at_rate) + " only");
    const SegmentSums sums = segments_of(c.facts);
    if (static_cast<double>(sums.lost) > lost_up_to * static_cast<double>(sums.segments))
        return none(shown + ", and " + human::count(sums.lost) + " segments were lost");
    // Data of several commands waits for the link in any case; a queue that hurts is a fault.
    if (const Verdict queue = bufferbloat(c); queue.finding && queue.finding->at_most < Severity::notice)
        return none(shown + ", and a queue stands on the path");
    if (const TcpDirectionFigures *limited = window_limited(*most);
        limited != nullptr && limited->limit(SendLimit::receive_window) * 5 > limited->busy)
        return none(shown + ", but the receive window held the sender");
    const bool reads = most->record.bytes_to_initiator >= most->record.bytes_to_target;
    const std::uint64_t carried = std::max(most->record.bytes_to_initiator, most->record.bytes_to_target);
    const double rate =
        ratio(static_cast<double>(carried), static_cast<double>(to_ns(most->runs[Owner::transfer]))) * 1e9;
    Finding f = begin_finding(FindingKind::full_link);
    f.at_most = Severity::notice;
    f.occurrences = 1;
    set_response_times(f, reads ? TaskType::read : TaskType::write, c);
    f.stream = c.facts.connections.size() > 1 ? std::optional(most->record.stream) : std::nullopt;
    f.sentence = "Bytes passed for " + percent(share) + " of the busy time (" + human::duration(at_rate) +
                 ") at the highest rate that the path was seen to carry, " + human::megabyte_rate(rate) +
                 " of payload to " + end_with_address(most, !reads) + ". " +
                 (sums.lost == 0 ? std::string("No segment was")
                                 : human::count(sums.lost) + " of " +
                                       human::plural(sums.segments, "segment", "segments") + " were") +
                 " lost, and no queue that hurts stood: the slowest link of the way sets the rate.";
    add_figure(f, "share_at_full_rate", share, FigureUnit::share);
    add_figure(f, "rate", rate, FigureUnit::bytes_per_second);
    add_evidence(f, most->record.first_frame, "first frame of the connection");
    f.remedy =
        "Nothing is wrong. More throughput takes a faster link or a second path (multipath); more commands "
        "in flight or larger windows would only make a queue.";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

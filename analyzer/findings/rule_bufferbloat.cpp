// SPDX-License-Identifier: GPL-2.0-or-later
// A queue that never drains: round trips stand far above their minimum while little is gained by it.
#include "analyzer/findings/rule_tools.h"

#include <algorithm>

namespace iscsiscope::rules {

Verdict bufferbloat(const RuleContext &c) {
    // The queue of a transfer is its own business up to a few round trips; 50 ms is what a short access
    // would wait behind it (RFC 8289 calls 5 ms standing delay good, 100 ms is its interval).
    constexpr Duration standing_from = std::chrono::milliseconds{50};
    const TcpDirectionFigures *worst = nullptr;
    const ConnectionFacts *connection = nullptr;
    for (const ConnectionFacts &k : c.facts.connections)
        for (const auto *d : {&k.to_target, &k.to_initiator})
            // A queue stands only behind much data under way; between small answers a delayed ACK looks
            // alike.
            if (*d && (*d)->largest_flight >= 65536 && (*d)->queue_delay.samples >= 20 &&
                (*d)->queue_delay.median &&
                (worst == nullptr || *(*d)->queue_delay.median > *worst->queue_delay.median)) {
                worst = &**d;
                connection = &k;
            }
    if (worst == nullptr)
        return none("no connection had 64 KiB under way and measured enough round trips");
    const Duration median = *worst->queue_delay.median;
    const Duration least = worst->rtt.minimum.value_or(Duration{});
    if (median < standing_from || median < 2 * least)
        return none("the median round trip is " + human::duration(median) + " above its minimum of " +
                    human::duration(least));
    Finding f = begin_finding(FindingKind::bufferbloat, Severity::notice);
    f.stream = connection->record.stream;
    const std::uint64_t tasks = c.facts.of(TaskType::read).count + c.facts.of(TaskType::write).count;
    f.task_time = std::min(median * static_cast<std::int64_t>(tasks), c.facts.response);
    f.task_share =
        human::ratio(static_cast<double>(to_ns(f.task_time)), static_cast<double>(to_ns(c.facts.response)));
    f.severity = f.task_share >= 0.25 ? Severity::problem : Severity::notice;
    f.sentence = "Packets stood in a queue on the path: the median round trip is " + human::duration(median) +
                 " above its minimum of " + human::duration(least) + ", 95 % below " +
                 words(worst->queue_delay.p95) + "; every task waits behind that queue.";
    add_figure(f, "queue_delay_median", median);
    add_figure(f, "rtt_minimum", least);
    add_evidence(f, connection->record.first_frame, "first frame of the connection");
    f.remedy = "Let less be under way: smaller windows or queue depth, or a queue discipline at the "
               "bottleneck that keeps "
               "its queue short (fq_codel, RED with ECN).";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

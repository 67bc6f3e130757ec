// SPDX-License-Identifier: GPL-2.0-or-later
// Rule bufferbloat: a standing queue keeps round trips far above their minimum without a gain in rate.
#include "analyzer/findings/rules/rule_tools.h"

#include <algorithm>

namespace iscsiscope::rules {

namespace {

// Returns the queueing delay of data of this direction: from the sender's round trips where these are
// known, and by Little's law from half of the largest flight at the rate of the path. Where senders waited
// for timers and windows, that of the model is too low: bytes passed faster.
Duration standing(const TcpDirectionFigures &f, const ModelInput *model, const ConnectionFacts &k,
                  Duration least) {
    Duration delay = f.queue_delay.samples >= 20 ? f.queue_delay.median.value_or(Duration{}) : Duration{};
    if (model != nullptr && model->path_rate && !model->rate_is_lower_bound) {
        const Duration passing = k.runs[Owner::transfer];
        const double seen = passing > Duration{}
                                ? static_cast<double>(f.bytes) / static_cast<double>(to_ns(passing)) * 1e9
                                : 0;
        const double half =
            static_cast<double>(f.largest_flight) / 2 / std::max(*model->path_rate, seen) * 1e9;
        delay = std::max(delay, Duration{static_cast<std::int64_t>(half)} - least);
    }
    return delay;
}

} // namespace

Verdict bufferbloat(const RuleContext &c) {
    // A queue of a few round trips is normal; RFC 8289 takes 5 ms as the delay that a queue may keep, and 100
    // ms as the time in which it must fall to that. From half of that on it hurts each short access.
    constexpr Duration standing_from = std::chrono::milliseconds{5},
                       hurts_from = std::chrono::milliseconds{50};
    constexpr int many_round_trips = 4;
    const TcpDirectionFigures *worst = nullptr;
    const ConnectionFacts *connection = nullptr;
    Duration median{}, least{};
    for (const ConnectionFacts &k : c.facts.connections)
        for (const auto *d : {&k.to_target, &k.to_initiator}) {
            // A standing queue needs much data in flight; with little, a delayed ACK looks the same.
            if (!*d || (*d)->largest_flight < 65536 || !k.rtt())
                continue;
            const ModelInput *model = model_of(c.facts, d == &k.to_target ? TaskType::write : TaskType::read);
            const Duration empty = std::max(*k.rtt(), (*d)->empty_path.value_or(Duration{}));
            const Duration delay = standing(**d, model, k, empty);
            if (worst == nullptr || delay > median) {
                worst = &**d;
                connection = &k;
                median = delay;
                least = empty;
            }
        }
    if (worst == nullptr)
        return none("no connection with a known round trip had 64 KiB in flight");
    if (median < standing_from || median < (median < hurts_from ? many_round_trips : 2) * least)
        return none("queueing delay " + human::duration(median) + ", base round trip " +
                    human::duration(least));
    Finding f = begin_finding(FindingKind::bufferbloat);
    f.stream = connection->record.stream;
    const std::uint64_t tasks = c.facts.of(TaskType::read).count + c.facts.of(TaskType::write).count;
    f.task_time = std::min(median * static_cast<std::int64_t>(tasks), c.facts.response());
    f.task_share = ratio(f.task_time, c.facts.response());
    f.occurrences = tasks;
    if (median < hurts_from)
        f.at_most = Severity::notice;
    const bool to_target = connection->to_target && worst == &*connection->to_target;
    set_response_times(f, to_target ? TaskType::write : TaskType::read, c);
    f.title =
        std::string("A full queue on the path delays packets to the ") + (to_target ? "target" : "initiator");
    f.sentence = "Packets to " + end_with_address(connection, to_target) +
                 " waited in a queue on the path for " + human::duration(median) +
                 " (typical), where a round trip with little in flight takes " + human::duration(least) +
                 ". Up to " + human::bytes(worst->largest_flight) +
                 " were in flight at once, and all commands wait behind them.";
    add_figure(f, "largest_flight", static_cast<double>(worst->largest_flight), FigureUnit::bytes);
    add_figure(f, "queue_delay_median", median);
    add_figure(f, "rtt_minimum", least);
    add_evidence(f, connection->record.first_frame, "first frame of the connection");
    f.remedy = "Let less be in flight: a lower queue depth or smaller windows (Linux: third value of "
               "net.ipv4.tcp_rmem at the receiver). Or keep the queue at the bottleneck short (Linux: tc "
               "qdisc replace dev … root fq_codel; switches: RED with ECN).";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

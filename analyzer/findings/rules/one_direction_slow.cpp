// SPDX-License-Identifier: GPL-2.0-or-later
// Rule one_direction_slow: Reads far slower than Writes, or the reverse (open-iscsi issue 490).
#include "analyzer/findings/rules/rule_tools.h"

#include <algorithm>
#include <cmath>

namespace iscsiscope::rules {

namespace {

// Returns the busy time of a task of this type that is not the target's: what the network and the host took.
Duration beside_target(const Facts &facts, TaskType type) {
    const OwnerTimes &t = facts.owners[static_cast<std::size_t>(type)];
    const std::uint64_t tasks = std::max<std::uint64_t>(facts.of(type).count, 1);
    return (t.sum() - t[Owner::target]) / static_cast<std::int64_t>(tasks);
}

} // namespace

Verdict one_direction_slow(const RuleContext &c) {
    const ModelInput *read = model_of(c.facts, TaskType::read), *write = model_of(c.facts, TaskType::write);
    if (read == nullptr || write == nullptr || read->tasks < 20 || write->tasks < 20)
        return none("too few Reads or too few Writes to compare them");
    const auto asked = [](const ModelInput &m) { return m.depth * m.block; };
    if (std::max(asked(*read), asked(*write)) > 2 * std::min(asked(*read), asked(*write)))
        return none("Reads and Writes ask for different amounts at once: they cannot be compared");
    const ModelInput &slow = read->measured_throughput < write->measured_throughput ? *read : *write;
    const ModelInput &fast = &slow == read ? *write : *read;
    const double factor = ratio(fast.measured_throughput, slow.measured_throughput);
    if (factor < 3)
        return none("Reads and Writes run at " +
                    human::bytes(static_cast<std::uint64_t>(read->measured_throughput)) + "/s and " +
                    human::bytes(static_cast<std::uint64_t>(write->measured_throughput)) + "/s");
    const Duration slow_beside = beside_target(c.facts, slow.type),
                   fast_beside = beside_target(c.facts, fast.type);
    if (slow_beside < 3 * fast_beside)
        return none(std::string("the target's own time makes the difference: without it a Read takes ") +
                    human::duration(beside_target(c.facts, TaskType::read)) + ", a Write " +
                    human::duration(beside_target(c.facts, TaskType::write)));
    Finding f = begin_finding(FindingKind::one_direction_slow);
    // A trait is a problem only where it costs more than half of the busy time.
    const Duration more =
        (slow_beside - fast_beside) * static_cast<std::int64_t>(c.facts.of(slow.type).count);
    if (factor < 5 || ratio(more, c.busy()) <= 0.5)
        f.at_most = Severity::notice;
    const std::string which = &slow == read ? "Reads" : "Writes";
    const double excess = slow.measured_cycle * static_cast<double>(slow.tasks) * (1 - 1 / factor);
    f.task_time = Duration{static_cast<std::int64_t>(excess)};
    f.task_share = ratio(excess, c.facts.response());
    const std::string other = &slow == read ? "Writes" : "Reads";
    f.title = which + " are much slower than " + other;
    const auto at_once = [&](const ModelInput &m) {
        return human::bytes(static_cast<std::uint64_t>(asked(m)));
    };
    f.sentence = which + " run at " + human::rate(slow.measured_throughput) + ", " + other + " at " +
                 human::rate(fast.measured_throughput) + " (about " + std::to_string(std::lround(factor)) +
                 " times as fast), with " + at_once(slow) + " and " + at_once(fast) + " asked for at once.";
    add_figure(f, "slow", slow.measured_throughput, FigureUnit::bytes_per_second);
    add_figure(f, "fast", fast.measured_throughput, FigureUnit::bytes_per_second);
    f.remedy = &slow == read
                   ? "Look at what receives at the initiator: its window, delayed ACKs, large receive "
                     "offload (test on Linux: ethtool -K … lro off gro off), all interrupts on one "
                     "processor. Then look for packet loss on the way to the initiator."
                   : "Look at what receives at the target: its window, its write cache, its R2Ts. Then look "
                     "for packet loss on the way to the target.";
    also(f, FindingKind::delayed_ack, c.lost.to(FindingKind::delayed_ack).waits.count > 0);
    also(f, FindingKind::packet_loss, segments_of(c.facts).lost > 0);
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

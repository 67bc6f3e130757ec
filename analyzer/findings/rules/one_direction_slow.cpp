// SPDX-License-Identifier: GPL-2.0-or-later
// Rule one_direction_slow: Reads far slower than Writes, or the reverse (open-iscsi issue 490).
#include "analyzer/findings/rules/rule_tools.h"

#include <algorithm>

namespace iscsiscope::rules {

Verdict one_direction_slow(const RuleContext &c) {
    const ModelInput *read = nullptr, *write = nullptr;
    for (const ModelInput &m : c.facts.models)
        (m.type == TaskType::read ? read : write) = &m;
    if (read == nullptr || write == nullptr || read->tasks < 20 || write->tasks < 20)
        return none("Reads and Writes are not both there in numbers that could be compared");
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
    Finding f = begin_finding(FindingKind::one_direction_slow, Severity::notice);
    f.severity = factor >= 5 ? Severity::problem : Severity::notice;
    const std::string which = &slow == read ? "Reads" : "Writes";
    const double excess = slow.measured_cycle * static_cast<double>(slow.tasks) * (1 - 1 / factor);
    f.task_time = Duration{static_cast<std::int64_t>(excess)};
    f.task_share = ratio(excess, c.facts.response);
    f.sentence = which + " run at " + human::bytes(static_cast<std::uint64_t>(slow.measured_throughput)) +
                 "/s, the other direction at " +
                 human::bytes(static_cast<std::uint64_t>(fast.measured_throughput)) +
                 "/s with as much asked for at once.";
    add_figure(f, "slow", slow.measured_throughput, FigureUnit::bytes_per_second);
    add_figure(f, "fast", fast.measured_throughput, FigureUnit::bytes_per_second);
    f.remedy =
        &slow == read
            ? "Look at what receives at the initiator: its window, ACKs held back, large receive offload "
              "(test: ethtool -K … lro off gro off), one processor for all interrupts; and at loss "
              "towards it."
            : "Look at what receives at the target: its window, write cache, R2Ts; and at loss towards it.";
    also(f, FindingKind::delayed_ack, c.lost.to(FindingKind::delayed_ack).waits.count > 0);
    also(f, FindingKind::packet_loss, total(c.facts, segments_lost) > 0);
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

// SPDX-License-Identifier: GPL-2.0-or-later
// Rule no_window_scaling: without window scaling (RFC 7323 section 2) at most 65,535 bytes are in flight.
#include "analyzer/findings/rules/rule_tools.h"

namespace iscsiscope::rules {

namespace {

// Nothing waited for the window: a notice where it allows less than the slowest link of storage carries, 1
// Gbit/s.
Verdict not_yet(const RuleContext &c, const ConnectionFacts &k) {
    constexpr double slowest_link = 125e6;
    const std::optional<Duration> rtt = k.rtt();
    const double rate =
        rtt && *rtt > Duration{} ? 65535.0 / static_cast<double>(to_ns(*rtt)) * 1e9 : slowest_link;
    if (rate >= slowest_link || c.facts.of(TaskType::read).count + c.facts.of(TaskType::write).count == 0)
        return none("window scaling was not agreed on, but no sender waited for a window");
    Finding f = begin_finding(FindingKind::no_window_scaling);
    f.stream = k.record.stream;
    f.sentence = "The two ends of the connection" + ends_words(&k) +
                 " did not agree on TCP window scaling: at most 65,535 bytes can be in flight, " +
                 human::rate(rate) + " at a round trip of " + human::duration(*rtt) +
                 ". No sender waited for that so far.";
    add_figure(f, "rate_at_best", rate, FigureUnit::bytes_per_second);
    add_evidence(f, k.record.first_frame, "SYN, with its options");
    f.remedy =
        "Before more is asked of this path, turn window scaling on at both ends (Linux: "
        "net.ipv4.tcp_window_scaling=1), or find the device on the path that strips the option from the SYN.";
    return {std::move(f), {}};
}

} // namespace

Verdict no_window_scaling(const RuleContext &c) {
    const Lost &lost = c.lost.to(FindingKind::no_window_scaling);
    std::uint64_t without = 0, both = 0;
    const ConnectionFacts *worst = nullptr, *unscaled = nullptr;
    for (const ConnectionFacts &k : c.facts.connections) {
        if (!k.to_target || !k.to_initiator || !k.to_target->syn_seen || !k.to_initiator->syn_seen)
            continue;
        ++both;
        if (k.to_target->window_scale_offered && k.to_initiator->window_scale_offered)
            continue;
        ++without;
        unscaled = unscaled == nullptr ? &k : unscaled;
        if (lost.by_stream.contains(k.record.stream) &&
            (worst == nullptr || lost.worst_stream() == k.record.stream))
            worst = &k;
    }
    if (both == 0)
        return none("no SYN of both ends is in the capture");
    if (without == 0)
        return none("both ends offered window scaling in " +
                    human::plural(both, "connection", "connections"));
    if (worst == nullptr)
        return not_yet(c, *unscaled);
    Finding f = begin_finding(FindingKind::no_window_scaling, c);
    const bool initiator = worst->to_target->window_scale_offered.has_value();
    const bool target = worst->to_initiator->window_scale_offered.has_value();
    const std::string without_it = initiator ? "the target" : target ? "the initiator" : "";
    f.title = without_it.empty() ? "Neither end offers TCP window scaling"
                                 : capitalized(without_it) + " does not offer TCP window scaling";
    f.sentence = (without_it.empty() ? "Neither end of the connection" + ends_words(worst) + " offered"
                                     : capitalized(end_with_address(worst, initiator)) + " did not offer") +
                 " TCP window scaling, so at most 65,535 bytes can be in flight";
    if (const auto rtt = worst->rtt(); rtt && *rtt > Duration{}) {
        const double rate = 65535.0 / static_cast<double>(to_ns(*rtt)) * 1e9;
        f.sentence += ": at most " + human::rate(rate) + " at a round trip of " + human::duration(*rtt);
        add_figure(f, "rate_at_best", rate, FigureUnit::bytes_per_second);
    }
    f.sentence += "." + lost_sentence(f, lost);
    add_evidence(f, worst->record.first_frame, "SYN, with its options");
    f.remedy = "Turn window scaling on at " + (without_it.empty() ? std::string("both ends") : without_it) +
               " (Linux: net.ipv4.tcp_window_scaling=1). If it is on there already, look for a firewall or "
               "WAN accelerator on the path that strips the option from the SYN.";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

// SPDX-License-Identifier: GPL-2.0-or-later
// Rule no_window_scaling: without window scaling (RFC 7323 section 2) at most 65,535 bytes are in flight.
#include "analyzer/findings/rules/rule_tools.h"

namespace iscsiscope::rules {

Verdict no_window_scaling(const RuleContext &c) {
    const Lost &lost = c.lost.to(FindingKind::no_window_scaling);
    std::uint64_t without = 0, both = 0;
    const ConnectionFacts *worst = nullptr;
    for (const ConnectionFacts &k : c.facts.connections) {
        if (!k.to_target || !k.to_initiator || !k.to_target->syn_seen || !k.to_initiator->syn_seen)
            continue;
        ++both;
        if (k.to_target->window_scale_offered && k.to_initiator->window_scale_offered)
            continue;
        ++without;
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
        return none("window scaling was not agreed on, but no sender waited for a window");
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

// SPDX-License-Identifier: GPL-2.0-or-later
// Rule delayed_ack: a delayed ACK (RFC 1122 section 4.2.3.2 allows 500 ms) while the sender could send
// nothing. Broadcom KB 313543 (VMware KB 1002598) describes the effect after loss.
#include "analyzer/findings/rules/rule_tools.h"

namespace iscsiscope::rules {

Verdict delayed_ack(const RuleContext &c) {
    const Lost &lost = c.lost.to(FindingKind::delayed_ack);
    if (lost.waits.count == 0)
        return none("no sender stalled for an ACK that was held longer than 20 ms");
    Finding f = begin_finding(FindingKind::delayed_ack, c);
    bool nagle = false, lossy = false, by_initiator = false, by_target = false;
    std::size_t peak = 0;
    std::uint64_t at_peak = 0;
    for (const ConnectionFacts &k : c.facts.connections) {
        if (!lost.by_stream.contains(k.record.stream))
            continue;
        lossy = lossy || segments_lost(k) > 0;
        for (const auto *d : {&k.to_target, &k.to_initiator}) {
            if (!*d)
                continue;
            nagle = nagle || (*d)->nagle.count > 0;
            (d == &k.to_target ? by_target : by_initiator) |= (*d)->delayed_acks_costly.count > 0;
            for (std::size_t i = 4; i < (*d)->ack_delays.size(); ++i) // from 20 ms on
                if ((*d)->ack_delays[i] > at_peak) {
                    at_peak = (*d)->ack_delays[i];
                    peak = i;
                }
        }
    }
    const ConnectionFacts *k = connection_of(c.facts, lost.worst_stream());
    const bool one_end = by_initiator != by_target;
    const std::string holder = !one_end       ? "the receiver"
                               : by_initiator ? "the initiator"
                                              : "the target",
                      sender = !one_end       ? "the sender"
                               : by_initiator ? "the target"
                                              : "the initiator";
    if (one_end)
        f.title = capitalized(sender) + " waits for delayed ACKs of " + holder;
    f.sentence = capitalized(one_end ? ends_of(c.facts, lost, by_target) : holder) + " held ACKs back";
    if (at_peak > 0 && peak < ack_delay_edges_ms.size())
        f.sentence += ", mostly for " + std::to_string(ack_delay_edges_ms[peak - 1]) + " to " +
                      std::to_string(ack_delay_edges_ms[peak]) + " ms";
    f.sentence += std::string(k != nullptr ? round_trip_words(k->rtt()) : "") + ", while " + sender +
                  " could send nothing more until they came." + lost_sentence(f, lost);
    f.remedy = "Turn delayed ACKs off at " + holder +
               " (Linux: ip route change … quickack 1, or TCP_QUICKACK in the program; ESXi: iSCSI setting "
               "DelayedAck; Windows: registry value TcpAckFrequency=1).";
    if (nagle)
        f.remedy += " Set TCP_NODELAY at " + sender + ", whose small segments wait for these ACKs.";
    if (lossy)
        f.remedy += " Find the packet loss as well: after a loss each segment waits for such an ACK.";
    also(f, FindingKind::nagle, nagle);
    also(f, FindingKind::packet_loss, lossy);
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

// SPDX-License-Identifier: GPL-2.0-or-later
// Rule retransmission_timeout: loss detected only by the timer (RFC 6298; at least 200 ms on Linux).
#include "analyzer/findings/rules/rule_tools.h"

namespace iscsiscope::rules {
Verdict retransmission_timeout(const RuleContext &c) {
    const Lost &lost = c.lost.to(FindingKind::retransmission_timeout);
    if (lost.waits.count == 0)
        return none(c.lost.to(FindingKind::incast).by_cause.contains(Cause::retransmission_timeout)
                        ? "the timeouts are counted for the queue that connections overflow together"
                        : "no wait ended with a retransmission timeout");
    Finding f = begin_finding(FindingKind::retransmission_timeout, c);
    set_losses(f, lost.waits.course, c);
    const SegmentSums sums = segments_of(c.facts);
    const std::uint64_t not_shown = sums.loss_not_shown, gone = sums.shown_lost();
    const ConnectionFacts *k = connection_of(c.facts, lost.worst_stream());
    if (gone == 0)
        f.title = "Packets are sent again after a timeout";
    const std::string trip =
        k != nullptr && k->rtt() ? " (" + human::duration(*k->rtt()) + ")" : std::string();
    if (not_shown == 0)
        f.sentence =
            "Lost segments were sent again only when the retransmission timer ran out, instead of after "
            "about a round trip" +
            trip + ". In all " + human::plural(gone, "segment was", "segments were") + " lost.";
    else
        f.sentence =
            "Segments were sent again only after the retransmission timer, not after about a round trip" +
            trip + ". " +
            (gone == 0 ? std::string("Whether they were lost is not visible.")
                       : human::plural(gone, "was", "were") + " lost, of " + human::count(not_shown) +
                             " it is not visible.");
    f.sentence += lost_sentence(f, lost);
    bool sack = true;
    for (const ConnectionFacts &each : c.facts.connections)
        sack = sack && (!each.to_target || each.to_target->sack_offered) &&
               (!each.to_initiator || each.to_initiator->sack_offered);
    add_figure(f, "segments_lost", static_cast<double>(gone));
    f.remedy = std::string(sack ? "" : "Turn selective ACKs on (Linux: net.ipv4.tcp_sack=1). ") +
               "Find where packets are lost (error and discard counters of ports). Let the sender notice "
               "lost tails sooner: tail loss probes and RACK (Linux: net.ipv4.tcp_early_retrans=3, "
               "net.ipv4.tcp_recovery=1), a lower least timeout (ip route change … rto_min 50ms).";
    also(f, FindingKind::packet_loss, true);
    also(f, FindingKind::delayed_ack, c.lost.to(FindingKind::delayed_ack).waits.count > 0);
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

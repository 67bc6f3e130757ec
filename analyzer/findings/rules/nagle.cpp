// SPDX-License-Identifier: GPL-2.0-or-later
// Rule nagle: by Nagle's algorithm (RFC 896; RFC 1122 section 4.2.3.4) a short last segment waits a round
// trip until the data before it is acknowledged.
#include "analyzer/findings/rules/rule_tools.h"

namespace iscsiscope::rules {

Verdict nagle(const RuleContext &c) {
    const Lost &lost = c.lost.to(FindingKind::nagle);
    if (lost.waits.count == 0)
        return none("no data left exactly when a small segment before it was acknowledged");
    Finding f = begin_finding(FindingKind::nagle, c);
    std::uint64_t at_target = 0, at_initiator = 0;
    for (const ConnectionFacts &k : c.facts.connections) {
        at_target += k.to_initiator ? k.to_initiator->nagle.count : 0;
        at_initiator += k.to_target ? k.to_target->nagle.count : 0;
    }
    const bool target = at_target > 0, one_end = target != (at_initiator > 0);
    const std::string sender = !one_end ? "the sender" : target ? "the target" : "the initiator";
    const ConnectionFacts *k = connection_of(c.facts, lost.worst_stream());
    if (one_end)
        f.title = "Nagle's algorithm at " + sender + " delays small segments";
    f.sentence = capitalized(one_end ? ends_of(c.facts, lost, target) : sender) +
                 " held small segments back until the data before them were acknowledged" +
                 (k != nullptr ? round_trip_words(k->rtt()) : "") + ", as Nagle's algorithm does." +
                 lost_sentence(f, lost);
    f.remedy = "Set TCP_NODELAY in the iSCSI software of " + sender +
               ", or let it write header and data of a PDU in one call (TCP_CORK). A status inside the last "
               "Data-In (phase collapse) saves one wait per Read.";
    also(f, FindingKind::delayed_ack, c.lost.to(FindingKind::delayed_ack).waits.count > 0);
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

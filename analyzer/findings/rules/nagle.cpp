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
    const std::string sender = at_target > 0 && at_initiator == 0   ? "the target"
                               : at_initiator > 0 && at_target == 0 ? "the initiator"
                                                                    : "the sender";
    f.sentence = "Small segments of " + sender +
                 " waited for the ACK of what went before them: " + lost_words(f, lost) + ".";
    f.remedy = "Set TCP_NODELAY at " + sender +
               ", or let it write header and data of a PDU at once (cork); a status within the last Data-In "
               "(phase collapse) saves one such wait a Read.";
    also(f, FindingKind::delayed_ack, c.lost.to(FindingKind::delayed_ack).waits.count > 0);
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

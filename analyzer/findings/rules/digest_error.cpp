// SPDX-License-Identifier: GPL-2.0-or-later
// Rule digest_error: a CRC32C mismatch (RFC 7143 section 13.1), in the capture or as rejected by a peer.
#include "analyzer/findings/rules/rule_tools.h"

namespace iscsiscope::rules {

Verdict digest_error(const RuleContext &c) {
    const std::uint64_t wrong = c.facts.count(AnomalyKind::digest_mismatch);
    std::uint64_t rejected = 0;
    FrameNumber reject = 0;
    if (const auto at = c.facts.events.find({Opcode::reject, 2});
        at != c.facts.events.end()) { // Data Digest Error
        rejected = at->second.count;
        reject = at->second.first.front().frame;
    }
    if (wrong + rejected == 0)
        return none("no digest that could be checked was wrong");
    Finding f = begin_finding(FindingKind::digest_error);
    f.sentence =
        listed({wrong > 0 ? human::plural(wrong, "digest does", "digests do") + " not match the bytes covered"
                          : std::string(),
                rejected > 0 ? "the target rejected " + human::plural(rejected, "PDU", "PDUs") +
                                   " for a data digest error"
                             : std::string()}) +
        ".";
    f.sentence = capitalized(f.sentence);
    for (const Anomaly &a : c.facts.first_anomalies[static_cast<std::size_t>(AnomalyKind::digest_mismatch)]) {
        add_evidence(f, a.frame, "a PDU whose digest does not match");
        f.stream = a.stream;
    }
    add_evidence(f, reject, "Reject: data digest error");
    add_figure(f, "wrong", static_cast<double>(wrong));
    add_figure(f, "rejected", static_cast<double>(rejected));
    f.remedy = "Switch the network cards' offloads off at both ends to test (Linux: ethtool -K … tso off gso "
               "off gro off). Then check memory and firmware of both ends and devices that rewrite packets: "
               "TCP's checksum did not find this damage.";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

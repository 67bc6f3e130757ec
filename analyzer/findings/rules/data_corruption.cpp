// SPDX-License-Identifier: GPL-2.0-or-later
// Rule data_corruption: frames whose TCP checksum is wrong although their sender fills it in (RFC 9293
// section 3.1), so that their receiver drops them.
#include "analyzer/findings/rules/rule_tools.h"

namespace iscsiscope::rules {

Verdict data_corruption(const RuleContext &c) {
    const std::uint64_t damaged = c.facts.count(AnomalyKind::damaged_frame);
    if (damaged == 0)
        return none(
            "no frame with a header of iSCSI in it has a wrong TCP checksum that its sender had filled in");
    Finding f = begin_finding(FindingKind::data_corruption);
    f.sentence = "At least " + human::plural(damaged, "frame", "frames") +
                 " arrived here with a wrong TCP checksum; receivers drop such frames. Only frames with an "
                 "iSCSI header were checked.";
    for (const Anomaly &a : c.facts.first_anomalies[static_cast<std::size_t>(AnomalyKind::damaged_frame)]) {
        add_evidence(f, a.frame, "a frame whose TCP checksum is wrong");
        if (c.facts.connections.size() > 1 && !f.stream)
            f.stream = a.stream;
    }
    add_figure(f, "damaged", static_cast<double>(damaged));
    f.remedy = "Find the link or device between the sender and this capture point that damages frames: look "
               "for CRC errors at its ports, change cables, transceivers, network cards. Until then turn on "
               "HeaderDigest and DataDigest (CRC32C), which find what TCP's checksum misses.";
    also(f, FindingKind::packet_loss, c.lost.to(FindingKind::packet_loss).waits.count > 0);
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

// SPDX-License-Identifier: GPL-2.0-or-later
// Rule duplication: the network delivers segments twice. Second copies of a mirror port are removed
// beforehand; a receiver that reports duplicates (DSACK, RFC 2883) received them.
#include "analyzer/findings/rules/rule_tools.h"

namespace iscsiscope::rules {

Verdict duplication(const RuleContext &c) {
    const SegmentSums sums = segments_of(c.facts);
    const std::uint64_t received = sums.received_twice, copies = sums.copies, segments = sums.segments,
                        mixed_up = sums.reordered + sums.spurious + sums.lost;
    if (copies + received == 0)
        return none("no segment passed twice");
    if (received < 3 && copies > 0)
        return none(human::plural(copies, "copy", "copies") +
                    " of frames were removed, but no receiver reported one: a mirror port made them");
    if (received <= mixed_up)
        return none("receivers reported " + human::plural(received, "duplicate", "duplicates") +
                    ", no more than segments that were lost, overtaken or sent again");
    if (received < 5 || received * 400 < segments)
        return none("receivers reported " + human::plural(received, "duplicate", "duplicates") + " only");
    Finding f = begin_finding(FindingKind::duplication);
    f.sentence = "Receivers reported " + human::plural(received, "segment", "segments") + " of " +
                 human::count(segments) + " (" + percent(ratio(received, segments)) +
                 ") that arrived twice although sent once; " +
                 (copies > 0 ? human::plural(copies, "such copy is", "such copies are")
                             : std::string("no such copy is")) +
                 " in the capture.";
    add_figure(f, "duplicates_received", static_cast<double>(received));
    add_figure(f, "copies_in_capture", static_cast<double>(copies));
    add_evidence(f, sums.first_twice, "the first copy");
    f.remedy = "Look for a loop or a device that forwards packets twice: a bonding in broadcast mode, or a "
               "mirror port that leads back into the network.";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

// SPDX-License-Identifier: GPL-2.0-or-later
// Rule reordering: segments overtake each other, as on links aggregated per packet instead of per flow.
#include "analyzer/findings/rules/rule_tools.h"

namespace iscsiscope::rules {

Verdict reordering(const RuleContext &c) {
    const Lost &lost = c.lost.to(FindingKind::reordering);
    const SegmentSums sums = segments_of(c.facts);
    const std::uint64_t late = sums.reordered, spurious = sums.spurious, beyond = sums.overtaken_behind_tap;
    if (late == 0 && spurious == 0)
        return none("no segment was overtaken by another");
    // Reordering after the tap shows only indirectly: a segment that three others overtook causes as many
    // duplicate ACKs (RFC 5681 section 3.2). Probes into a closed window or after a long wait cause none.
    if (late == 0 && sums.duplicate_acks < 3 * spurious)
        return none("no segment was overtaken; " + human::plural(spurious, "was", "were") +
                    " retransmitted spuriously, as probes are");
    if (late + spurious < 3)
        return none(human::plural(late, "segment was", "segments were") + " overtaken, " +
                    human::count(spurious) + " retransmitted spuriously: too few to matter");
    Finding f = begin_finding(FindingKind::reordering, c);
    const double rate = ratio(late, sums.segments);
    if (late + spurious > sums.lost) // else loss is the cause
        f.count_share = rate;
    f.sentence = human::count(late) + " of " + human::plural(sums.segments, "segment", "segments") + " (" +
                 percent(rate) + (late == 1 ? ") was" : ") were") + " overtaken by later segments";
    if (sums.reordering_segments > 0)
        f.sentence += ", by up to " + human::count(sums.reordering_segments) + " segments and " +
                      human::duration(sums.reordering_delay);
    if (beyond > 0)
        f.sentence += (beyond == late ? std::string(", all") : ", " + human::count(beyond)) +
                      " behind the capture point (the receiver reported later bytes first)";
    f.sentence += ". " + human::plural(spurious, "segment was", "segments were") +
                  " sent again although nothing was lost." + lost_sentence(f, lost);
    add_evidence(f, sums.first_overtaken, "the first segment that was overtaken");
    add_figure(f, "overtaken", static_cast<double>(late));
    add_figure(f, "overtaken_beyond_the_tap", static_cast<double>(beyond));
    add_figure(f, "spurious_retransmissions", static_cast<double>(spurious));
    add_figure(f, "longest_delay", sums.reordering_delay);
    f.remedy = "Let bundles of links and routers spread connections, not packets: LACP hash over addresses "
               "and ports, Linux bonding mode other than balance-rr, no per-packet load sharing. Keep RACK "
               "on at the sender, which tolerates reordering best (Linux: net.ipv4.tcp_recovery=1).";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

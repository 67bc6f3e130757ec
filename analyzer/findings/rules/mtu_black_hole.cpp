// SPDX-License-Identifier: GPL-2.0-or-later
// Rule mtu_black_hole: full-size segments are retransmitted repeatedly and never acknowledged, while small
// ones are (RFC 2923 section 2.1).
#include "analyzer/findings/rules/rule_tools.h"

namespace iscsiscope::rules {

Verdict mtu_black_hole(const RuleContext &c) {
    const TcpDirectionFigures *hole = nullptr;
    const ConnectionFacts *connection = nullptr;
    for (const ConnectionFacts &k : c.facts.connections)
        for (const auto *d : {&k.to_target, &k.to_initiator})
            if (*d && swallows_large(**d) &&
                (hole == nullptr || (*d)->black_holed_repeats > hole->black_holed_repeats)) {
                hole = &**d;
                connection = &k;
            }
    if (hole == nullptr)
        return none("no size of segment was sent three times without ever being acknowledged");
    Finding f = begin_finding(FindingKind::mtu_black_hole, c);
    const Lost &lost = c.lost.to(FindingKind::mtu_black_hole);
    f.failure = true;
    f.severity = Severity::problem;
    f.stream = connection->record.stream;
    f.sentence =
        "Segments of " + human::count(*hole->smallest_black_holed) +
        " bytes were sent again and again and never acknowledged, the largest acknowledged one had " +
        human::count(hole->largest_acked_segment) + ".";
    if (lost.waits.count > 0)
        f.sentence += " That cost " + lost_words(f, lost) + ".";
    f.evidence.insert(f.evidence.begin(), {hole->black_hole_frame, "a large segment sent again"});
    add_figure(f, "smallest_never_acknowledged", *hole->smallest_black_holed, FigureUnit::bytes);
    add_figure(f, "largest_acknowledged", hole->largest_acked_segment, FigureUnit::bytes);
    f.remedy =
        "Set the same MTU on both ends and every switch between (test: ping -M do -s 8972 for 9000), or let "
        "ICMP 'fragmentation needed' through; MSS clamping or net.ipv4.tcp_mtu_probing=1 helps until then.";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

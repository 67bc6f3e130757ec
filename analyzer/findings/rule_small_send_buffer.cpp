// SPDX-License-Identifier: GPL-2.0-or-later
// Flight stands at a plateau below window and congestion window: the sender's buffer is full.
#include "analyzer/findings/rule_tools.h"

namespace iscsiscope::rules {

Verdict small_send_buffer(const RuleContext &c) {
    const Lost &lost = c.lost.to(FindingKind::small_send_buffer);
    if (lost.waits.count == 0)
        return none(
            "no sender stood still with room in window and congestion window and data of one PDU left");
    Finding f = begin_finding(FindingKind::small_send_buffer, c);
    f.sentence =
        "The sender kept less under way than window and congestion window allowed, as one whose send "
        "buffer is full does: " +
        lost_words(f, lost) + ".";
    for (const ConnectionFacts &k : c.facts.connections)
        for (const auto *d : {&k.to_target, &k.to_initiator})
            if (lost.worst_stream() == k.record.stream && *d && (*d)->send_plateau) {
                f.sentence += " It stood at " + human::bytes(*(*d)->send_plateau) + " on its way to the " +
                              (d == &k.to_target ? "target" : "initiator") + ".";
                add_figure(f, "send_plateau", static_cast<double>(*(*d)->send_plateau), FigureUnit::bytes);
            }
    f.remedy = "Give the sender a send buffer of at least rate times round trip (Linux: third value of "
               "net.ipv4.tcp_wmem, net.core.wmem_max where the program sets SO_SNDBUF).";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

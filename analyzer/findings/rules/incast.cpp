// SPDX-License-Identifier: GPL-2.0-or-later
// Rule incast: several flows lose their last segments at the same time because a queue before a slower link
// overflows, and all wait for timeouts (JDSF 2013: four guests, 21 instead of 96 MB/s).
#include "analyzer/findings/rules/rule_tools.h"

namespace iscsiscope::rules {

Verdict incast(const RuleContext &c) {
    const Lost &lost = c.lost.to(FindingKind::incast);
    const LossSynchrony &s = c.lost.synchrony();
    if (s.streams.empty())
        return none(s.episodes == 0
                        ? "fewer than three connections lost segments"
                        : "losses of different connections coincide no more often than by chance (" +
                              human::share(s.together) + " of " + human::count(s.episodes) +
                              "), and do not occur when much is in flight (" + human::share(s.under_way) +
                              " of the mean)");
    if (lost.waits.count == 0)
        return none("losses coincided, but no connection stalled because of them");
    Finding f = begin_finding(FindingKind::incast, c);
    const auto in_timeouts = lost.by_cause.find(Cause::retransmission_timeout);
    if (s.at_once)
        f.title = "Connections lose packets together in a shared queue";
    f.sentence = human::count(s.streams.size()) + " connections lost packets ";
    if (s.at_once)
        f.sentence += "at the same moments (" + percent(s.together) + " of " + human::count(s.episodes) +
                      " losses; by chance " + percent(s.by_chance) + ")";
    if (s.by_load)
        f.sentence += std::string(s.at_once ? " and " : "") + "with much in flight (" + percent(s.under_way) +
                      " of the mean)";
    f.sentence += ", as where a queue that all of them share overflows." + lost_sentence(f, lost);
    if (in_timeouts != lost.by_cause.end()) {
        f.sentence.pop_back();
        f.sentence += ", " + human::duration(in_timeouts->second) + " of it in retransmission timeouts.";
    }
    add_figure(f, "connections", static_cast<double>(s.streams.size()));
    add_figure(f, "losses_together", s.together, FigureUnit::share);
    add_figure(f, "under_way_at_losses", s.under_way);
    add_figure(f, "segments_lost", static_cast<double>(segments_of(c.facts).lost));
    f.remedy = "Let less be in flight at once: lower queue depth, smaller MaxBurstLength, fewer hosts at a "
               "time. Match link speeds or pace the fast side (Linux: tc qdisc … fq maxrate); turn on ECN or "
               "flow control (802.3x, DCB); use a switch with deeper buffers.";
    also(f, FindingKind::retransmission_timeout, in_timeouts != lost.by_cause.end());
    also(f, FindingKind::packet_loss, true);
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

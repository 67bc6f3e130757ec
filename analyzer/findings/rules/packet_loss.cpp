// SPDX-License-Identifier: GPL-2.0-or-later
// Rule packet_loss: loss repaired after duplicate ACKs, and the cost of the smaller window after it.
#include "analyzer/findings/rules/rule_tools.h"

namespace iscsiscope::rules {
namespace {

// A number of segments by direction.
struct Ways {
    std::uint64_t to_target = 0, to_initiator = 0;

    std::uint64_t sum() const { return to_target + to_initiator; }
    std::string words() const {
        return to_initiator == 0 ? "all on the way to the target"
               : to_target == 0  ? "all on the way to the initiator"
                                 : human::count(to_target) + " on the way to the target, " +
                                      human::count(to_initiator) + " to the initiator";
    }
};

} // namespace

Verdict packet_loss(const RuleContext &c) {
    const Lost &lost = c.lost.to(FindingKind::packet_loss);
    const SegmentSums sums = segments_of(c.facts), to_target = segments_of(c.facts, PduDirection::to_target),
                      to_initiator = segments_of(c.facts, PduDirection::to_initiator);
    const std::uint64_t segments = sums.segments, gone = sums.lost;
    if (gone == 0)
        return none("no segment of " + human::count(segments) + " was lost");
    if (lost.waits.count == 0)
        return none(human::plural(gone, "segment", "segments") + " of " + human::count(segments) +
                    " were lost or sent again, but no connection stalled for a repair without timeout");
    Finding f = begin_finding(FindingKind::packet_loss, c);
    set_losses(f, lost.waits.course, c);
    // Segments shown to be lost; sent again for another reason or for this one.
    const Ways shown{to_target.shown_lost(), to_initiator.shown_lost()},
        again{to_target.loss_not_shown, to_initiator.loss_not_shown};
    const Ways &most = shown.sum() != 0 ? shown : again;
    f.title = std::string(shown.sum() != 0 ? "Packets are lost " : "Packets are sent again ") +
              (most.to_initiator == 0 ? "on the way to the target"
               : most.to_target == 0  ? "on the way to the initiator"
                                      : "in both directions");
    const double rate = ratio(shown.sum(), segments);
    const std::string of = " of " + human::plural(segments, "segment", "segments") + " (" +
                           percent(ratio(most.sum(), segments)) + ") were ";
    f.sentence =
        human::count(most.sum()) + of + (shown.sum() != 0 ? "lost, " : "sent again, ") + most.words();
    if (again.sum() == 0)
        f.sentence += ". Time lost by repairs without timeout and smaller congestion windows: ";
    else
        f.sentence +=
            (shown.sum() == 0 ? "; whether they were lost is not visible"
                              : "; of " + human::count(again.sum()) + " more sent again it is not visible") +
            std::string(". Time lost, timeouts not counted: ");
    f.sentence += lost_words(f, lost) + ".";
    add_figure(f, "segments_lost", static_cast<double>(shown.sum()));
    add_figure(f, "loss_rate", rate, FigureUnit::share);
    add_evidence(f, sums.first_again, "the first segment sent again");
    f.remedy = "Find where segments are lost: error and discard counters of interfaces and switch ports "
               "(Linux: ethtool -S), cabling, duplex, a shaper or a full queue. Until then use selective "
               "ACKs and a congestion control that tolerates loss better at the sender (CUBIC, BBR).";
    also(f, FindingKind::retransmission_timeout,
         c.lost.to(FindingKind::retransmission_timeout).waits.count > 0);
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

// SPDX-License-Identifier: GPL-2.0-or-later
// Rule mirror_laggard: mirrored Writes (RAID1) wait for the member that answers last (Zhou and Watanabe 2009:
// the farther target determines the response time).
#include "analyzer/findings/rules/rule_tools.h"

#include "analyzer/base/containers/greatest.h"
#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/sessions/figures/session_figures.h"

namespace iscsiscope::rules {

Verdict mirror_laggard(const RuleContext &c) {
    const auto *worst =
        c.in.sessions != nullptr ? greatest_of(c.in.sessions->mirrors, &MirrorPair::pairs) : nullptr;
    if (worst == nullptr)
        return none("no two LUNs got the same Writes at the same time");
    const auto &a = worst->members[0], &b = worst->members[1];
    const auto &late = a.held >= b.held ? a : b;
    const auto &early = a.held >= b.held ? b : a;
    const std::optional<Duration> skew = quantile(worst->skew, 0.5),
                                  other = quantile(early.response_time, 0.5);
    const std::string shares =
        "the members of the mirror answer equally fast: one is last in " + human::share(late.held_share) +
        " of " + human::plural(worst->pairs, "Write", "Writes") + ", by " + words(skew) + " at the median";
    // This member is mostly last, and by more than half of the other member's response time.
    if (worst->pairs < 10 || late.held_share < 0.75 || !skew || !other || *skew * 2 < *other)
        return none(shares);
    Finding f = begin_finding(FindingKind::mirror_laggard);
    f.session = first_session(late.session);
    f.lun = late.lun;
    f.task_time = late.held;
    f.task_share = ratio(late.held, late.response_time.sum());
    const ConnectionFacts *k = connection_of_session(c.facts, first_session(late.session));
    f.sentence =
        "The mirror member LUN " + to_string(Lun{late.lun}) +
        (k != nullptr ? " at " + to_text(k->record.target) : std::string()) + " answered last in " +
        percent(late.held_share) + " of " + human::plural(worst->pairs, "mirrored Write", "mirrored Writes") +
        ", after " + words(quantile(late.response_time, 0.5)) + " at the median, the other member after " +
        words(other) + ". The Writes waited " + human::duration(late.held) + " in all for this member alone.";
    add_figure(f, "pairs", static_cast<double>(worst->pairs));
    add_figure(f, "last_share", late.held_share, FigureUnit::share);
    add_figure(f, "skew_median", *skew);
    add_evidence(f, worst->first_frame, "the first mirrored Write");
    f.remedy =
        "Look at the network path to this member and at its storage. If it is far away by intention, "
        "use write-behind (Linux: mdadm --write-mostly and --write-behind) or replicate asynchronously, "
        "and read from the near member.";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

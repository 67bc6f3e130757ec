// SPDX-License-Identifier: GPL-2.0-or-later
// Rule connection_imbalance: connections of one session (MC/S) carry unequal shares, or delay the commands of
// the others (throughput deviation: Nomoto et al. 2011, equation 8).
#include "analyzer/findings/rules/rule_tools.h"

#include "analyzer/base/containers/greatest.h"
#include "analyzer/sessions/figures/session_figures.h"

#include <algorithm>

namespace iscsiscope::rules {

Verdict connection_imbalance(const RuleContext &c) {
    const auto inequality = [](const ThroughputFigures &t) {
        return t.streams.size() > 1 ? std::optional(-t.total_rate.jain.value_or(1)) : std::nullopt;
    };
    const auto *worst =
        c.in.sessions != nullptr ? greatest_of(c.in.sessions->throughput, inequality) : nullptr;
    if (worst == nullptr)
        return none("no session has several connections");
    double held = 0;
    const HoldFigures::Member *holder = nullptr;
    for (const HoldFigures &h : c.in.sessions->holds)
        if (h.session == worst->session) {
            held = h.share;
            holder = greatest_of(h.members, &HoldFigures::Member::held);
        }
    std::uint64_t tasks = 0;
    for (const ThroughputFigures::Total &t : worst->totals)
        tasks += t.tasks;
    // A deviation of a third of the mean is a Jain's index of 0.9.
    if ((worst->total_rate.jain.value_or(1) >= 0.9 && held < problem_from) || tasks < 20)
        return none("the connections share the work: Jain's index " +
                    human::share(worst->total_rate.jain.value_or(1)) +
                    ", commands held for another connection's " + human::share(held) + " of the time");
    Finding f = begin_finding(FindingKind::connection_imbalance);
    f.session = first_session(worst->session);
    const auto [least, most] =
        std::ranges::minmax_element(worst->totals, {}, &ThroughputFigures::Total::stream_bytes);
    const ConnectionFacts *k =
        connection_of(c.facts, holder != nullptr && holder->held > Duration{} ? std::optional(holder->stream)
                                                                              : std::nullopt);
    if (worst->total_rate.jain.value_or(1) >= 0.9)
        f.title = "Connections of one session wait for each other";
    f.sentence = "The " + human::count(worst->streams.size()) +
                 " connections of one session carried between " + human::bytes(least->stream_bytes) +
                 " and " + human::bytes(most->stream_bytes) + " each; for " + percent(held) +
                 " of the time commands waited for an earlier one of another connection";
    if (k != nullptr)
        f.sentence += " (mostly of the one" + ends_words(k) + ")";
    f.sentence += ".";
    add_figure(f, "jain_index", worst->total_rate.jain.value_or(1));
    add_figure(f, "held_share", held, FigureUnit::share);
    if (holder != nullptr && holder->held > Duration{}) {
        f.task_time = holder->held;
        f.task_share = held;
        f.stream = holder->stream;
        add_evidence(f, holder->longest_frame, "the command that others waited for longest");
    }
    f.remedy =
        "Look at what slows the weak connection: its path, packet loss, window. Until then drop that "
        "connection, or send each command to the connection with the least outstanding instead of in turn.";
    also(f, FindingKind::packet_loss, segments_of(c.facts).lost > 0);
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

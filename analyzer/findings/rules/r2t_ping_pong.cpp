// SPDX-License-Identifier: GPL-2.0-or-later
// Rule r2t_ping_pong: a Write takes ceil((L - FB) / MaxBurst) R2T round trips (docs/figures.md, "Models").
#include "analyzer/findings/rules/keys_in_force.h"
#include "analyzer/findings/rules/rule_tools.h"

#include <algorithm>
#include <cmath>

namespace iscsiscope::rules {

Verdict r2t_ping_pong(const RuleContext &c) {
    const Lost &lost = c.lost.to(FindingKind::r2t_ping_pong);
    const TypeFacts &writes = c.facts.of(TaskType::write);
    if (writes.count == 0)
        return none("there are no Writes");
    if (lost.waits.count == 0)
        return none(writes.r2ts == 0 ? "no Write needed an R2T" : "no Write waited for a second R2T");
    Finding f = begin_finding(FindingKind::r2t_ping_pong, c);
    if (auto ordinary = ordinary_waits(f, c))
        return none(std::move(*ordinary));
    const ModelInput *writing = model_of(c.facts, TaskType::write);
    const std::optional<Duration> rtt = typical_rtt(c);
    f.sentence = "Writes waited a round trip" + (rtt ? " of " + human::duration(*rtt) : std::string()) +
                 " for each R2T";
    if (writing != nullptr && writing->tasks > 0) {
        const double each = static_cast<double>(writing->r2ts) / static_cast<double>(writing->tasks);
        const auto at_once = static_cast<int>(writing->r2ts_outstanding);
        f.sentence += ": a Write of " + human::block(static_cast<std::uint64_t>(writing->block)) + " took " +
                      std::to_string(std::lround(each)) + " R2Ts of at most " +
                      human::block(static_cast<std::uint64_t>(writing->burst)) + ", " +
                      (at_once > 1 ? "up to " : "") + std::to_string(at_once) + " at a time." +
                      lost_sentence(f, lost);
        add_figure(f, "r2ts_a_write", each);
        add_figure(f, "burst", writing->burst, FigureUnit::bytes);
        const Change larger[] = {{SettingName::max_burst_length, std::max(writing->block, 262144.0)}};
        const Prediction p = predict(*writing, larger);
        if (p.measured > 0 && p.predicted > p.measured * 1.05) {
            f.sentence += " Bursts as large as the Write would give " + human::rate(p.predicted) +
                          " instead of " + human::rate(p.measured) + " (model).";
            add_figure(f, "predicted_with_larger_bursts", p.predicted, FigureUnit::bytes_per_second);
        }
    } else {
        f.sentence += "." + lost_sentence(f, lost);
    }
    if (writing != nullptr && writing->keys_known.has(Parameter::max_burst_length) &&
        writing->burst < 0.9 * writing->keys.max_burst_length &&
        writing->burst < 0.9 * (writing->block - writing->unsolicited))
        f.remedy =
            "Look for a limit of the target itself: its R2Ts ask for less than MaxBurstLength allows (" +
            human::block(writing->keys.max_burst_length) + "). ";
    f.remedy +=
        "Raise MaxBurstLength at both ends, since the lower value holds (open-iscsi: "
        "node.session.iscsi.MaxBurstLength); let the target keep several R2Ts open (MaxOutstandingR2T above "
        "1) and Writes send their first burst at once (InitialR2T=No, FirstBurstLength).";
    f.remedy += keys_in_force(
        c, {"MaxBurstLength", "MaxOutstandingR2T", "InitialR2T", "ImmediateData", "FirstBurstLength"});
    also(f, FindingKind::no_unsolicited_data, writing != nullptr && writing->unsolicited == 0);
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

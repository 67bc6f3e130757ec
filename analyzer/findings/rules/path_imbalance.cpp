// SPDX-License-Identifier: GPL-2.0-or-later
// Rule path_imbalance: several sessions to one LUN (MPIO) carry unequal shares.
#include "analyzer/findings/rules/rule_tools.h"

#include "analyzer/sessions/figures/session_figures.h"

#include <algorithm>

namespace iscsiscope::rules {

Verdict path_imbalance(const RuleContext &c) {
    if (c.in.sessions == nullptr || c.in.sessions->path_groups.empty())
        return none("no LUN was reached by several sessions");
    const PathGroup *worst = nullptr;
    for (const PathGroup &g : c.in.sessions->path_groups)
        if (g.paths.size() > 1 &&
            (worst == nullptr || g.by_bytes.jain.value_or(1) < worst->by_bytes.jain.value_or(1)))
            worst = &g;
    if (worst == nullptr)
        return none("no LUN was reached by several sessions");
    const auto [least, most] =
        std::minmax_element(worst->paths.begin(), worst->paths.end(),
                            [](const auto &a, const auto &b) { return a.bytes < b.bytes; });
    // Two paths at 2 : 1 have a Jain's index of 0.9.
    if (worst->by_bytes.jain.value_or(1) >= 0.9)
        return none("the paths share the work: Jain's index " +
                    human::share(worst->by_bytes.jain.value_or(1)));
    std::uint64_t tasks = 0;
    for (const PathShare &p : worst->paths)
        tasks += p.tasks;
    if (tasks < 20)
        return none("too few Reads and Writes to judge the paths");
    Finding f = begin_finding(FindingKind::path_imbalance, Severity::problem);
    f.lun = most->lun;
    f.session = most->session;
    f.sentence = "Of " + human::count(worst->paths.size()) + " paths to one LUN" +
                 (worst->guess ? " (a guess, by name and number)" : "") + " one carried " +
                 human::share(most->byte_share) + " of the bytes, another " +
                 human::share(least->byte_share) + "; " + human::plural(worst->idle_paths, "path", "paths") +
                 " carried none.";
    add_figure(f, "jain_index", worst->by_bytes.jain.value_or(1));
    add_figure(f, "paths", static_cast<double>(worst->paths.size()));
    add_figure(f, "idle_paths", static_cast<double>(worst->idle_paths));
    f.remedy =
        "Check that all paths are active and optimized; let multipath use them (path_selector round-robin or "
        "queue-length, rr_min_io_rq 1; ESXi: VMW_PSP_RR with IOPS=1; Windows MPIO: Round Robin or Least "
        "Queue Depth).";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules

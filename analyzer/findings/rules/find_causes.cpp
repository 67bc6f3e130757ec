// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/rating.h"
#include "analyzer/findings/rules/rule.h"

#include <algorithm>

namespace iscsiscope {

FindingsResult find_causes(const FindingsInput &in, const FindingsOptions &options) {
    FindingsResult result;
    const Attribution lost(in);
    const RuleContext context{in, *in.facts, lost};
    result.busy = lost.busy();
    for (const NamedRule &rule : finding_rules) {
        Verdict v = rule.judge(context);
        if (!v.finding) {
            result.ruled_out.push_back({rule.kind, std::move(v.why_not)});
            continue;
        }
        Finding &f = *v.finding;
        result.explained += f.lost_time;
        if (options.of_range && traits(f.kind).scope == FigureScope::whole)
            f.sentence += " Counts of packets, paths and logins are of the whole capture.";
        std::ranges::stable_sort(f.evidence, {}, &EvidenceFrame::frame);
        if (f.evidence.size() > 8)
            f.evidence.resize(8);
        result.findings.push_back(std::move(f));
    }
    rate(result, options.shown_from);
    return result;
}

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
#include "findings/look.h"

#include "analyzer/base/number_format.h"
#include "analyzer/cycles/engine.h"
#include "analyzer/pipeline/sink_fan.h"
#include "analyzer/sessions/session_analysis.h"
#include "tests/support/each_segment.h"

namespace iscsiscope {

std::string Look::first() const {
    return result.findings.empty() ? "none" : std::string(name(result.findings.front().kind));
}

std::string Look::first_problem() const {
    const bool any = !result.findings.empty() && result.findings.front().severity == Severity::problem;
    return any ? first() : "none";
}

std::optional<Look> look_at(const std::string &path) {
    FactCollector facts;
    SessionAnalysis sessions;
    SinkFan fan({&facts, &sessions});
    RecordTables tables(fan);
    Engine engine(tables);
    if (!test::each_segment(path, tables, [&](const Segment &s) { engine.feed(s); }).empty())
        return std::nullopt;
    engine.finish();
    Look look;
    look.facts = facts.take();
    const SessionFigures figures = sessions.take();
    FindingsInput input;
    input.facts = &look.facts;
    input.sessions = &figures;
    input.capture.coverage = engine.coverage();
    look.result = find_causes(input);
    return look;
}

std::string printed(const Look &look) {
    std::string s = "active " + human::duration(look.result.busy) + ", explained " +
                    human::duration(look.result.explained) + "\n";
    for (const Finding &f : look.result.findings) {
        s += "  " + std::string(name(f.severity)) + (is_failure(f) ? "!" : "") + " " +
             std::string(name(f.kind)) + " " + human::share(f.share) + " / " + human::share(f.task_share) +
             ": " + f.sentence + "\n      remedy: " + f.remedy + "\n      frames:";
        for (const EvidenceFrame &e : f.evidence)
            s += " " + std::to_string(e.frame) + " (" + e.word + ")";
        s += "\n";
    }
    return s;
}

} // namespace iscsiscope

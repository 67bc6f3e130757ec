// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/papers/page/page.h"

#include "analyzer/report/json/json_library.h"

#include <cmath>

namespace iscsiscope::testbed::papers {
namespace {

using json = nlohmann::ordered_json;

// Six digits: more would be noise.
json number(double value) {
    if (!std::isfinite(value))
        return nullptr;
    if (value == 0)
        return 0;
    const double scale = std::pow(10, 5 - std::floor(std::log10(std::fabs(value))));
    return std::round(value * scale) / scale;
}

json plot_json(const Plot &plot) {
    json curves = json::array();
    for (const Curve &curve : plot.curves) {
        json points = json::array();
        for (const auto &[x, y] : curve.points)
            points.push_back({number(x), number(y)});
        curves.push_back({{"name", curve.name}, {"source", name(curve.source)}, {"points", points}});
    }
    return {{"title", plot.title}, {"x", plot.x_label}, {"y", plot.y_label}, {"curves", curves}};
}

} // namespace

std::string json_of(const StudyOutcome &outcome, const Circumstances &circumstances) {
    json out = {{"study", outcome.study->name},         {"title", outcome.published.title()},
                {"source", outcome.published.source()}, {"scale", outcome.page.scale},
                {"version", circumstances.version},     {"date", circumstances.date},
                {"kernel", circumstances.kernel},       {"machine", circumstances.machine},
                {"quick", circumstances.quick},         {"seconds", number(outcome.took_s)}};
    for (const Claim &claim : outcome.page.claims) {
        out["claims"].push_back({{"id", claim.id},
                                 {"statement", claim.statement},
                                 {"published", claim.published},
                                 {"model", claim.model},
                                 {"measured", claim.measured},
                                 {"verdict", text_of(claim.verdict)},
                                 {"why", claim.why}});
    }
    out["plots"] = json::array();
    out["tables"] = json::array();
    for (const Block &block : outcome.page.blocks)
        if (const auto *plot = std::get_if<Plot>(&block))
            out["plots"].push_back(plot_json(*plot));
        else if (const auto *table = std::get_if<Table>(&block))
            out["tables"].push_back({{"title", table->title}, {"head", table->head}, {"rows", table->rows}});
    for (const Run &run : outcome.runs) {
        out["runs"].push_back({{"label", run.label},
                               {"scenario", run.scenario},
                               {"settings", run.settings},
                               {"valid", run.log.valid},
                               {"reasons", run.log.reasons},
                               {"warnings", run.log.warnings},
                               {"attempts", run.attempts},
                               {"carrier", run.log.carrier},
                               {"lateness_p50_ns", run.log.lateness_p50_ns},
                               {"lateness_p99_ns", run.log.lateness_p99_ns},
                               {"longest_stall_ns", run.log.longest_stall_ns},
                               {"drops", run.log.drops.size()}});
    }
    return out.dump(1) + "\n";
}

} // namespace iscsiscope::testbed::papers

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/compare/compare_output.h"
#include "analyzer/report/json/json_parts.h"

namespace iscsiscope {
namespace {

const char *unit_name(Unit u) {
    switch (u) {
    case Unit::time:
    case Unit::instant:
        return "ns";
    case Unit::bytes:
        return "bytes";
    case Unit::rate:
        return "bytes/s";
    case Unit::share:
        return "share";
    case Unit::none:
        break;
    }
    return "";
}

Json severity(const std::optional<Severity> &s) {
    return s ? Json(name(*s)) : Json(nullptr);
}

Json quantiles_json(const TcpQuantiles &q) {
    return {{"samples", q.samples},
            {"min_ns", duration_json(q.minimum)},
            {"median_ns", duration_json(q.median)},
            {"p95_ns", duration_json(q.p95)},
            {"p99_ns", duration_json(q.p99)},
            {"max_ns", duration_json(q.maximum)}};
}

std::string dump(const Json &j) {
    return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace

std::string compare_json(const Comparison &c) {
    Json j;
    j["before"] = c.before;
    j["after"] = c.after;
    j["sentence"] = c.sentence;
    Json &differences = j["differences"] = Json::array();
    for (const Difference &d : c.differences) {
        differences.push_back({{"group", d.group},
                               {"name", d.name},
                               {"unit", unit_name(d.unit)},
                               {"before", optional_json(d.before)},
                               {"after", optional_json(d.after)},
                               {"change", optional_json(d.change())}});
    }
    Json &findings = j["findings"] = Json::array();
    for (const FindingChange &f : c.findings) {
        findings.push_back({{"kind", name(f.kind)},
                            {"change", !f.before  ? "appeared"
                                       : !f.after ? "gone"
                                                  : "both"},
                            {"share_before", optional_json(f.before)},
                            {"share_after", optional_json(f.after)},
                            {"severity_before", severity(f.severity_before)},
                            {"severity_after", severity(f.severity_after)}});
    }
    Json &settings = j["settings"] = Json::array();
    for (const SettingChange &s : c.settings) {
        settings.push_back(
            {{"name", s.name}, {"before", text_json(s.before)}, {"after", text_json(s.after)}});
    }
    return dump(j);
}

std::string ends_json(const Ends &e) {
    Json j;
    j["at_initiator"] = e.at_initiator().capture.path;
    j["at_target"] = e.at_target().capture.path;
    j["first_is_at_initiator"] = e.a_is_initiator;
    j["clock"] = nullptr;
    if (const auto &c = e.pair.clock) {
        j["clock"] = {{"offset_ns", to_ns(c->offset)},
                      {"uncertainty_ns", to_ns(c->asymmetry)},
                      {"drift_ppm", c->drift_known ? Json(c->drift_ppm) : Json(nullptr)},
                      {"reference", to_ns(c->reference)},
                      {"segments", c->segments}};
    }
    j["only_first"] = e.pair.only_a;
    j["only_second"] = e.pair.only_b;
    Json &all = j["connections"] = Json::array();
    for (const PairedConnection &p : e.pair.connections) {
        Json one;
        one["stream_first"] = p.stream_a;
        one["stream_second"] = p.stream_b;
        one["matched_by"] = p.by == PairMatch::initial_sequence ? "initial_sequence" : "sequence_range";
        for (const PairedDirection &d : p.directions) {
            Json x = {{"segments_first", d.segments_a},
                      {"segments_second", d.segments_b},
                      {"matched", d.matched},
                      {"lost", d.lost.size()},
                      {"unmatched_second", d.unmatched_second},
                      {"overtaken", d.overtaken},
                      {"delay", quantiles_json(d.delay)}};
            Json &frames = x["lost_frames"] = Json::array();
            for (const LostSegment &l : d.lost)
                frames.push_back(l.frame);
            one[d.a_first == e.a_is_initiator ? "to_target" : "to_initiator"] = std::move(x);
        }
        all.push_back(std::move(one));
    }
    for (const TaskType type : {TaskType::read, TaskType::write}) {
        const auto of = [&](const Report &r) {
            return distribution(r.of(type).of(CycleFigure::target_service), {0.5, 0.9, 0.99});
        };
        j["target_service"][std::string(name(type))] = {{"at_target", of(e.at_target())},
                                                        {"at_initiator", of(e.at_initiator())}};
    }
    return dump(j);
}

} // namespace iscsiscope

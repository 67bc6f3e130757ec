// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/compare/compare_output.h"
#include "analyzer/report/json/json_parts.h"

namespace iscsiscope {
namespace {

Json quantiles_json(const TcpQuantiles &q) {
    return {{"samples", q.samples},
            {"min_ns", duration_json(q.minimum)},
            {"median_ns", duration_json(q.median)},
            {"p95_ns", duration_json(q.p95)},
            {"p99_ns", duration_json(q.p99)},
            {"max_ns", duration_json(q.maximum)}};
}

const char *checksum_name(TcpChecksum c) {
    switch (c) {
    case TcpChecksum::right:
        return "right";
    case TcpChecksum::wrong:
        return "wrong";
    case TcpChecksum::unfilled:
        return "unfilled";
    case TcpChecksum::unknown:
        break;
    }
    return "unknown";
}

Json contents_json(const PairedContents &c) {
    Json j = {{"segments", c.segments},
              {"bytes", c.bytes},
              {"damaged", c.damaged},
              {"payload_differs", c.payload_differs},
              {"wrong_checksum", c.wrong_checksum},
              {"undetected", c.undetected}};
    Json &listed = j["damaged_segments"] = Json::array();
    for (const DamagedSegment &d : c.listed)
        listed.push_back({{"frame_first", d.frame_a},
                          {"frame_second", d.frame_b},
                          {"length", d.length},
                          {"differs_at", optional_json(d.differs_at)},
                          {"differs_within", d.differs_at ? Json(d.differs_within) : Json(nullptr)},
                          {"checksum_first", checksum_name(d.checksum_a)},
                          {"checksum_second", checksum_name(d.checksum_b)}});
    return j;
}

Json same_clock_json(const PairFigures &p) {
    if (!p.same_clock)
        return nullptr;
    const SameClockCheck &c = *p.same_clock;
    return {{"holds", c.holds()},
            {"negative_delays", c.negative},
            {"least_delay_ns", to_ns(c.least)},
            {"precision_ns", to_ns(c.precision)},
            {"measured_offset_ns", c.measured ? Json(to_ns(c.measured->offset)) : Json(nullptr)},
            {"measured_uncertainty_ns", c.measured ? Json(to_ns(c.measured->asymmetry)) : Json(nullptr)},
            {"warning", text_json(same_clock_warning(p))}};
}

} // namespace

std::string ends_json(const Ends &e) noexcept {
    Json j;
    j["at_initiator"] = e.at_initiator().capture.path;
    j["at_target"] = e.at_target().capture.path;
    j["first_is_at_initiator"] = e.a_is_initiator;
    j["clock"] = nullptr;
    if (const auto &c = e.pair.clock) {
        j["clock"] = {{"offset_ns", to_ns(c->offset)},
                      {"uncertainty_ns", to_ns(c->asymmetry)},
                      {"drift_ppm", c->drift_known ? Json(c->drift_ppm) : Json(nullptr)},
                      {"reference", time_json(c->reference)},
                      {"segments", c->segments},
                      {"same_clock", c->same_clock}};
    }
    j["same_clock"] = same_clock_json(e.pair);
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
                      {"delay", quantiles_json(d.delay)},
                      {"contents", contents_json(d.contents)}};
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
    return json_text(j) + "\n";
}

} // namespace iscsiscope

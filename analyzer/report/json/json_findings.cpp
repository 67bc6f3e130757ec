// SPDX-License-Identifier: GPL-2.0-or-later
// Findings and models.
#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/report/json/json_parts.h"
#include "analyzer/report/tables/row_writer.h"
#include "analyzer/report/verdict_words.h"

namespace iscsiscope {

Json row_json(const Table &table, const void *row) {
    fmt::memory_buffer b;
    Scratch scratch;
    Json j;
    for (const Column &c : table.columns) {
        b.clear();
        append_json(b, c.get(row, scratch));
        j[std::string(c.name)] = Json::parse(b.data(), b.data() + b.size());
    }
    return j;
}

Json findings_json(const Report &r) {
    Json all = Json::array();
    if (!r.findings)
        return all;
    for (const Finding &f : r.findings->findings) {
        Json j;
        j["kind"] = name(f.kind);
        j["severity"] = name(f.severity);
        j["lost_time_ns"] = to_ns(f.lost_time);
        j["share"] = f.share;
        j["concerned_share"] = f.concerned_share;
        j["title"] = f.title;
        j["sentence"] = f.sentence;
        j["remedy"] = f.remedy;
        j["evidence"] = Json::array();
        j["evidence_words"] = Json::array();
        for (const EvidenceFrame &e : f.evidence) {
            j["evidence"].push_back(e.frame);
            j["evidence_words"].push_back({{"frame", e.frame}, {"words", e.word}});
        }
        j["also"] = Json::array();
        for (const FindingKind k : f.also)
            j["also"].push_back(name(k));
        j["figures"] = Json::array();
        for (const Figure &x : f.figures)
            j["figures"].push_back({{"name", x.name}, {"value", x.value}, {"unit", name(x.unit)}});
        j["stream"] = optional_json(f.stream);
        j["session"] = optional_json(f.session);
        j["lun"] = f.lun ? Json(to_string(Lun{*f.lun})) : Json(nullptr);
        all.push_back(std::move(j));
    }
    return all;
}

Json verdict_json(const Report &r) {
    const CaptureVerdict v = capture_verdict(r);
    return {{"sentence", verdict_words(r, v)},
            {"certainty", name(v.certainty)},
            {"limit", v.limit ? Json(name(*v.limit)) : Json(nullptr)},
            {"owner", v.owner ? Json(name(*v.owner)) : Json(nullptr)},
            {"owner_share", v.owner_share},
            {"problem", v.problem != nullptr ? Json(name(v.problem->kind)) : Json(nullptr)}};
}

Json ruled_out_json(const Report &r) {
    Json all = Json::array();
    if (r.findings)
        for (const RuledOut &o : r.findings->ruled_out)
            all.push_back({{"kind", name(o.kind)}, {"why_not", o.why_not}});
    return all;
}

Json parts_json(const CycleParts &p) {
    return {{"round_trips_ns", p.round_trips},
            {"service_ns", p.service},
            {"transfer_ns", p.transfer},
            {"held_ns", p.held},
            {"think_ns", p.think},
            {"queued_ns", p.queued},
            {"total_ns", p.total()}};
}

Json verdicts_json(const std::vector<KeyVerdict> &keys) {
    Json all = Json::array();
    for (const KeyVerdict &k : keys) {
        all.push_back({{"key", k.key},
                       {"value", text_json(k.value)},
                       {"binds", k.judged ? Json(k.binds) : Json(nullptr)},
                       {"gain", k.judged ? Json(k.gain) : Json(nullptr)},
                       {"best", k.best ? Json(*k.best) : Json(nullptr)},
                       {"tried_from", k.range ? Json(k.range->least) : Json(nullptr)},
                       {"tried_to", k.range ? Json(k.range->most) : Json(nullptr)},
                       {"certainty", k.binds ? Json(name(k.certainty)) : Json(nullptr)},
                       {"reason", k.reason}});
    }
    return all;
}

void model_basis_json(Json &j, const ModelInput &in) {
    j["tasks"] = in.tasks;
    j["tasks_of_type"] = in.tasks_of_type;
    j["bytes"] = in.bytes;
    j["data_time_ns"] = in.data_time;
}

Json models_json(const Report &r) {
    Json all = Json::array();
    for (const ModelRow &m : r.models) {
        const ModelledCycle &c = m.cycle;
        Json j;
        j["type"] = name(m.input.type);
        model_basis_json(j, m.input);
        j["block_bytes"] = m.input.block;
        j["depth"] = m.input.depth;
        j["connections"] = m.input.connections;
        j["measured_cycle_ns"] = c.measured_cycle;
        j["modelled"] = parts_json(c.parts);
        j["cycle_error"] = c.cycle_error;
        j["measured_throughput"] = c.measured_throughput;
        j["modelled_throughput"] = c.throughput;
        j["throughput_error"] = c.throughput_error;
        j["bottleneck"] = name(c.bottleneck);
        j["residuals"] = {{"0.05", c.residual_low}, {"0.5", c.residual_median}, {"0.95", c.residual_high}};
        j["left_out"] = c.left_out;
        j["keys"] = verdicts_json(m.keys);
        all.push_back(std::move(j));
    }
    return all;
}

} // namespace iscsiscope

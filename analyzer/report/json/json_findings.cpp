// SPDX-License-Identifier: GPL-2.0-or-later
// Findings and models.
#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/report/json/json_parts.h"
#include "analyzer/words/verdict_words.h"

namespace iscsiscope {
namespace {

void write_place(JsonWriter &w, const FindingPlace &p) {
    w.open_object("place");
    w.add("kind", p.kind ? std::optional(name(*p.kind)) : std::nullopt);
    w.add("type", p.type ? std::optional(name(*p.type)) : std::nullopt);
    w.add("stream", known_if(p.kind == PlaceKind::connection, p.stream));
    w.add("address", p.address ? std::optional(to_text(*p.address)) : std::nullopt);
    w.add("lun", known_if(p.kind == PlaceKind::lun, to_string(Lun{p.lun})));
    w.add("part", known_if(p.known(), p.part));
    w.add("share", known_if(p.known(), p.share));
    w.add("share_of_others", known_if(p.known(), p.share_of_others));
    w.close();
}

void write_times(JsonWriter &w, const FindingTimes &t) {
    w.open_object("times");
    w.add("throughout", t.throughout);
    w.add("period_ns", t.period);
    w.add("mean_ns", t.level ? std::optional(t.level->within) : std::nullopt);
    w.add("mean_of_others_ns", t.level ? std::optional(t.level->outside) : std::nullopt);
    const auto add = [&](std::string_view key, const std::vector<FindingInterval> &intervals) {
        w.open_array(key);
        for (const FindingInterval &s : intervals) {
            w.open_object();
            w.add("from", s.from);
            w.add("to", s.until);
            w.add("frame", s.frame);
            w.add("lost_time_ns", s.lost);
            w.add("share", s.share);
            w.close();
        }
        w.close();
    };
    add("parts", t.parts);
    add("intervals", t.intervals);
    w.close();
}

void write_finding(JsonWriter &w, const Finding &f) {
    w.open_object();
    w.add("kind", name(f.kind));
    w.add("severity", name(f.severity));
    w.add("lost_time_ns", f.lost_time);
    w.add("share", f.share);
    w.add("concerned_share", f.concerned_share);
    w.open_object("lost_by_owner");
    for (std::size_t i = 0; i < owner_count; ++i)
        w.add(std::string(owner_names[i]) + "_ns", f.owners.parts[i]);
    w.close();
    w.add("title", f.title);
    w.add("sentence", f.sentence);
    w.add("where", f.where);
    write_place(w, f.place);
    w.add("when", f.when);
    write_times(w, f.times);
    w.add("remedy", f.remedy);
    w.open_array("evidence");
    for (const EvidenceFrame &e : f.evidence)
        w.add(e.frame);
    w.close();
    w.open_array("evidence_words");
    for (const EvidenceFrame &e : f.evidence) {
        w.open_object();
        w.add("frame", e.frame);
        w.add("words", e.word);
        w.close();
    }
    w.close();
    w.open_array("also");
    for (const FindingKind k : f.also)
        w.add(name(k));
    w.close();
    w.open_array("figures");
    for (const Figure &x : f.figures) {
        w.open_object();
        w.add("name", x.name);
        w.add("value", x.value);
        w.add("unit", name(x.unit));
        w.close();
    }
    w.close();
    w.add("stream", f.stream);
    w.add("session", f.session);
    w.add("lun", f.lun ? std::optional(to_string(Lun{*f.lun})) : std::nullopt);
    w.close();
}

} // namespace

void write_findings(JsonWriter &w, std::string_view key, const Report &r) {
    w.open_array(key);
    if (r.findings)
        for (const Finding &f : r.findings->findings)
            write_finding(w, f);
    w.close();
}

void write_verdict(JsonWriter &w, std::string_view key, const Report &r) {
    const CaptureVerdict v = capture_verdict(r);
    w.open_object(key);
    w.add("sentence", verdict_words(r, v));
    w.add("certainty", name(v.certainty));
    w.add("limit", v.limit ? std::optional(name(*v.limit)) : std::nullopt);
    w.add("owner", v.owner ? std::optional(name(*v.owner)) : std::nullopt);
    w.add("owner_share", v.owner_share);
    w.add("problem", v.problem != nullptr ? std::optional(name(v.problem->kind)) : std::nullopt);
    w.close();
}

void write_ruled_out(JsonWriter &w, std::string_view key, const Report &r) {
    w.open_array(key);
    if (r.findings) {
        for (const RuledOut &o : r.findings->ruled_out) {
            w.open_object();
            w.add("kind", name(o.kind));
            w.add("why_not", o.why_not);
            w.close();
        }
    }
    w.close();
}

void write_parts(JsonWriter &w, std::string_view key, const CycleParts &p) {
    w.open_object(key);
    w.add("round_trips_ns", p.round_trips);
    w.add("service_ns", p.service);
    w.add("transfer_ns", p.transfer);
    w.add("held_ns", p.held);
    w.add("think_ns", p.think);
    w.add("queued_ns", p.queued);
    w.add("total_ns", p.total());
    w.close();
}

void write_verdicts(JsonWriter &w, std::string_view key, const std::vector<KeyVerdict> &keys) {
    w.open_array(key);
    for (const KeyVerdict &k : keys) {
        w.open_object();
        w.add("key", k.key);
        w.add("value", known_text(k.value));
        w.add("binds", known_if(k.judged, k.binds));
        w.add("gain", known_if(k.judged, k.gain));
        w.add("best", k.best);
        w.add("tried_from", k.range ? std::optional(k.range->least) : std::nullopt);
        w.add("tried_to", k.range ? std::optional(k.range->most) : std::nullopt);
        w.add("certainty", known_if(k.binds, name(k.certainty)));
        w.add("reason", k.reason);
        w.close();
    }
    w.close();
}

void write_model_basis(JsonWriter &w, const ModelInput &in) {
    w.add("tasks", in.tasks);
    w.add("tasks_of_type", in.tasks_of_type);
    w.add("bytes", in.bytes);
    w.add("data_time_ns", in.data_time);
}

void write_models(JsonWriter &w, std::string_view key, const Report &r) {
    w.open_array(key);
    for (const ModelRow &m : r.models) {
        const ModelledCycle &c = m.cycle;
        w.open_object();
        w.add("type", name(m.input.type));
        write_model_basis(w, m.input);
        w.add("block_bytes", m.input.block);
        w.add("depth", m.input.depth);
        w.add("connections", m.input.connections);
        w.add("measured_cycle_ns", m.input.measured_cycle);
        write_parts(w, "modelled", c.parts);
        w.add("cycle_error", c.cycle_error);
        w.add("measured_throughput", m.input.measured_throughput);
        w.add("modelled_throughput", c.throughput);
        w.add("throughput_error", c.throughput_error);
        w.add("bottleneck", name(c.bottleneck));
        w.open_object("residuals");
        w.add("0.05", c.residual_low);
        w.add("0.5", c.residual_median);
        w.add("0.95", c.residual_high);
        w.close();
        w.add("left_out", c.left_out);
        write_verdicts(w, "keys", m.keys);
        w.close();
    }
    w.close();
}

} // namespace iscsiscope

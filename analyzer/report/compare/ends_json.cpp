// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/compare/compare_output.h"
#include "analyzer/report/json/json_parts.h"
#include "analyzer/words/compare/ends_words.h"

namespace iscsiscope {
namespace {

void write_quantiles(JsonWriter &w, std::string_view key, const TcpQuantiles &q) {
    w.open_object(key);
    w.add("samples", q.samples);
    w.add("min_ns", q.minimum);
    w.add("median_ns", q.median);
    w.add("p95_ns", q.p95);
    w.add("p99_ns", q.p99);
    w.add("max_ns", q.maximum);
    w.close();
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

void write_contents(JsonWriter &w, std::string_view key, const PairedContents &c) {
    w.open_object(key);
    w.add("segments", c.segments);
    w.add("bytes", c.bytes);
    w.add("damaged", c.damaged);
    w.add("payload_differs", c.payload_differs);
    w.add("wrong_checksum", c.wrong_checksum);
    w.add("undetected", c.undetected);
    w.open_array("damaged_segments");
    for (const DamagedSegment &d : c.listed) {
        w.open_object();
        w.add("frame_first", d.frame_a);
        w.add("frame_second", d.frame_b);
        w.add("length", d.length);
        w.add("differs_at", d.differs_at);
        w.add("differs_within", known_if(d.differs_at.has_value(), d.differs_within));
        w.add("checksum_first", checksum_name(d.checksum_a));
        w.add("checksum_second", checksum_name(d.checksum_b));
        w.close();
    }
    w.close();
    w.close();
}

void write_clock(JsonWriter &w, const PairFigures &p) {
    if (!p.clock) {
        w.add("clock", nullptr);
        return;
    }
    const auto &c = *p.clock;
    w.open_object("clock");
    w.add("offset_ns", c.offset);
    w.add("uncertainty_ns", c.asymmetry);
    w.add("drift_ppm", known_if(c.drift_known, c.drift_ppm));
    w.add("reference", c.reference);
    w.add("segments", c.segments);
    w.add("same_clock", c.same_clock);
    w.close();
}

void write_same_clock(JsonWriter &w, const PairFigures &p) {
    if (!p.same_clock) {
        w.add("same_clock", nullptr);
        return;
    }
    const SameClockCheck &c = *p.same_clock;
    w.open_object("same_clock");
    w.add("holds", c.holds());
    w.add("negative_delays", c.negative);
    w.add("least_delay_ns", c.least);
    w.add("precision_ns", c.precision);
    w.add("measured_offset_ns", c.measured ? std::optional(c.measured->offset) : std::nullopt);
    w.add("measured_uncertainty_ns", c.measured ? std::optional(c.measured->asymmetry) : std::nullopt);
    const std::string warning = same_clock_warning(p);
    w.add("warning", known_text(warning));
    w.close();
}

void write_direction(JsonWriter &w, std::string_view key, const PairedDirection &d) {
    w.open_object(key);
    w.add("segments_first", d.segments_a);
    w.add("segments_second", d.segments_b);
    w.add("matched", d.matched);
    w.add("lost", d.lost.size());
    w.add("unmatched_second", d.unmatched_second);
    w.add("overtaken", d.overtaken);
    write_quantiles(w, "delay", d.delay);
    write_contents(w, "contents", d.contents);
    w.open_array("lost_frames");
    for (const LostSegment &l : d.lost)
        w.add(l.frame);
    w.close();
    w.close();
}

void write_target_service(JsonWriter &w, const Ends &e) {
    const JsonQuantiles quantiles = json_quantiles({0.5, 0.9, 0.99});
    w.open_object("target_service");
    for (const TaskType type : {TaskType::read, TaskType::write}) {
        const auto write = [&](const char *key, const Report &r) {
            write_distribution(w, key, r.of(type).of(CycleFigure::target_service), quantiles);
        };
        w.open_object(name(type));
        write("at_target", e.at_target());
        write("at_initiator", e.at_initiator());
        w.close();
    }
    w.close();
}

} // namespace

std::string ends_json(const Ends &e) {
    return json_text([&](JsonWriter &w) {
        w.open_object();
        w.add("at_initiator", e.at_initiator().capture.path);
        w.add("at_target", e.at_target().capture.path);
        w.add("first_is_at_initiator", e.a_is_initiator);
        write_clock(w, e.pair);
        write_same_clock(w, e.pair);
        w.add("only_first", e.pair.only_a);
        w.add("only_second", e.pair.only_b);
        w.open_array("connections");
        for (const PairedConnection &p : e.pair.connections) {
            w.open_object();
            w.add("stream_first", p.stream_a);
            w.add("stream_second", p.stream_b);
            w.add("matched_by", p.by == PairMatch::initial_sequence ? "initial_sequence" : "sequence_range");
            for (const PairedDirection &d : p.directions)
                write_direction(w, d.a_first == e.a_is_initiator ? "to_target" : "to_initiator", d);
            w.close();
        }
        w.close();
        write_target_service(w, e);
        w.close();
    });
}

} // namespace iscsiscope

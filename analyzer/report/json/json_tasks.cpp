// SPDX-License-Identifier: GPL-2.0-or-later
// Tasks of all sessions: their outcomes, and the times of their cycles by type.
#include "analyzer/figures/totals.h"
#include "analyzer/query/cell.h"
#include "analyzer/report/json/json_parts.h"
#include "analyzer/words/protocol_words.h"

namespace iscsiscope {
namespace {

void write_outcomes(JsonWriter &w, const Report &r) {
    const TaskSums all = task_totals(r);
    w.add("count", all.count);
    w.add("first_start", r.at_tap.empty() ? std::nullopt : std::optional(r.at_tap.start));
    w.add("last_end", r.at_tap.empty() ? std::nullopt : std::optional(r.at_tap.end));
    w.open_object("by_outcome");
    for (std::size_t o = 0; o < task_outcome_count; ++o)
        w.add(name(static_cast<TaskOutcome>(o)), all.outcomes[o]);
    w.close();
}

void write_codes(JsonWriter &w, const Report &r) {
    w.open_array("by_opcode");
    for (const CommandTally &c : r.commands) {
        w.open_object();
        w.add("opcode", c.opcode);
        w.add("service_action", c.service_action);
        w.add("name", command_words(c.opcode, c.service_action));
        w.add("count", c.count);
        w.add("not_good", c.not_good);
        w.close();
    }
    w.close();
    w.open_array("by_sense");
    Scratch scratch;
    for (const SenseTally &s : r.senses) {
        w.open_object();
        w.add("sense", sense_cell(s.sense, scratch));
        w.add("words", sense_words(s.sense));
        w.add("count", s.count);
        w.add("first_frame", s.first_frame);
        w.close();
    }
    w.close();
}

void write_events(JsonWriter &w, const Report &r) {
    w.open_array("events");
    for (const EventTally &e : r.events) {
        w.open_object();
        w.add("opcode", static_cast<unsigned>(e.opcode));
        w.add("code", e.code);
        w.add("words", event_words(e.opcode, e.code));
        w.add("count", e.count);
        w.open_array("first_frames");
        for (const EventRecord &x : e.first)
            w.add(x.frame);
        w.close();
        w.close();
    }
    w.close();
    w.open_object("failed_logins");
    w.add("count", r.failed_logins);
    w.open_array("first");
    for (const FailedLogin &f : r.first_failed_logins) {
        w.open_object();
        write_login(w, f.login);
        w.add("stream", f.stream);
        w.close();
    }
    w.close();
    w.close();
}

void write_type(JsonWriter &w, std::string_view key, const TypeTally &t, const JsonQuantiles &quantiles) {
    w.open_object(key);
    w.add("count", t.count);
    w.add("bytes", t.bytes);
    w.add("complete", t.complete);
    w.add("not_good", t.not_good);
    w.add("retransmitted_segments", t.retransmitted_segments);
    w.add("lost_beyond_tap", t.lost_beyond_tap);
    w.add("r2ts", t.r2ts);
    w.add("max_queue_depth", t.deepest_queue);
    w.open_object("times");
    for (std::size_t f = 0; f < cycle_figure_count; ++f)
        write_distribution(w, name(static_cast<CycleFigure>(f)), t.figures[f], quantiles);
    w.close();
    w.open_array("sizes");
    for (const SizeTally &s : t.sizes) {
        if (s.count != 0) {
            w.open_object();
            w.add("smallest_bytes", s.smallest);
            w.add("largest_bytes", s.largest);
            w.add("count", s.count);
            w.add("bytes", s.bytes);
            write_distribution(w, "response_time", s.response_time, quantiles);
            w.close();
        }
    }
    w.close();
    w.open_array("slowest");
    for (const CycleRecord &c : t.slowest)
        write_row(w, {}, cycle_table(), &c);
    w.close();
    w.close();
}

} // namespace

void write_tasks(JsonWriter &w, std::string_view key, const Report &r) {
    w.open_object(key);
    write_outcomes(w, r);
    write_codes(w, r);
    write_events(w, r);
    write_pdu_counts(w, "pdus", r.pdus);
    w.close();
}

void write_cycles(JsonWriter &w, std::string_view key, const Report &r, const JsonQuantiles &quantiles) {
    w.open_object(key);
    for (std::size_t i = 0; i < task_type_count; ++i)
        write_type(w, name(static_cast<TaskType>(i)), r.types[i], quantiles);
    w.open_object("bursts");
    w.add("solicited", r.bursts.solicited);
    w.add("solicited_bytes", r.bursts.solicited_bytes);
    w.add("unsolicited", r.bursts.unsolicited);
    w.add("unsolicited_bytes", r.bursts.unsolicited_bytes);
    w.add("not_final", r.bursts.not_final);
    write_distribution(w, "r2t_wait", r.bursts.r2t_wait, quantiles);
    write_distribution(w, "burst_response", r.bursts.burst_response, quantiles);
    write_distribution(w, "burst_data", r.bursts.burst_data, quantiles);
    w.close();
    w.close();
}

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// The throughput of each session by connection, in all and by interval.
#include "analyzer/report/json/json_parts.h"

namespace iscsiscope {
namespace {

void write_totals(JsonWriter &w, std::string_view key, const ThroughputFigures &t,
                  std::uint64_t ThroughputFigures::Total::*of) {
    w.open_array(key);
    for (const ThroughputFigures::Total &total : t.totals)
        w.add(total.*of);
    w.close();
}

void write_intervals(JsonWriter &w, const ThroughputFigures &t) {
    w.open_array("intervals");
    for (const ThroughputRow &row : t.rows) {
        w.open_object();
        w.add("interval", row.interval);
        w.add("stream_bytes", row.stream_bytes);
        w.add("bytes", row.bytes);
        w.add("tasks", row.tasks);
        write_spread(w, "rate", row.rate);
        w.close();
    }
    w.close();
    w.add("intervals_left_out", t.intervals_left_out);
}

void write_dispatch(JsonWriter &w, const DispatchFigures &d) {
    w.open_object("dispatch");
    w.add("policy", name(d.policy));
    w.add("choices", d.choices);
    w.add("round_robin_share", d.round_robin_share);
    w.add("least_loaded_share", d.least_loaded_share);
    w.close();
}

void write_holds(JsonWriter &w, const HoldFigures &h) {
    w.open_object("exp_cmd_sn_held");
    w.add("held_ns", h.held);
    w.add("share", h.share);
    w.open_array("members");
    for (const HoldFigures::Member &m : h.members) {
        w.open_object();
        w.add("stream", m.stream);
        w.add("holds", m.holds);
        w.add("held_ns", m.held);
        w.add("longest_ns", m.longest);
        w.add("longest_frame", m.longest_frame);
        w.close();
    }
    w.close();
    w.close();
}

} // namespace

void write_throughput(JsonWriter &w, const SessionFigures &s) {
    w.open_array("throughput");
    for (const ThroughputFigures &t : s.throughput) {
        w.open_object();
        w.add("session", t.session);
        w.add("first", t.first);
        w.add("interval_ns", t.interval);
        w.add("streams", t.streams);
        write_totals(w, "total_stream_bytes", t, &ThroughputFigures::Total::stream_bytes);
        write_totals(w, "total_bytes", t, &ThroughputFigures::Total::bytes);
        w.add("active_ns", t.active);
        write_spread(w, "total_rate", t.total_rate);
        write_intervals(w, t);
        for (const DispatchFigures &d : s.dispatch)
            if (d.session == t.session)
                write_dispatch(w, d);
        for (const HoldFigures &h : s.holds)
            if (h.session == t.session)
                write_holds(w, h);
        w.close();
    }
    w.close();
}

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/tables/capture_table.h"

#include "analyzer/figures/totals.h"

#include <utility>

namespace iscsiscope {

SummaryTable capture_table(const Report &r) {
    const CaptureSummary &c = r.capture;
    const IscsiCoverage &read = c.coverage;
    const TaskSums tasks = task_totals(r);
    SummaryTable t{"capture", {}, {}};
    t.rows.emplace_back();
    const auto add = [&t](const char *name, ValueType type, Cell value) {
        t.columns.push_back({name, type, "0.2"});
        t.rows.front().push_back(std::move(value));
    };
    const auto text = [&add](const char *name, const std::optional<std::string> &value) {
        add(name, ValueType::text, value ? Cell(*value) : Cell{});
    };
    const auto whole = [&add](const char *name, std::uint64_t value) {
        add(name, ValueType::integer, value);
    };
    const auto time = [&add](const char *name, const std::optional<Time> &value) {
        add(name, ValueType::integer, value ? Cell(to_ns(*value)) : Cell{});
    };
    text("file", c.path);
    text("sha256", r.sha256);
    add("complete", ValueType::boolean, c.info.complete);
    whole("packets", c.info.frames);
    whole("bytes", c.info.bytes);
    whole("cut_packets", c.info.cut_frames);
    time("first_time_ns", c.info.first_time);
    time("last_time_ns", c.info.last_time);
    whole("tcp_connections", c.tcp_connections);
    whole("iscsi_connections", read.connections);
    whole("iscsi_bytes", read.stream_bytes);
    whole("cut_bytes", read.cut_bytes);
    whole("unseen_bytes", read.unseen_bytes);
    whole("skipped_bytes", read.skipped_bytes);
    whole("pdus", read.pdus);
    whole("inferred_pdus", read.inferred_pdus);
    whole("unfinished_pdus", read.unfinished_pdus);
    whole("resyncs", read.resyncs);
    whole("anomalies", anomaly_count(r));
    whole("tasks", tasks.count);
    whole("complete_tasks", tasks.complete);
    whole("failed_logins", r.failed_logins);
    return t;
}

} // namespace iscsiscope

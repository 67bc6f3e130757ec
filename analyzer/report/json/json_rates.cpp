// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/figures/rates.h"

#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/report/json/json_parts.h"

namespace iscsiscope {
namespace {

// What passed on the wire is stated of Reads and Writes together, not of LUNs.
void write_members(JsonWriter &w, const RateRow &row) {
    const Rates &rates = row.rates;
    w.add("tasks", rates.tasks);
    w.add("bytes", rates.bytes);
    w.add("data_time_ns", rates.data_time);
    w.add("data_time_uncertain_ns", rates.uncertain);
    w.add("range_ns", rates.range);
    w.add("throughput", rates.throughput);
    w.add("average_throughput", rates.average_throughput);
    w.add("iops", rates.iops);
    w.add("average_iops", rates.average_iops);
    w.add("outstanding", rates.outstanding);
    if (row.type == "both" && !row.lun) {
        w.add("wire_bytes", rates.wire_bytes);
        w.add("wire_rate", rates.wire_rate);
    }
}

void write_rows(JsonWriter &w, std::string_view key, const std::vector<RateRow> &rows, bool of_luns) {
    w.open_array(key);
    for (const RateRow &row : rows) {
        if (!row.session || row.lun.has_value() != of_luns)
            continue;
        w.open_object();
        w.add("session", row.session);
        if (row.lun)
            w.add("lun", to_string(Lun{*row.lun}));
        w.add("type", row.type);
        write_members(w, row);
        w.close();
    }
    w.close();
}

void write_wire(JsonWriter &w, const WireTally &t) {
    w.open_object("wire");
    w.add("bytes_to_target", t.to_target());
    w.add("bytes_to_initiator", t.to_initiator());
    w.add("unseen_bytes", t.unseen);
    w.add("wire_range_ns", t.range());
    w.add("flow_time_ns", t.flowing);
    w.add("average_wire_rate", t.average_rate());
    w.add("flow_rate", t.flow_rate());
    w.close();
}

} // namespace

// The rates of each session and LUN as rows, and those of all sessions together under their types.
void write_rates(JsonWriter &w, std::string_view key, const Report &r) {
    const std::vector<RateRow> rows = rate_rows(r);
    w.open_object(key);
    write_rows(w, "sessions", rows, false);
    write_rows(w, "luns", rows, true);
    w.add("tasks_known", tasks_known(r));
    write_wire(w, r.wire);
    for (const RateRow &row : rows) {
        if (row.session)
            continue;
        w.open_object(row.type);
        write_members(w, row);
        w.close();
    }
    w.close();
}

} // namespace iscsiscope

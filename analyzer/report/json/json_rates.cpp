// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/figures/rates.h"

#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/report/json/json_parts.h"

namespace iscsiscope {
namespace {

Json rates_json(const Rates &rates) {
    return {{"tasks", rates.tasks},
            {"bytes", rates.bytes},
            {"data_time_ns", duration_json(rates.data_time)},
            {"data_time_uncertain_ns", to_ns(rates.uncertain)},
            {"range_ns", duration_json(rates.range)},
            {"throughput", optional_json(rates.throughput)},
            {"average_throughput", optional_json(rates.average_throughput)},
            {"iops", optional_json(rates.iops)},
            {"average_iops", optional_json(rates.average_iops)},
            {"outstanding", optional_json(rates.outstanding)}};
}

} // namespace

// The rates of all sessions together under their types, and those of each session and LUN as rows. What
// passed on the wire is stated of Reads and Writes together, not of LUNs.
Json rates_json(const Report &r) {
    const WireRates w = wire_rates(r);
    Json j = {{"sessions", Json::array()},
              {"luns", Json::array()},
              {"tasks_known", tasks_known(r)},
              {"wire",
               {{"bytes_to_target", w.bytes_to_target},
                {"bytes_to_initiator", w.bytes_to_initiator},
                {"unseen_bytes", w.unseen_bytes},
                {"wire_range_ns", duration_json(w.range)},
                {"flow_time_ns", to_ns(w.flow_time)},
                {"average_wire_rate", optional_json(w.average_rate)},
                {"flow_rate", optional_json(w.flow_rate)}}}};
    for (const RateRow &row : rate_rows(r)) {
        const std::string type(row.type);
        Json figures = rates_json(row.rates);
        if (type == "both" && !row.lun) {
            figures["wire_bytes"] = optional_json(row.rates.wire_bytes);
            figures["wire_rate"] = optional_json(row.rates.wire_rate);
        }
        if (!row.session) {
            j[type] = std::move(figures);
            continue;
        }
        Json one = {{"session", *row.session}};
        if (row.lun)
            one["lun"] = to_string(Lun{*row.lun});
        one["type"] = type;
        one.update(figures);
        j[row.lun ? "luns" : "sessions"].push_back(std::move(one));
    }
    return j;
}

} // namespace iscsiscope

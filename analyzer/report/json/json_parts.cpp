// SPDX-License-Identifier: GPL-2.0-or-later
// What several parts of the report have.
#include "analyzer/report/json/json_parts.h"

#include <algorithm>
#include <fmt/format.h>

namespace iscsiscope {

JsonQuantiles json_quantiles(const std::vector<double> &quantiles) {
    JsonQuantiles all;
    for (const double q : quantiles) {
        JsonQuantile one{fmt::format("{:g}", q), q};
        const auto same = std::find_if(all.begin(), all.end(),
                                       [&](const JsonQuantile &other) { return other.key == one.key; });
        if (same != all.end())
            *same = std::move(one);
        else
            all.push_back(std::move(one));
    }
    return all;
}

void write_distribution(JsonWriter &w, std::string_view key, const Histogram &h,
                        const JsonQuantiles &quantiles) {
    w.open_object(key);
    w.add("count", h.count());
    w.add("sum_ns", h.sum());
    w.add("min_ns", h.minimum());
    w.add("mean_ns", h.mean());
    w.add("max_ns", h.maximum());
    w.open_object("quantiles_ns");
    for (const JsonQuantile &q : quantiles)
        w.add(q.key, h.quantile(q.quantile));
    w.close();
    w.close();
}

void write_cells(JsonWriter &w, const Table &table, const void *row) {
    Scratch scratch;
    for (const Column &c : table.columns)
        w.add(c.name, c.get(row, scratch));
}

void write_row(JsonWriter &w, std::string_view key, const Table &table, const void *row) {
    w.open_object(key);
    write_cells(w, table, row);
    w.close();
}

void write_spread(JsonWriter &w, std::string_view key, const Spread &s) {
    w.open_object(key);
    w.add("members", s.members);
    w.add("sum", s.sum);
    w.add("mean", s.mean);
    w.add("deviation", s.deviation);
    w.add("ratio", s.ratio);
    w.add("jain", s.jain);
    w.close();
}

void write_pdu_counts(JsonWriter &w, std::string_view key, const PduTable &pdus) {
    w.open_object(key);
    for (std::size_t d = 0; d < 2; ++d) {
        w.open_object(d == 0 ? "to_target" : "to_initiator");
        for (std::size_t o = 0; o < 64; ++o) {
            if (pdus[d][o] != 0) {
                const auto opcode = static_cast<Opcode>(o);
                w.add(is_known(opcode) ? std::string(name(opcode)) : fmt::format("0x{:02x}", o), pdus[d][o]);
            }
        }
        w.close();
    }
    w.close();
}

} // namespace iscsiscope

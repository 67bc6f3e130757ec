// SPDX-License-Identifier: GPL-2.0-or-later
// Functions that write the report's types as members of the open object; with an empty key, as elements of
// the open array. A value that is not known is null.
#pragma once

#include "analyzer/figures/report.h"
#include "analyzer/query/column.h"
#include "analyzer/report/json/json_writer.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

inline std::optional<std::string_view> known_text(std::string_view s) {
    return s.empty() ? std::nullopt : std::optional(s);
}

template <class T>
std::optional<T> known_if(bool known, T value) {
    return known ? std::optional<T>(std::move(value)) : std::nullopt;
}

// The quantiles of a distribution, each with its key.
struct JsonQuantile {
    std::string key;
    double quantile = 0;
};
using JsonQuantiles = std::vector<JsonQuantile>;
// Of quantiles with the same key the last one counts.
JsonQuantiles json_quantiles(const std::vector<double> &);

// A distribution of times. Of an empty histogram the count is 0 and all other values are null.
void write_distribution(JsonWriter &, std::string_view key, const Histogram &, const JsonQuantiles &);

// A record as an object whose keys are the columns of its table.
void write_row(JsonWriter &, std::string_view key, const Table &, const void *row);
void write_cells(JsonWriter &, const Table &, const void *row); // these members alone

void write_parts(JsonWriter &, std::string_view key, const CycleParts &);
// The members that state the tasks on which a model rests, their bytes and their data time.
void write_model_basis(JsonWriter &, const ModelInput &);
void write_verdicts(JsonWriter &, std::string_view key, const std::vector<KeyVerdict> &);
void write_findings(JsonWriter &, std::string_view key, const Report &);
void write_ruled_out(JsonWriter &, std::string_view key, const Report &);
void write_verdict(JsonWriter &, std::string_view key, const Report &);
void write_rates(JsonWriter &, std::string_view key, const Report &);
void write_models(JsonWriter &, std::string_view key, const Report &);
void write_range(JsonWriter &, std::string_view key, const Report &); // null if there is no range
void write_capture(JsonWriter &, std::string_view key, const Report &);
void write_coverage(JsonWriter &, std::string_view key, const Report &);
void write_left_out(JsonWriter &, std::string_view key, const Report &);
void write_login(JsonWriter &, const Login &); // its members alone
using PduTable = std::array<std::array<std::uint64_t, 64>, 2>;
void write_pdu_counts(JsonWriter &, std::string_view key, const PduTable &);
void write_time_shares(JsonWriter &, std::string_view key, const ActiveTime &);
void write_sessions(JsonWriter &, std::string_view key, const Report &, const JsonQuantiles &);
void write_tasks(JsonWriter &, std::string_view key, const Report &);
void write_cycles(JsonWriter &, std::string_view key, const Report &, const JsonQuantiles &);
void write_session_figures(JsonWriter &, std::string_view key, const Report &, const JsonQuantiles &);
void write_spread(JsonWriter &, std::string_view key, const Spread &);
void write_throughput(JsonWriter &, const SessionFigures &);

} // namespace iscsiscope

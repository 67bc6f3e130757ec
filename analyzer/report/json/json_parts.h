// SPDX-License-Identifier: GPL-2.0-or-later
// Functions that make JSON values of the report's types; a value that is not known is null.
#pragma once

#include "analyzer/figures/report.h"
#include "analyzer/query/column.h"
#include "analyzer/report/json/json_library.h"

#include <fmt/format.h>

namespace iscsiscope {

using Json = nlohmann::ordered_json;

template <class T>
Json optional_json(const std::optional<T> &v) {
    return v ? Json(*v) : Json(nullptr);
}

inline Json time_json(const std::optional<Time> &t) {
    return t ? Json(to_ns(*t)) : Json(nullptr);
}

inline Json duration_json(const std::optional<Duration> &d) {
    return d ? Json(to_ns(*d)) : Json(nullptr);
}

inline Json text_json(const std::string &s) {
    return s.empty() ? Json(nullptr) : Json(s);
}

// Returns a distribution of times. Of an empty histogram the count is 0 and all other values are null.
inline Json distribution(const Histogram &h, const std::vector<double> &quantiles) {
    Json j;
    j["count"] = h.count();
    j["sum_ns"] = h.sum();
    j["min_ns"] = optional_json(h.minimum());
    j["mean_ns"] = optional_json(h.mean());
    j["max_ns"] = optional_json(h.maximum());
    Json &q = j["quantiles_ns"] = Json::object();
    for (const double each : quantiles)
        q[fmt::format("{:g}", each)] = optional_json(h.quantile(each));
    return j;
}

// Returns the value as text, indented by two. Bytes of texts that are not UTF-8 are escaped (utf8.h).
std::string json_text(const Json &);

// Returns a record as an object whose keys are the columns of its table.
Json row_json(const Table &, const void *row);

Json parts_json(const CycleParts &);
// Adds the tasks on which a model rests, their bytes and their data time.
void model_basis_json(Json &, const ModelInput &);
Json verdicts_json(const std::vector<KeyVerdict> &);
Json findings_json(const Report &);
Json ruled_out_json(const Report &);
Json verdict_json(const Report &);
Json rates_json(const Report &);
Json models_json(const Report &);
Json range_json(const Report &); // null if there is no range
Json capture_json(const Report &);
Json coverage_json(const Report &);

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// Predictions as text and as JSON.
#pragma once

#include "analyzer/figures/report.h"
#include "analyzer/model/model.h"
#include "analyzer/report/text/text_page.h"

#include <string>
#include <vector>

namespace iscsiscope {

// The prediction for Reads or for Writes.
struct PredictionRow {
    ModelRow model;
    std::vector<Change> changes;
    Prediction prediction;
};

std::string prediction_text(const Report &, const std::vector<PredictionRow> &, const TextStyle &);
std::string prediction_json(const Report &, const std::vector<PredictionRow> &);

} // namespace iscsiscope

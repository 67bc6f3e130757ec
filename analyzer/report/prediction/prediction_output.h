// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/figures/report.h"
#include "analyzer/model/model.h"
#include "analyzer/report/text/text_page.h"

#include <string>
#include <vector>

namespace iscsiscope {

// What `predict` says of Reads, of Writes.
struct PredictionRow {
    ModelRow model;
    std::vector<Change> changes;
    Prediction prediction;
};

std::string prediction_text(const Report &, const std::vector<PredictionRow> &, const TextStyle &);
std::string prediction_json(const Report &, const std::vector<PredictionRow> &);

} // namespace iscsiscope

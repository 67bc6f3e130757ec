// SPDX-License-Identifier: GPL-2.0-or-later
// PredictionModel holds the settings of the model with their scales, and the prediction for their present
// values.
#pragma once

#include "gui/document/document.h"

#include "analyzer/model/model.h"

#include <QObject>

namespace iscsiscope::gui {

// The scale of a slider: its values, mostly by equal factors.
struct SettingScale {
    SettingName setting{};
    QString title;
    std::vector<double> values; // ascending; the unit is the setting's
    std::size_t present = 0;    // nearest to what was measured
    QString wordsOf(std::size_t step) const;
};

class PredictionModel : public QObject {
    Q_OBJECT
public:
    explicit PredictionModel(Document &, QObject *parent = nullptr);

    // Reads and writes as the report models them.
    const std::vector<ModelRow> &rows() const { return report_->models; }
    int row() const { return row_; }
    void setRow(int);
    const std::vector<SettingScale> &settings() const { return settings_; }
    std::size_t step(std::size_t setting) const { return steps_[setting]; }
    void setStep(std::size_t setting, std::size_t step);
    void reset();
    std::vector<Change> changes() const; // of the settings that were moved
    const std::optional<Prediction> &prediction() const { return prediction_; }

signals:
    void scalesChanged();
    void predictionChanged();

private:
    void makeScales();
    void predictNow();

    Document &document_;
    ReportPtr report_;
    int row_ = 0;
    std::vector<SettingScale> settings_;
    std::vector<std::size_t> steps_;
    std::optional<Prediction> prediction_;
};

QString bottleneckWords(Bottleneck);

} // namespace iscsiscope::gui

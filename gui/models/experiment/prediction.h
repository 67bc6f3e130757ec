// SPDX-License-Identifier: GPL-2.0-or-later
// PredictionModel holds the settings of the model with their scales, and the prediction for their present
// values: that of `iscsiscope predict` with the same --set options.
#pragma once

#include "gui/document/document.h"

#include "analyzer/model/model.h"

#include <QObject>

namespace iscsiscope::gui {

// The scale of a slider, or of a switch: its values, mostly by equal factors.
struct SettingScale {
    SettingName setting{};
    QString title;
    std::vector<double> values;              // ascending; the unit is the setting's
    std::size_t present = 0;                 // what is in force, or nearest to what was measured
    bool isSwitch = false;                   // the values are 0 and 1, for No and Yes
    QString wordsOf(std::size_t step) const; // with its unit
};

// The best value of one setting, all others as they are set.
struct BestValue {
    KeyVerdict verdict;
    std::optional<SettingName> setting; // none: the model cannot change it
    bool isKey = false;                 // a key of the login, not a setting of host or path
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

    // Whether the model describes what was measured well enough to judge settings.
    bool judges() const;
    // Which setting would give more from here: with the settings that were moved. Without a move these are
    // the verdicts of `iscsiscope predict`.
    const std::vector<BestValue> &bestValues() const { return bestValues_; }
    // The one that gives most; of the login's keys only, if asked so. Null: none gives more than 1 %.
    const BestValue *best(bool keysOnly) const;
    // The prediction with the moved settings and this value.
    std::optional<Prediction> with(const BestValue &) const;

    // Sentences on settings that do not go together or have no effect as they are set.
    QStringList notes() const;
    // The same prediction on the command line; empty: it takes one file, and there are several or none.
    QString commandLine() const;

signals:
    void scalesChanged();
    void predictionChanged();

private:
    void makeScales();
    void predictNow();
    void findBestValues();
    std::optional<double> valueOf(SettingName) const; // as it is set now

    Document &document_;
    ReportPtr report_;
    int row_ = 0;
    std::vector<SettingScale> settings_;
    std::vector<std::size_t> steps_;
    std::optional<Prediction> prediction_;
    std::vector<BestValue> bestValues_;
};

QString bottleneckWords(Bottleneck);     // "the rate of the path"
QString certaintyWords(Certainty);       // a sentence: how sure a throughput is
QString settingTitle(SettingName);       // "Block size", "MaxBurstLength"
QString settingArgument(const Change &); // for --set: "MaxBurstLength=131072"

} // namespace iscsiscope::gui

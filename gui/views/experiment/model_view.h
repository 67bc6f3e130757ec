// SPDX-License-Identifier: GPL-2.0-or-later
// The model view: measured and modelled throughput, and predictions for settings that sliders change.
#pragma once

#include "gui/models/experiment/prediction.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QSlider;
class QTableWidget;
class QCustomPlot;

namespace iscsiscope::gui {

class ModelView : public QWidget {
    Q_OBJECT
public:
    explicit ModelView(Document &, QWidget *parent = nullptr);
    PredictionModel &prediction() { return model_; }
    QSlider *slider(SettingName) const;     // null: the model has no such setting, or it is a switch
    QCheckBox *switchOf(SettingName) const; // null: the model has no such setting, or it is a slider
    QTableWidget &keys() { return *keys_; }
    QString bestWords() const; // which value is best, and how sure that is
    QString noteWords() const; // what does not go together

protected:
    void changeEvent(QEvent *) override;

private:
    void rebuildSliders();
    void addSlider(std::size_t setting);
    void addSwitch(std::size_t setting);
    void showPrediction();
    void showSettings();
    void showSummary();
    void showParts();
    void showKeys();
    QString bestLine(const BestValue &) const;

    PredictionModel model_;
    QComboBox *type_;
    QWidget *sliders_;
    QFormLayout *form_;
    std::vector<QSlider *> sliderOf_;      // by setting; null: a switch
    std::vector<QCheckBox *> switchOf_;    // by setting; null: a slider
    std::vector<QLabel *> values_, names_; // by setting
    QLabel *notes_, *summary_, *best_, *remarks_;
    QLineEdit *command_;
    QCustomPlot *plot_;
    QTableWidget *keys_;
};

} // namespace iscsiscope::gui

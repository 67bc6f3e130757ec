// SPDX-License-Identifier: GPL-2.0-or-later
// The model view: measured and modelled throughput, and predictions for settings that sliders change.
#pragma once

#include "gui/models/experiment/prediction.h"

#include <QWidget>

class QComboBox;
class QFormLayout;
class QLabel;
class QSlider;
class QTableWidget;
class QCustomPlot;

namespace iscsiscope::gui {

class ModelView : public QWidget {
    Q_OBJECT
public:
    explicit ModelView(Document &, QWidget *parent = nullptr);
    PredictionModel &prediction() { return model_; }
    QSlider *slider(SettingName) const; // null: the model has no such setting

protected:
    void changeEvent(QEvent *) override;

private:
    void rebuildSliders();
    void showPrediction();

    PredictionModel model_;
    QComboBox *type_;
    QWidget *sliders_;
    QFormLayout *form_;
    std::vector<QSlider *> list_;
    std::vector<QLabel *> values_;
    QLabel *summary_, *remarks_;
    QCustomPlot *plot_;
    QTableWidget *keys_;
};

} // namespace iscsiscope::gui

// SPDX-License-Identifier: GPL-2.0-or-later
// Shows the figures of two captures of the same traffic: clocks, one-way delays, segments lost between them.
#pragma once

#include "gui/models/compare/paired_ends.h"

#include <QWidget>

class QCustomPlot;
class QLabel;
class QTableView;

namespace iscsiscope::gui {

class EndsPanel : public QWidget {
    Q_OBJECT
public:
    explicit EndsPanel(QWidget *parent = nullptr);
    void setEnds(PairedEndsPtr, const QString &first, const QString &second); // names of the captures
    const EndsModel &model() const { return model_; }

signals:
    void frameWanted(quint64 frame); // of the first capture

protected:
    void changeEvent(QEvent *) override;

private:
    void draw();
    QString lossWords(const PairedEnds &) const;

    EndsModel model_;
    QLabel *words_, *more_;
    QTableView *table_;
    QWidget *plotPlace_;
    QCustomPlot *plot_;
};

} // namespace iscsiscope::gui

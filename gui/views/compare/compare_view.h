// SPDX-License-Identifier: GPL-2.0-or-later
// The compare view: the open capture and another side by side. Two captures with the same connections are two
// ends of one run; then the figures of the pair are shown too (EndsPanel).
#pragma once

#include "gui/models/compare/compare_model.h"
#include "gui/models/compare/paired_ends.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QSplitter;
class QTableView;
class QCustomPlot;
class QGroupBox;

namespace iscsiscope::gui {

class ChangesPanel;
class EndsPanel;

class CompareView : public QWidget {
    Q_OBJECT
public:
    explicit CompareView(Document &, QWidget *parent = nullptr);
    // Reads the other capture in the background.
    void setOther(const CaptureFiles &);
    // The open capture becomes the other one, and the other way round.
    void swapSides();
    const CompareModel &model() const { return model_; }
    EndsPanel &endsPanel() { return *endsPanel_; }
    const PairedEndsPtr &ends() const; // null: the captures are not two ends of one run
    bool pending() const { return job_.running() || endsJob_.running(); }

signals:
    void failed(const QString &);
    void compared();
    void frameWanted(quint64 frame); // of the first capture

protected:
    void changeEvent(QEvent *) override;

private:
    void refresh();
    void readOther();
    bool scoped() const; // whether range or filters are set
    void showTitle();
    void lookForEnds();
    void drawDistributions();

    Document &document_;
    CompareModel model_;
    LatestJob job_, endsJob_;
    CaptureFiles other_;
    std::weak_ptr<const Snapshot> endsOf_; // the snapshot and the report that ends() was made for
    std::weak_ptr<const Report> endsWith_;
    ReportPtr otherWhole_, otherReport_; // the latter of the range and for the filters
    QLabel *title_, *sentence_, *hidden_;
    QPushButton *swap_;
    QTableView *table_;
    CompareRows *proxy_;
    ChangesPanel *changes_;
    QSplitter *split_;
    QWidget *plotPlace_;
    QCustomPlot *plot_;
    QGroupBox *endsBox_;
    EndsPanel *endsPanel_;
};

} // namespace iscsiscope::gui

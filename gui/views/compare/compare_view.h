// SPDX-License-Identifier: GPL-2.0-or-later
// The compare view: the open capture and another side by side. Two captures with the same connections are two
// ends of one run; then the figures of the pair are shown too (EndsPanel).
#pragma once

#include "gui/models/compare/compare_model.h"
#include "gui/models/compare/paired_ends.h"

#include <QWidget>

class QLabel;
class QSortFilterProxyModel;
class QTableView;
class QCustomPlot;
class QGroupBox;

namespace iscsiscope::gui {

class EndsPanel;

class CompareView : public QWidget {
    Q_OBJECT
public:
    explicit CompareView(Document &, QWidget *parent = nullptr);
    // Reads the other capture in the background.
    void setOther(const QString &file);
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
    void showTitle();
    void lookForEnds();
    void drawDistributions();

    Document &document_;
    CompareModel model_;
    LatestJob job_, endsJob_;
    QString other_;
    std::weak_ptr<const Snapshot> endsOf_; // the snapshot and the report that ends() was made for
    std::weak_ptr<const Report> endsWith_;
    ReportPtr otherReport_;
    QLabel *title_;
    QTableView *table_;
    QSortFilterProxyModel *proxy_;
    QWidget *plotPlace_;
    QCustomPlot *plot_;
    QGroupBox *endsBox_;
    EndsPanel *endsPanel_;
};

} // namespace iscsiscope::gui

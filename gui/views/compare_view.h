// SPDX-License-Identifier: GPL-2.0-or-later
// Two captures side by side: the one that is open, and another.
#pragma once

#include "gui/models/compare_model.h"

#include <QWidget>

class QLabel;
class QSortFilterProxyModel;
class QTableView;
class QCustomPlot;

namespace iscsiscope::gui {

class CompareView : public QWidget {
    Q_OBJECT
public:
    explicit CompareView(Document &, QWidget *parent = nullptr);
    // Reads the other capture in the background.
    void setOther(const QString &file);
    const CompareModel &model() const { return model_; }
    bool pending() const { return job_.running(); }

signals:
    void failed(const QString &);
    void compared();

protected:
    void changeEvent(QEvent *) override;

private:
    void refresh();
    void drawDistributions();

    Document &document_;
    CompareModel model_;
    LatestJob job_;
    QString other_;
    ReportPtr otherReport_;
    QLabel *title_;
    QTableView *table_;
    QSortFilterProxyModel *proxy_;
    QCustomPlot *plot_;
};

} // namespace iscsiscope::gui

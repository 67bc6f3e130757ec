// SPDX-License-Identifier: GPL-2.0-or-later
// ChangesPanel shows what else changed from one capture to the other: whose the busy time is, findings,
// settings.
#pragma once

#include "gui/document/report_maker.h"
#include "gui/models/time_split.h"

#include "analyzer/figures/compare/comparison.h"

#include <QWidget>

class QTreeWidget;

namespace iscsiscope::gui {

// The busy time of both captures by owner, drawn to one scale.
class OwnersChange : public QWidget {
    Q_OBJECT
public:
    explicit OwnersChange(QWidget *parent = nullptr);
    void setReports(const ReportPtr &first, const ReportPtr &second);
    QString words() const; // of what is drawn, for those who cannot see it
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {220, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent *) override;
    bool event(QEvent *) override;

private:
    TimeBar bars_[2];
    std::vector<std::pair<QRect, QString>> tips_;
};

class ChangesPanel : public QWidget {
    Q_OBJECT
public:
    explicit ChangesPanel(QWidget *parent = nullptr);
    void setReports(const ReportPtr &first, const ReportPtr &second, const Comparison &);
    OwnersChange &owners() { return *owners_; }

private:
    OwnersChange *owners_;
    QTreeWidget *lists_;
};

} // namespace iscsiscope::gui

// SPDX-License-Identifier: GPL-2.0-or-later
// CompareModel shows the figures that both reports have, side by side, by their names in the expression
// language.
#pragma once

#include "gui/document/document.h"

#include <QAbstractTableModel>

namespace iscsiscope::gui {

class CompareModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, First, Second, Difference, Ratio, ColumnCount };
    static constexpr int RawRole = Qt::UserRole; // double; invalid where not known

    using QAbstractTableModel::QAbstractTableModel;
    void setReports(ReportPtr first, ReportPtr second);
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation, int role = Qt::DisplayRole) const override;

private:
    struct Line {
        QString name;
        Unit unit{};
        std::optional<double> first, second;
    };
    std::vector<Line> lines_;
};

} // namespace iscsiscope::gui

// SPDX-License-Identifier: GPL-2.0-or-later
// CompareModel: the figures of two captures side by side, those of `iscsiscope compare`, what changed most
// first.
#pragma once

#include "gui/document/document.h"

#include "analyzer/figures/compare/comparison.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

namespace iscsiscope::gui {

class CompareModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Of, Name, First, Second, Change, Meaning, ColumnCount };
    // RawRole: a double or, of Name, the figure's name as in the command line's JSON; invalid where not
    // known. SizeRole: the change as sizeOf() has it. DiffersRole: whether it is worth a look
    // (difference_words.h).
    enum Role { RawRole = Qt::UserRole, SizeRole, DiffersRole };

    using QAbstractTableModel::QAbstractTableModel;
    void setReports(const ReportPtr &first, const ReportPtr &second);
    const Comparison &comparison() const { return comparison_; }
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation, int role = Qt::DisplayRole) const override;

    // How much a figure changed, 0 to 1: by which part the smaller value is below the larger; shares by their
    // difference. Empty if one of them is not known.
    static std::optional<double> sizeOf(const Difference &);

private:
    Comparison comparison_;
};

// The rows whose name has the text, without those that hardly differ unless they are wanted.
class CompareRows : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit CompareRows(QObject *parent = nullptr);
    void setText(const QString &);
    void setAll(bool);
    int hidden() const; // rows that hardly differ and are not shown for that

protected:
    bool filterAcceptsRow(int row, const QModelIndex &parent) const override;
    bool lessThan(const QModelIndex &, const QModelIndex &) const override;

private:
    QString text_;
    bool all_ = false;
};

} // namespace iscsiscope::gui

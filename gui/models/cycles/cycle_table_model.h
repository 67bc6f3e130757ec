// SPDX-License-Identifier: GPL-2.0-or-later
// CycleTableModel shows the cycles that filters and range select, with the columns of `iscsiscope cycles`.
#pragma once

#include "gui/document/document.h"

#include <QAbstractTableModel>

namespace iscsiscope::gui {

class CycleTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    // The text that `iscsiscope cycles` prints; used by the CSV export and by tests.
    static constexpr int ExactRole = Qt::UserRole;

    explicit CycleTableModel(Document &, QObject *parent = nullptr);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation, int role = Qt::DisplayRole) const override;
    // Sorts in the background; the old order stays until then.
    void sort(int column, Qt::SortOrder = Qt::AscendingOrder) override;
    bool sorting() const { return job_.running(); }
    int sortColumn() const { return sortColumn_; }
    Qt::SortOrder sortOrder() const { return sortOrder_; }

    // Returns the row in the store.
    Row cycleAt(int row) const { return (*rows_)[static_cast<std::size_t>(row)]; }
    // Returns -1 if the cycle is not shown. Searches all rows when they are sorted.
    int rowOf(Row cycle) const;
    int columnOf(QStringView name) const; // -1: none

    // The snapshot shown, and its rows in the order shown.
    const SnapshotPtr &snapshot() const { return snapshot_; }
    const Matches &rows() const { return rows_; }

signals:
    void sortingChanged();

private:
    void refresh();

    Document &document_;
    SnapshotPtr snapshot_; // that rows_ belong to
    Matches rows_;
    int sortColumn_ = -1; // order of arrival
    Qt::SortOrder sortOrder_ = Qt::AscendingOrder;
    LatestJob job_;
    mutable Row cachedRow_ = 0xffffffffU;
    mutable CycleRecord cached_;
};

} // namespace iscsiscope::gui

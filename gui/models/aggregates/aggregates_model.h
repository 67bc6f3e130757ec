// SPDX-License-Identifier: GPL-2.0-or-later
// AggregatesModel shows the aggregates of the cycles that range, filters and brush select, a group a line.
// They are made in the background; those before stay until then.
#pragma once

#include "gui/models/aggregates/aggregates.h"
#include "gui/models/aggregates/cycle_brush.h"

#include <QAbstractTableModel>

namespace iscsiscope::gui {

class AggregatesModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column : std::uint8_t {
        Group,
        Type,
        Cycles,
        Answered,
        Bytes,
        TimeSum,
        Least,
        P50,
        P90,
        P99,
        Most,
        ColumnCount
    };
    static constexpr int RawRole = Qt::UserRole;        // a number; invalid: not known
    static constexpr int FilterRole = Qt::UserRole + 1; // the expression of the group's cycles

    AggregatesModel(Document &, CycleBrush &, QObject *parent = nullptr);

    Grouping grouping() const { return grouping_; }
    void setGrouping(Grouping);
    const Aggregates &aggregates() const { return made_; }
    bool pending() const { return job_.running(); }
    // Adds the filter of the group, and keeps the brush that the group is of.
    void filterGroup(int row);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation, int role = Qt::DisplayRole) const override;
    void sort(int column, Qt::SortOrder = Qt::AscendingOrder) override;

private:
    void refresh();
    void order();
    QString groupWords(const AggregateRow &) const;
    QVariant raw(const AggregateRow &, int column) const;

    Document &document_;
    CycleBrush &brush_;
    Grouping grouping_ = Grouping::type;
    Aggregates made_;
    SnapshotPtr snapshot_; // that they are of
    int sortColumn_ = -1;
    Qt::SortOrder sortOrder_ = Qt::AscendingOrder;
    LatestJob job_;
};

QString groupingWords(Grouping); // "type", "LUN" …

} // namespace iscsiscope::gui

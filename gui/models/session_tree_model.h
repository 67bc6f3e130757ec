// SPDX-License-Identifier: GPL-2.0-or-later
// SessionTreeModel is the tree of sessions, their connections and LUNs with their figures.
#pragma once

#include "gui/models/tree_figures.h"

#include <QAbstractItemModel>

namespace iscsiscope::gui {

class SessionTreeModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { Name, Tasks, Bytes, Iops, Rate, Median, P99, Idle, SentAgain, Spark, ColumnCount };
    // Spark: QVariantList of bytes in sparkPoints stretches. Filter: expression that picks the row's cycles.
    enum Role { SparkRole = Qt::UserRole, FilterRole, RawRole };

    explicit SessionTreeModel(Document &, QObject *parent = nullptr);

    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &) const override;
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation, int role = Qt::DisplayRole) const override;

private:
    struct Node {
        QString name, toolTip, filter, busy; // busy: busy time and its owners, in words
        const TreeTally *tally = nullptr;
        SessionId session;
        std::optional<double> idle;
        std::uint64_t sentAgain = 0; // segments, both directions
        int parent = -1;             // index into nodes_
        std::vector<int> children;
        int place = 0; // among its siblings
    };
    void refresh();
    void rebuild();
    int add(int parent, Node);
    const Node *node(const QModelIndex &) const;

    Document &document_;
    LatestJob job_;
    SnapshotPtr snapshot_;
    std::shared_ptr<const Report> report_;
    std::shared_ptr<const TreeFigures> figures_;
    std::vector<Node> nodes_;
    std::vector<int> roots_;
};

} // namespace iscsiscope::gui

// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/aggregates/aggregates_model.h"

#include "analyzer/base/number_format.h"
#include "analyzer/query/cell.h"
#include "gui/models/words.h"

#include <algorithm>

namespace iscsiscope::gui {

QString groupingWords(Grouping g) {
    const QString words[] = {AggregatesModel::tr("type"),       AggregatesModel::tr("LUN"),
                             AggregatesModel::tr("connection"), AggregatesModel::tr("session"),
                             AggregatesModel::tr("size"),       AggregatesModel::tr("outcome")};
    return words[static_cast<std::size_t>(g)];
}

AggregatesModel::AggregatesModel(Document &document, CycleBrush &brush, QObject *parent)
    : QAbstractTableModel(parent), document_(document), brush_(brush), snapshot_(document.snapshot()) {
    connect(&document, &Document::matchesChanged, this, &AggregatesModel::refresh);
    connect(&brush, &CycleBrush::changed, this, &AggregatesModel::refresh);
    refresh();
}

void AggregatesModel::setGrouping(Grouping g) {
    if (g == grouping_)
        return;
    grouping_ = g;
    refresh();
}

void AggregatesModel::refresh() {
    job_.run(
        this,
        [snapshot = document_.snapshot(), rows = document_.matches(), box = brush_.box(),
         by = grouping_](const std::atomic<bool> &stop) {
            return std::pair(snapshot, aggregate(*snapshot, *rows, box, by, stop));
        },
        [this](std::pair<SnapshotPtr, Aggregates> result) {
            beginResetModel();
            snapshot_ = std::move(result.first);
            made_ = std::move(result.second);
            order();
            endResetModel();
        });
}

void AggregatesModel::filterGroup(int row) {
    const QString filter = index(row, Group).data(FilterRole).toString();
    if (filter.isEmpty())
        return;
    brush_.keep();
    document_.addFilter(filter);
}

int AggregatesModel::rowCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : static_cast<int>(made_.rows.size());
}

int AggregatesModel::columnCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QString AggregatesModel::groupWords(const AggregateRow &row) const {
    switch (made_.grouping) {
    case Grouping::type:
        return tr("all");
    case Grouping::lun: {
        Scratch scratch;
        return tr("LUN %1 of session %2").arg(words(lun_cell(row.key, scratch))).arg(row.session);
    }
    case Grouping::connection: {
        const auto at = snapshot_->tables.streams.find(StreamId{row.key});
        return at != snapshot_->tables.streams.end()
                   ? connectionWords(at->first, at->second.initiator, at->second.target)
                   : tr("connection %1").arg(row.key);
    }
    case Grouping::session:
        return tr("session %1").arg(row.key);
    case Grouping::size:
        if (row.key == size_class_count)
            return tr("size not known");
        if (row.key == 0)
            return tr("0 B");
        if (row.key < 3)
            return QString::fromStdString(human::block(row.key));
        return tr("above %1 to %2")
            .arg(QString::fromStdString(human::block(std::uint64_t{1} << (row.key - 2))),
                 QString::fromStdString(human::block(std::uint64_t{1} << (row.key - 1))));
    case Grouping::outcome:
        return words(name(static_cast<TaskOutcome>(row.key))).replace('_', ' ');
    }
    return {};
}

QVariant AggregatesModel::raw(const AggregateRow &row, int column) const {
    const auto time = [](const std::optional<Duration> &d) {
        return d ? QVariant::fromValue<qlonglong>(to_ns(*d)) : QVariant();
    };
    switch (column) {
    case Group:
        return QVariant::fromValue<qulonglong>(row.key);
    case Type:
        return static_cast<int>(row.type);
    case Cycles:
        return QVariant::fromValue<qulonglong>(row.count);
    case Answered:
        return QVariant::fromValue<qulonglong>(row.answered);
    case Bytes:
        return QVariant::fromValue<qulonglong>(row.bytes);
    case TimeSum:
        return row.answered > 0 ? time(row.time) : QVariant();
    default:
        return time(row.quantiles[static_cast<std::size_t>(column - Least)]);
    }
}

QVariant AggregatesModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const AggregateRow &row = made_.rows[static_cast<std::size_t>(index.row())];
    if (role == FilterRole)
        return expressionOf(made_.grouping, row);
    if (role == Qt::TextAlignmentRole)
        return QVariant((index.column() <= Type ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    const QVariant value = raw(row, index.column());
    if (role == RawRole)
        return value;
    if (role == Qt::ToolTipRole) {
        return tr("%1\nDouble click: only these cycles, as the filter %2")
            .arg(groupWords(row), expressionOf(made_.grouping, row));
    }
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case Group:
        return groupWords(row);
    case Type:
        return words(name(row.type));
    case Cycles:
    case Answered:
        return countWords(value.toULongLong());
    case Bytes:
        return byteWords(value.toULongLong());
    default:
        return value.isValid() ? durationWords(Duration{value.toLongLong()}) : tr("-");
    }
}

QVariant AggregatesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::DisplayRole) {
        const QString titles[] = {groupingWords(made_.grouping),
                                  tr("type"),
                                  tr("cycles"),
                                  tr("answered"),
                                  tr("bytes"),
                                  tr("time"),
                                  tr("min"),
                                  tr("p50"),
                                  tr("p90"),
                                  tr("p99"),
                                  tr("max")};
        return titles[section];
    }
    if (role == Qt::TextAlignmentRole)
        return QVariant((section <= Type ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::ToolTipRole)
        return {};
    switch (section) {
    case Group:
        return made_.grouping == Grouping::size
                   ? tr("Size class of the report: the bytes that the command expects, by powers of two.")
                   : meaningOf(made_.grouping == Grouping::connection ? "stream"
                               : made_.grouping == Grouping::lun      ? "lun"
                               : made_.grouping == Grouping::session  ? "session"
                               : made_.grouping == Grouping::outcome  ? "outcome"
                                                                      : "type");
    case Type:
        return meaningOf("type");
    case Cycles:
        return meaningOf("cycle");
    case Answered:
        return tr("Cycles whose response time is known. The times of the line are of these.");
    case Bytes:
        return meaningOf("bytes_moved");
    case TimeSum:
        return tr("Sum of the response times. Cycles that overlap count each.");
    default:
        constexpr std::array names{"min_ns", "p50", "p90", "p99", "max"};
        return responseTimeMeaning(names[static_cast<std::size_t>(section - Least)]);
    }
}

void AggregatesModel::sort(int column, Qt::SortOrder order_) {
    sortColumn_ = column;
    sortOrder_ = order_;
    beginResetModel();
    order();
    endResetModel();
}

// What is not known comes last in either order.
void AggregatesModel::order() {
    const auto place = [](const AggregateRow &r) { return std::tie(r.session, r.key, r.type); };
    std::ranges::sort(made_.rows, [&](const AggregateRow &a, const AggregateRow &b) {
        if (sortColumn_ > Group) {
            const QVariant x = raw(a, sortColumn_), y = raw(b, sortColumn_);
            if (x.isValid() != y.isValid())
                return x.isValid();
            if (x.isValid() && x.toLongLong() != y.toLongLong())
                return (x.toLongLong() < y.toLongLong()) == (sortOrder_ == Qt::AscendingOrder);
            return place(a) < place(b);
        }
        return sortColumn_ == Group && sortOrder_ == Qt::DescendingOrder ? place(b) < place(a)
                                                                         : place(a) < place(b);
    });
}

} // namespace iscsiscope::gui

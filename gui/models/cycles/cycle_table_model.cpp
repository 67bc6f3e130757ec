// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/cycles/cycle_table_model.h"

#include "analyzer/report/tables/row_writer.h"
#include "gui/models/words.h"

#include <algorithm>

namespace iscsiscope::gui {
namespace {

const Column &column(int i) {
    return cycle_table().columns[static_cast<std::size_t>(i)];
}

// A cell as one number or text to order rows by; what is not known comes last in either order.
struct Key {
    double number = 0;
    std::string text;
    bool known = false;
};

Key keyOf(const Column &c, const CycleRecord &r, Scratch &scratch) {
    const Value v = c.get(&r, scratch);
    switch (v.type()) {
    case ValueType::unknown:
        return {};
    case ValueType::integer:
        return {static_cast<double>(v.as_integer()), {}, true};
    case ValueType::natural:
        return {static_cast<double>(v.as_natural()), {}, true};
    case ValueType::number:
        return {v.as_number(), {}, true};
    case ValueType::boolean:
        return {v.as_boolean() ? 1.0 : 0.0, {}, true};
    case ValueType::text: {
        std::string text(v.as_text());
        if (c.numbers_as_text) // 2 before 10
            text.insert(0, 20 - std::min<std::size_t>(text.size(), 20), ' ');
        return {0, std::move(text), true};
    }
    }
    return {};
}

bool isText(const Column &c) {
    return c.type == ValueType::text;
}

Matches sorted(const Snapshot &s, const Matches &rows, int by, Qt::SortOrder order,
               const std::atomic<bool> &stop) {
    const Column &c = column(by);
    const bool up = order == Qt::AscendingOrder;
    auto out = std::make_shared<std::vector<Row>>();
    out->reserve(rows->size());
    Scratch scratch;
    const auto collect = [&](auto keys, auto value) {
        std::vector<Row> unknown;
        keys.reserve(rows->size());
        for (std::size_t i = 0; i < rows->size(); ++i) {
            if (i % 4096 == 0 && stop)
                return;
            const Key k = keyOf(c, s.tables.cycles.record((*rows)[i]), scratch);
            if (k.known)
                keys.emplace_back(value(k), (*rows)[i]);
            else
                unknown.push_back((*rows)[i]);
        }
        std::stable_sort(keys.begin(), keys.end(), [up](const auto &a, const auto &b) {
            return up ? a.first < b.first : b.first < a.first;
        });
        for (const auto &k : keys)
            out->push_back(k.second);
        out->insert(out->end(), unknown.begin(), unknown.end());
    };
    if (isText(c))
        collect(std::vector<std::pair<std::string, Row>>{}, [](const Key &k) { return k.text; });
    else
        collect(std::vector<std::pair<double, Row>>{}, [](const Key &k) { return k.number; });
    return out;
}

QString shown(const Column &c, const Value &v, Time origin) {
    if (!v.known())
        return {};
    if (c.unit == Unit::instant)
        return secondWords(time_from_ns(v.as_integer()) - origin, std::chrono::microseconds{1});
    if (c.unit == Unit::time) {
        return durationWords(Duration{
            v.type() == ValueType::integer ? v.as_integer() : static_cast<std::int64_t>(v.as_natural())});
    }
    switch (v.type()) {
    case ValueType::integer:
        return QString::number(v.as_integer());
    case ValueType::natural:
        if (c.name == "opcode")
            return QString("0x%1").arg(v.as_natural(), 2, 16, QChar('0'));
        return c.unit == Unit::bytes ? countWords(v.as_natural()) : QString::number(v.as_natural());
    case ValueType::number:
        return QString::number(v.as_number());
    case ValueType::boolean:
        return v.as_boolean() ? CycleTableModel::tr("yes") : CycleTableModel::tr("no");
    default:
        return words(v.as_text());
    }
}

} // namespace

CycleTableModel::CycleTableModel(Document &document, QObject *parent)
    : QAbstractTableModel(parent), document_(document), snapshot_(document.snapshot()),
      rows_(document.matches()) {
    connect(&document, &Document::matchesChanged, this, &CycleTableModel::refresh);
}

void CycleTableModel::refresh() {
    if (sortColumn_ >= 0) {
        sort(sortColumn_, sortOrder_);
        return;
    }
    beginResetModel();
    snapshot_ = document_.snapshot();
    rows_ = document_.matches();
    cachedRow_ = 0xffffffffU;
    endResetModel();
}

void CycleTableModel::sort(int by, Qt::SortOrder order) {
    sortColumn_ = by;
    sortOrder_ = order;
    if (by < 0) {
        job_.stop();
        refresh();
        emit sortingChanged();
        return;
    }
    job_.run(
        this,
        [snapshot = document_.snapshot(), rows = document_.matches(), by,
         order](const std::atomic<bool> &stop) {
            return std::pair(snapshot, sorted(*snapshot, rows, by, order, stop));
        },
        [this](const std::pair<SnapshotPtr, Matches> &result) {
            beginResetModel();
            snapshot_ = result.first;
            discard(std::exchange(rows_, result.second));
            cachedRow_ = 0xffffffffU;
            endResetModel();
            emit sortingChanged();
        });
    emit sortingChanged();
}

int CycleTableModel::rowCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_->size());
}

int CycleTableModel::columnCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : static_cast<int>(cycle_table().columns.size());
}

QVariant CycleTableModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const Column &c = column(index.column());
    if (role == Qt::TextAlignmentRole)
        return QVariant(isText(c) ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != ExactRole)
        return {};
    const Row row = cycleAt(index.row());
    if (row != cachedRow_) {
        cached_ = snapshot_->tables.cycles.record(row);
        cachedRow_ = row;
    }
    Scratch scratch;
    const Value v = c.get(&cached_, scratch);
    if (role == ExactRole) {
        fmt::memory_buffer text;
        append_csv(text, v);
        return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
    }
    return shown(c, v, snapshot_->origin);
}

QVariant CycleTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const Column &c = column(section);
    if (role == ExactRole)
        return words(c.name);
    if (role == Qt::ToolTipRole)
        return meaningOf("cycles." + std::string(c.name));
    return role == Qt::DisplayRole ? words(c.name).replace("_ns", "").replace('_', ' ') : QVariant();
}

int CycleTableModel::rowOf(Row cycle) const {
    if (sortColumn_ < 0) {
        const auto at = std::lower_bound(rows_->begin(), rows_->end(), cycle);
        return at != rows_->end() && *at == cycle ? static_cast<int>(at - rows_->begin()) : -1;
    }
    const auto at = std::find(rows_->begin(), rows_->end(), cycle);
    return at != rows_->end() ? static_cast<int>(at - rows_->begin()) : -1;
}

int CycleTableModel::columnOf(QStringView name) const {
    for (int i = 0; i < columnCount(); ++i)
        if (words(column(i).name) == name)
            return i;
    return -1;
}

} // namespace iscsiscope::gui

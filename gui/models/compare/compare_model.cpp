// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/compare/compare_model.h"

#include "analyzer/words/compare/difference_words.h"
#include "gui/models/words.h"

#include <algorithm>
#include <cmath>

namespace iscsiscope::gui {
namespace {

// "response_time.p50" as "response time, p50".
QString nameWords(const std::string &name) {
    QString text = words(name);
    if (text.startsWith("owner."))
        text = CompareModel::tr("time of the %1").arg(text.mid(6));
    if (text == "unasked")
        return CompareModel::tr("no task outstanding");
    if (text.startsWith("gap."))
        text = CompareModel::tr("idle: %1").arg(text.mid(4));
    return text.replace('.', ", ").replace('_', ' ').replace("iops", "IOPS");
}

QString groupWords(const std::string &group) {
    static const QMap<std::string, const char *> names{
        {"both", QT_TRANSLATE_NOOP("CompareModel", "Reads and Writes")},
        {"read", QT_TRANSLATE_NOOP("CompareModel", "Reads")},
        {"write", QT_TRANSLATE_NOOP("CompareModel", "Writes")},
        {"control", QT_TRANSLATE_NOOP("CompareModel", "other commands")},
        {"time", QT_TRANSLATE_NOOP("CompareModel", "connections' time")},
        {"owners", QT_TRANSLATE_NOOP("CompareModel", "busy time")},
        {"tcp", QT_TRANSLATE_NOOP("CompareModel", "path")}};
    return CompareModel::tr(names.value(group, ""));
}

QVariant raw(const std::optional<double> &v) {
    return v ? QVariant(*v) : QVariant();
}

} // namespace

std::optional<double> CompareModel::sizeOf(const Difference &d) {
    if (!d.before || !d.after)
        return std::nullopt;
    const double difference = std::abs(*d.after - *d.before);
    const double larger = std::max(std::abs(*d.before), std::abs(*d.after));
    return d.unit == Unit::share ? difference : larger > 0 ? difference / larger : 0;
}

void CompareModel::setReports(const ReportPtr &first, const ReportPtr &second) {
    beginResetModel();
    comparison_ = compare(*first, *second, {0.5, 0.9, 0.99});
    auto &all = comparison_.differences;
    // With one type alone the figures of both together are the same ones again.
    const auto has = [&](std::string_view group) {
        return std::any_of(all.begin(), all.end(), [&](const Difference &d) { return d.group == group; });
    };
    if (!has("read") || !has("write"))
        std::erase_if(all, [](const Difference &d) { return d.group == "both"; });
    endResetModel();
}

int CompareModel::rowCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : static_cast<int>(comparison_.differences.size());
}

int CompareModel::columnCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant CompareModel::data(const QModelIndex &i, int role) const {
    if (!i.isValid() || i.row() >= rowCount())
        return {};
    const Difference &d = comparison_.differences[static_cast<std::size_t>(i.row())];
    const bool text = i.column() == Of || i.column() == Name || i.column() == Meaning;
    if (role == Qt::TextAlignmentRole)
        return QVariant((text ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        return meaningOf(d.name);
    if (role == SizeRole)
        return raw(sizeOf(d));
    if (role == DiffersRole)
        return d.group != "control" && differs(d); // times of a few control commands matter little
    if (role == RawRole) {
        switch (i.column()) {
        case Of:
            return QString::fromStdString(d.group);
        case Name:
            return QString::fromStdString(d.name);
        case First:
            return raw(d.before);
        case Second:
            return raw(d.after);
        case Change:
            return raw(d.change());
        default:
            return QString::fromStdString(better_or_worse(d));
        }
    }
    if (role != Qt::DisplayRole)
        return {};
    switch (i.column()) {
    case Of:
        return groupWords(d.group);
    case Name:
        return nameWords(d.name);
    case First:
        return QString::fromStdString(figure_words(d.before, d.unit));
    case Second:
        return QString::fromStdString(figure_words(d.after, d.unit));
    case Change:
        return QString::fromStdString(change_words(d));
    default:
        return tr(better_or_worse(d).c_str());
    }
}

QVariant CompareModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::DisplayRole)
        return QStringList{tr("Of"), tr("Figure"), tr("First"), tr("Second"), tr("Change"), QString()}.value(
            section);
    if (role == Qt::ToolTipRole && section == Change)
        return tr(
            "From the first to the second; of shares the difference in percentage points. Sorted by it: "
            "by which part the smaller value is below the larger one, shares by their difference.");
    return {};
}

CompareRows::CompareRows(QObject *parent) : QSortFilterProxyModel(parent) {}

void CompareRows::setText(const QString &text) {
    text_ = text;
    invalidateFilter();
}

void CompareRows::setAll(bool all) {
    all_ = all;
    invalidateFilter();
}

int CompareRows::hidden() const {
    int n = 0;
    if (!all_ && sourceModel() != nullptr)
        for (int row = 0; row < sourceModel()->rowCount(); ++row)
            n += sourceModel()->index(row, 0).data(CompareModel::DiffersRole).toBool() ? 0 : 1;
    return n;
}

bool CompareRows::filterAcceptsRow(int row, const QModelIndex &parent) const {
    const auto at = [&](int column) { return sourceModel()->index(row, column, parent); };
    if (!all_ && !at(0).data(CompareModel::DiffersRole).toBool())
        return false;
    return (at(CompareModel::Of).data().toString() + ' ' + at(CompareModel::Name).data().toString())
        .contains(text_, Qt::CaseInsensitive);
}

bool CompareRows::lessThan(const QModelIndex &a, const QModelIndex &b) const {
    if (a.column() == CompareModel::Change) // what is known of one side only has no size: it comes last
        return a.data(CompareModel::SizeRole).toDouble() < b.data(CompareModel::SizeRole).toDouble();
    const bool numbers = a.column() == CompareModel::First || a.column() == CompareModel::Second;
    return numbers ? a.data(CompareModel::RawRole).toDouble() < b.data(CompareModel::RawRole).toDouble()
                   : a.data().toString() < b.data().toString();
}

} // namespace iscsiscope::gui

// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/compare/compare_model.h"

#include "analyzer/figures/report_names.h"
#include "gui/models/words.h"

#include <cmath>

namespace iscsiscope::gui {
namespace {

std::optional<double> number(const Value &v) {
    switch (v.type()) {
    case ValueType::integer:
        return static_cast<double>(v.as_integer());
    case ValueType::natural:
        return static_cast<double>(v.as_natural());
    case ValueType::number:
        return v.as_number();
    default:
        return std::nullopt;
    }
}

QString shown(double v, Unit unit) {
    const QString sign = v < 0 ? QString("−") : QString();
    const double size = std::abs(v);
    switch (unit) {
    case Unit::time:
        return sign + durationWords(static_cast<std::int64_t>(size));
    case Unit::bytes:
        return sign + byteWords(static_cast<std::uint64_t>(size));
    case Unit::rate:
        return sign + rateWords(size);
    case Unit::share:
        return sign + shareWords(size);
    default:
        return size == std::floor(size) ? sign + countWords(static_cast<std::uint64_t>(size))
                                        : QString::number(v, 'g', 4);
    }
}

} // namespace

void CompareModel::setReports(ReportPtr first, ReportPtr second) {
    beginResetModel();
    lines_.clear();
    const ReportNames a(*first), b(*second);
    for (const std::string &name : a.names()) {
        const auto x = a.find(name), y = b.find(name);
        const auto *left = std::get_if<NamedConstant>(&x), *right = std::get_if<NamedConstant>(&y);
        if (left == nullptr || right == nullptr)
            continue;
        Line line{words(name), left->unit, number(left->value), number(right->value)};
        // Figures that are zero or unknown in both are left out.
        if (line.first.value_or(0) != 0 || line.second.value_or(0) != 0)
            lines_.push_back(std::move(line));
    }
    endResetModel();
}

int CompareModel::rowCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : static_cast<int>(lines_.size());
}

int CompareModel::columnCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant CompareModel::data(const QModelIndex &i, int role) const {
    if (!i.isValid() || i.row() >= rowCount())
        return {};
    const Line &l = lines_[static_cast<std::size_t>(i.row())];
    if (role == Qt::TextAlignmentRole) {
        return QVariant(i.column() == Name ? Qt::AlignLeft | Qt::AlignVCenter
                                           : Qt::AlignRight | Qt::AlignVCenter);
    }
    if (role == Qt::ToolTipRole && i.column() == Name)
        return meaningOf(l.name.toStdString());
    std::optional<double> v;
    if (i.column() == First)
        v = l.first;
    else if (i.column() == Second)
        v = l.second;
    else if (i.column() == Difference && l.first && l.second)
        v = *l.second - *l.first;
    else if (i.column() == Ratio && l.first && l.second && *l.first != 0)
        v = *l.second / *l.first;
    if (role == RawRole)
        return i.column() == Name ? QVariant(l.name) : v ? QVariant(*v) : QVariant();
    if (role != Qt::DisplayRole)
        return {};
    switch (i.column()) {
    case Name:
        return l.name;
    case Ratio:
        return v ? QString("× %1").arg(*v, 0, 'g', 3) : QString("-");
    case Difference:
        return v ? (*v > 0 ? "+" : "") + shown(*v, l.unit) : QString("-");
    default:
        return v ? shown(*v, l.unit) : QString("-");
    }
}

QVariant CompareModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    const QStringList names{tr("Figure"), tr("First"), tr("Second"), tr("Second − first"),
                            tr("Second / first")};
    return names.value(section);
}

} // namespace iscsiscope::gui

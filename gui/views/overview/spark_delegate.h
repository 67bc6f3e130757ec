// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace iscsiscope::gui {

// Paints SessionTreeModel::SparkRole, bytes over time, as a small area chart.
class SparkDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter *, const QStyleOptionViewItem &, const QModelIndex &) const override;
};

} // namespace iscsiscope::gui

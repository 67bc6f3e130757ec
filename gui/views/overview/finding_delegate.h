// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace iscsiscope {
struct Figure;
}

namespace iscsiscope::gui {

// Paints a finding in two lines: a mark for its severity, its title and lost time, and below them its
// sentence.
class FindingDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter *, const QStyleOptionViewItem &, const QModelIndex &) const override;
    QSize sizeHint(const QStyleOptionViewItem &, const QModelIndex &) const override;
};

QString figureWords(const Figure &); // with its unit

} // namespace iscsiscope::gui

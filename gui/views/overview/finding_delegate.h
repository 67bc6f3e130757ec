// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/findings/finding.h"

#include <QStyledItemDelegate>

namespace iscsiscope::gui {

// A finding as two lines: a mark for its severity, title and lost time; its sentence below.
class FindingDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter *, const QStyleOptionViewItem &, const QModelIndex &) const override;
    QSize sizeHint(const QStyleOptionViewItem &, const QModelIndex &) const override;
};

QString figureWords(const Figure &);

} // namespace iscsiscope::gui

// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/overview/spark_delegate.h"

#include "gui/models/session_tree_model.h"

#include <QPainter>

namespace iscsiscope::gui {

void SparkDelegate::paint(QPainter *p, const QStyleOptionViewItem &o, const QModelIndex &i) const {
    QStyledItemDelegate::paint(p, o, i);
    const QVariantList values = i.data(SessionTreeModel::SparkRole).toList();
    double most = 0;
    for (const QVariant &v : values)
        most = std::max(most, v.toDouble());
    if (most <= 0)
        return;
    const QRect r = o.rect.adjusted(6, 3, -6, -3);
    const double width = static_cast<double>(r.width()) / static_cast<double>(values.size());
    p->save();
    p->setPen(Qt::NoPen);
    p->setBrush(o.palette.color((o.state & QStyle::State_Selected) != 0 ? QPalette::HighlightedText
                                                                        : QPalette::Highlight));
    for (qsizetype n = 0; n < values.size(); ++n) {
        const double h = values[n].toDouble() / most * r.height();
        p->drawRect(QRectF(r.left() + static_cast<double>(n) * width, r.bottom() + 1 - h,
                           std::max(width - 1, 1.0), h));
    }
    p->restore();
}

} // namespace iscsiscope::gui

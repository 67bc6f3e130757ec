// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/overview/finding_delegate.h"

#include "gui/models/findings_model.h"
#include "gui/models/words.h"

#include <QApplication>
#include <QPainter>

namespace iscsiscope::gui {
namespace {

constexpr int pad = 6, markWidth = 4;

QColor colorOf(const QString &severity) {
    return severity == "problem"  ? QColor(0xb2, 0x18, 0x2b)
           : severity == "notice" ? QColor(0xe0, 0x9a, 0x2b)
                                  : QColor(0x2f, 0x7f, 0xc1);
}

} // namespace

QString figureWords(const Figure &f) {
    switch (f.unit) {
    case FigureUnit::nanoseconds:
        return durationWords(cutToNs(f.value));
    case FigureUnit::bytes:
        return byteWords(static_cast<std::uint64_t>(std::max(f.value, 0.0)));
    case FigureUnit::bytes_per_second:
        return rateWords(f.value);
    case FigureUnit::share:
        return shareWords(f.value);
    case FigureUnit::none:
        break;
    }
    return QString::number(f.value, 'g', 6);
}

void FindingDelegate::paint(QPainter *p, const QStyleOptionViewItem &option, const QModelIndex &i) const {
    QStyleOptionViewItem o = option;
    initStyleOption(&o, i);
    o.text.clear();
    QApplication::style()->drawControl(QStyle::CE_ItemViewItem, &o, p, o.widget);
    const bool chosen = (o.state & QStyle::State_Selected) != 0;
    const QColor text = o.palette.color(chosen ? QPalette::HighlightedText : QPalette::Text);
    const QString severity = i.data(FindingsModel::SeverityRole).toString();
    p->save();
    p->fillRect(QRect(o.rect.left(), o.rect.top() + 2, markWidth, o.rect.height() - 4), colorOf(severity));
    QRect r = o.rect.adjusted(markWidth + pad, pad / 2, -pad, -pad / 2);
    const qlonglong lost = i.data(FindingsModel::LostRole).toLongLong();
    const QString right =
        lost > 0 ? QString("%1 · %2").arg(durationWords(Duration{lost}),
                                          shareWords(i.data(FindingsModel::ShareRole).toDouble()))
                 : severity;
    QFont bold = o.font;
    bold.setBold(true);
    p->setPen(text);
    p->setFont(bold);
    const QFontMetrics metrics(bold);
    const QRect head(r.left(), r.top(), r.width(), metrics.height() + 2);
    p->drawText(head, Qt::AlignLeft | Qt::AlignVCenter,
                metrics.elidedText(i.data().toString(), Qt::ElideRight, r.width()));
    p->setFont(o.font);
    const int rightWidth = QFontMetrics(o.font).horizontalAdvance(right) + 2 * pad;
    const QRect body(r.left(), head.bottom() + 1, r.width(), r.bottom() - head.bottom());
    p->drawText(body, Qt::AlignRight | Qt::AlignTop, right);
    p->drawText(body, Qt::AlignLeft | Qt::AlignTop,
                QFontMetrics(o.font).elidedText(i.data(FindingsModel::SentenceRole).toString(),
                                                Qt::ElideRight, r.width() - rightWidth));
    p->restore();
}

QSize FindingDelegate::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &) const {
    return {120, 2 * (option.fontMetrics.height() + 2) + pad + 2};
}

} // namespace iscsiscope::gui

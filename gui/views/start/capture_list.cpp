// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/start/capture_list.h"

#include "gui/models/words.h"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QMenu>
#include <QPainter>
#include <QStyledItemDelegate>

namespace iscsiscope::gui {
namespace {

enum Role { titleRole = Qt::UserRole, detailRole, asideRole, thereRole };

class Delegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem &o, const QModelIndex &) const override {
        return {120, 2 * o.fontMetrics.height() + 12};
    }

    void paint(QPainter *p, const QStyleOptionViewItem &o, const QModelIndex &i) const override {
        const bool chosen =
            o.state.testFlag(QStyle::State_Selected) && o.state.testFlag(QStyle::State_HasFocus);
        const bool there = i.data(thereRole).toBool();
        p->save();
        p->setRenderHint(QPainter::Antialiasing);
        if (chosen || o.state.testFlag(QStyle::State_MouseOver)) {
            QColor back = o.palette.color(QPalette::Highlight);
            if (!chosen)
                back.setAlpha(38);
            p->setPen(Qt::NoPen);
            p->setBrush(back);
            p->drawRoundedRect(QRectF(o.rect).adjusted(1, 1, -1, -1), 4, 4);
        }
        const QColor dim =
            chosen ? o.palette.color(QPalette::HighlightedText) : o.palette.color(QPalette::PlaceholderText);
        QColor text = o.palette.color(chosen ? QPalette::HighlightedText : QPalette::Text);
        if (!there && !chosen)
            text = dim;
        const int line = o.fontMetrics.height();
        const QRect in = o.rect.adjusted(10, 5, -10, -5);
        const QRect upper(in.left(), in.top(), in.width(), line),
            lower(in.left(), in.top() + line + 2, in.width(), line);
        const QString aside = i.data(asideRole).toString();
        const int asideWidth = o.fontMetrics.horizontalAdvance(aside);
        QFont bold = o.font;
        bold.setBold(true);
        p->setFont(bold);
        p->setPen(text);
        p->drawText(upper.adjusted(0, 0, -asideWidth - 12, 0), Qt::AlignLeft | Qt::AlignVCenter,
                    QFontMetrics(bold).elidedText(i.data(titleRole).toString(), Qt::ElideMiddle,
                                                  upper.width() - asideWidth - 12));
        p->setFont(o.font);
        p->setPen(dim);
        p->drawText(upper, Qt::AlignRight | Qt::AlignVCenter, aside);
        p->drawText(lower, Qt::AlignLeft | Qt::AlignVCenter,
                    o.fontMetrics.elidedText(i.data(detailRole).toString(), Qt::ElideMiddle, lower.width()));
        p->restore();
    }
};

} // namespace

CaptureList::CaptureList(QWidget *parent) : QListWidget(parent) {
    setItemDelegate(new Delegate(this));
    setMouseTracking(true);
    setFrameShape(QFrame::NoFrame);
    setUniformItemSizes(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    connect(this, &QListWidget::itemClicked, this,
            [this](const QListWidgetItem *i) { emit chosen(pathOf(i)); });
}

QString CaptureList::pathOf(const QListWidgetItem *item) const {
    return item != nullptr ? entries_[static_cast<std::size_t>(row(item))].path : QString();
}

void CaptureList::setEntries(const std::vector<CaptureEntry> &entries, bool removable) {
    const int before = currentRow();
    entries_ = entries;
    removable_ = removable;
    clear();
    const QLocale locale;
    for (const CaptureEntry &e : entries_) {
        auto *item = new QListWidgetItem(this);
        QString aside = !e.changed.isValid() ? QString() : byteWords(static_cast<std::uint64_t>(e.size));
        if (removable && e.changed.isValid())
            aside += "  ·  " + locale.toString(e.changed, "d MMM yyyy HH:mm");
        if (!e.there)
            aside = tr("missing");
        item->setData(titleRole, e.title);
        item->setData(detailRole, e.detail);
        item->setData(asideRole, aside);
        item->setData(thereRole, e.there);
        // For screen readers.
        item->setData(Qt::AccessibleTextRole, QStringList{e.title, e.detail, aside}.join(", "));
        item->setToolTip(e.path);
    }
    if (count() > 0)
        setCurrentRow(std::clamp(before, 0, count() - 1));
}

void CaptureList::keyPressEvent(QKeyEvent *e) {
    const QString path = pathOf(currentItem());
    const bool enter = e->key() == Qt::Key_Return || e->key() == Qt::Key_Enter;
    if (!path.isEmpty() && enter)
        emit chosen(path);
    else if (!path.isEmpty() && removable_ && e->key() == Qt::Key_Delete)
        emit removeWanted(path);
    else
        QListWidget::keyPressEvent(e);
}

void CaptureList::focusInEvent(QFocusEvent *e) {
    if (currentRow() < 0)
        setCurrentRow(0);
    QListWidget::focusInEvent(e);
}

void CaptureList::contextMenuEvent(QContextMenuEvent *e) {
    const QString path = pathOf(currentItem());
    if (!removable_ || path.isEmpty())
        return;
    QMenu menu;
    menu.addAction(
        tr("Open"), this, [this, path] { emit chosen(path); });
    menu.addAction(tr("Remove from the list"), this, [this, path] { emit removeWanted(path); });
    menu.exec(e->globalPos());
}

} // namespace iscsiscope::gui

// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/notice_bar.h"

#include <QAccessible>
#include <QBoxLayout>
#include <QEvent>
#include <QLabel>
#include <QPushButton>

namespace iscsiscope::gui {

NoticeBar::NoticeBar(Tone tone, const char *name, QWidget *parent)
    : QFrame(parent), tone_(tone), label_(new QLabel), buttons_(new QHBoxLayout) {
    label_->setObjectName(name);
    label_->setWordWrap(true);
    label_->setTextFormat(Qt::PlainText);
    label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(10, 4, 6, 4);
    layout->addWidget(label_, 1);
    layout->addLayout(buttons_);
    setAutoFillBackground(true);
    colour();
    hide();
}

void NoticeBar::show(const QString &message, const std::vector<Button> &buttons) {
    const bool news = isHidden() || label_->text() != message;
    label_->setText(message);
    label_->setAccessibleName(message);
    QStringList texts;
    for (const Button &b : buttons)
        texts << b.text;
    if (texts != texts_) {
        texts_ = texts;
        while (QLayoutItem *item = buttons_->takeAt(0)) {
            item->widget()->deleteLater();
            delete item;
        }
        for (const Button &b : buttons) {
            auto *button = new QPushButton(b.text);
            button->setToolTip(b.what);
            button->setAccessibleName(b.what);
            button->setAutoDefault(true); // Enter presses it
            connect(button, &QPushButton::clicked, this, [run = b.run] { run(); });
            buttons_->addWidget(button);
        }
    }
    setVisible(true);
    if (news) {
        QAccessibleEvent event(label_, QAccessible::Alert);
        QAccessible::updateAccessibility(&event);
    }
}

QString NoticeBar::message() const {
    return isHidden() ? QString() : label_->text();
}

void NoticeBar::changeEvent(QEvent *e) {
    if (e->type() == QEvent::PaletteChange)
        colour();
    QFrame::changeEvent(e);
}

void NoticeBar::colour() {
    const bool dark = parentWidget() != nullptr
                          ? parentWidget()->palette().color(QPalette::Base).lightness() < 128
                          : palette().color(QPalette::Base).lightness() < 128;
    const bool notice = tone_ == Tone::notice;
    const char *back = notice ? (dark ? "#4a3d14" : "#fff3cf") : (dark ? "#5a2420" : "#fde2df");
    const char *line = notice ? (dark ? "#7d6720" : "#e3c766") : (dark ? "#94403a" : "#e39c95");
    const char *text = notice ? (dark ? "#f6e7b4" : "#3d3000") : (dark ? "#ffdad6" : "#5c1510");
    const QString sheet =
        QString("iscsiscope--gui--NoticeBar { background: %1; border: 0; border-bottom: 1px solid "
                "%2; } QLabel { color: %3; }")
            .arg(back, line, text);
    if (styleSheet() != sheet)
        setStyleSheet(sheet);
}

} // namespace iscsiscope::gui

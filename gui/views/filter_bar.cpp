// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/filter_bar.h"

#include "gui/models/words.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QBoxLayout>
#include <QCompleter>
#include <QFontDatabase>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QStringListModel>
#include <QToolButton>

namespace iscsiscope::gui {
namespace {

// Completes the word under the cursor: names of columns, and in quotes the values that a name column has.
class WordCompleter : public QCompleter {
public:
    explicit WordCompleter(QLineEdit *edit) : QCompleter(completions(), edit), edit_(edit) {
        setCaseSensitivity(Qt::CaseInsensitive);
    }
    QStringList splitPath(const QString &) const override {
        const QString before = edit_->text().left(edit_->cursorPosition());
        const qsizetype from = before.lastIndexOf(QRegularExpression("[^\\w\"]")) + 1;
        return {before.mid(from)};
    }
    QString pathFromIndex(const QModelIndex &i) const override {
        const QString before = edit_->text().left(edit_->cursorPosition());
        const qsizetype from = before.lastIndexOf(QRegularExpression("[^\\w\"]")) + 1;
        return before.left(from) + i.data().toString() + edit_->text().mid(edit_->cursorPosition());
    }

private:
    static QStringList completions() {
        QStringList list{"and", "or", "not", "in", "null"};
        for (const Column &c : cycle_table().columns) {
            QString name = words(c.name);
            for (const char *unit : {"_ns", "_bytes"})
                if (name.endsWith(unit))
                    name.chop(static_cast<int>(strlen(unit)));
            list << name;
            for (const std::string_view choice : c.choices)
                list << "\"" + words(choice) + "\"";
        }
        list.removeDuplicates();
        list.sort();
        return list;
    }
    QLineEdit *edit_;
};

} // namespace

FilterBar::FilterBar(Document &document, QWidget *parent)
    : QWidget(parent), document_(document), edit_(new QLineEdit), mistake_(new QLabel), chips_(new QWidget),
      chipsLayout_(new QHBoxLayout(chips_)) {
    edit_->setObjectName("filter");
    edit_->setAccessibleName(tr("Filter of cycles"));
    edit_->setPlaceholderText(
        tr("/  filter cycles, as in: type == \"write\" and r2t_count > 2 and response_time > 5ms"));
    edit_->setClearButtonEnabled(true);
    edit_->setCompleter(new WordCompleter(edit_));
    mistake_->setObjectName("filterMistake");
    mistake_->setAccessibleName(tr("What is wrong with the filter"));
    mistake_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    mistake_->setTextFormat(Qt::PlainText);
    mistake_->hide();
    chipsLayout_->setContentsMargins(0, 0, 0, 0);
    auto *line = new QHBoxLayout;
    line->addWidget(chips_);
    line->addWidget(edit_, 1);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 4, 6, 2);
    layout->addLayout(line);
    layout->addWidget(mistake_);
    edit_->installEventFilter(this);
    edit_->completer()->popup()->installEventFilter(this);
    connect(
        edit_, &QLineEdit::returnPressed, this,
        [this] {
            apply(edit_->text());
            if (mistake_->isHidden())
                giveBack();
        });
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget *old, const QWidget *now) {
        if (now != nullptr && isAncestorOf(now) && old != nullptr && old->window() == window() &&
            !isAncestorOf(old))
            before_ = old;
    });
    connect(edit_, &QLineEdit::textEdited, mistake_, &QWidget::hide);
    connect(&document, &Document::filtersChanged, this, &FilterBar::rebuildChips);
    connect(&document, &Document::rangeChanged, this, &FilterBar::rebuildChips);
    rebuildChips();
}

void FilterBar::apply(const QString &expression) {
    if (expression.trimmed().isEmpty()) {
        mistake_->hide();
        return;
    }
    if (const auto mistake = document_.addFilter(expression)) {
        mistake_->setText(*mistake);
        mistake_->show();
        edit_->setText(expression);
        edit_->setFocus();
        return;
    }
    mistake_->hide();
    edit_->clear();
}

QWidget *FilterBar::chip(const QString &text, const QString &what, std::function<void()> remove) {
    auto *button = new QToolButton;
    button->setText(fontMetrics().elidedText(text, Qt::ElideMiddle, 260) + "  ✕");
    button->setToolTip(what);
    button->setAccessibleName(what);
    button->setProperty("chip", true);
    button->setFocusPolicy(Qt::StrongFocus);
    button->installEventFilter(this);
    connect(button, &QToolButton::clicked, this, [this, remove = std::move(remove)] {
        remove();
        giveBack();
    });
    return button;
}

QList<QWidget *> FilterBar::chips() const {
    QList<QWidget *> list;
    for (int i = 0; i < chipsLayout_->count(); ++i)
        list << chipsLayout_->itemAt(i)->widget();
    return list;
}

void FilterBar::giveBack() {
    if (before_ && before_->isVisible() && before_->isEnabled())
        before_->setFocus(Qt::OtherFocusReason);
    else
        emit focusGivenBack();
}

bool FilterBar::stepOut() {
    if (edit_->hasFocus() && mistake_->isVisible()) {
        mistake_->hide();
        return true;
    }
    const QWidget *focus = QApplication::focusWidget();
    if (focus == nullptr || !isAncestorOf(focus))
        return false;
    giveBack();
    return true;
}

bool FilterBar::chipKey(QWidget *chip, int key) {
    const QList<QWidget *> all = chips();
    const qsizetype at = all.indexOf(chip);
    switch (key) {
    case Qt::Key_Left:
        all[std::max<qsizetype>(at - 1, 0)]->setFocus(Qt::OtherFocusReason);
        return true;
    case Qt::Key_Right:
        (at + 1 < all.size() ? all[at + 1] : edit_)->setFocus(Qt::OtherFocusReason);
        return true;
    case Qt::Key_Delete:
    case Qt::Key_Backspace:
    case Qt::Key_Space:
    case Qt::Key_Return:
    case Qt::Key_Enter: {
        const QPointer<QWidget> kept = before_; // the focus wanders while the chips are made anew
        static_cast<QToolButton *>(chip)->click();
        const QList<QWidget *> left = chips();
        (left.isEmpty() ? edit_ : left[std::min(at, left.size() - 1)])->setFocus(Qt::OtherFocusReason);
        before_ = kept;
        return true;
    }
    default:
        return false;
    }
}

bool FilterBar::eventFilter(QObject *o, QEvent *e) {
    if (e->type() == QEvent::ShortcutOverride || e->type() == QEvent::KeyPress) {
        const auto *key = static_cast<QKeyEvent *>(e);
        const bool press = e->type() == QEvent::KeyPress, plain = key->modifiers() == Qt::NoModifier;
        const QWidget *popup = edit_->completer()->popup();
        if (!press && popup->isVisible() && (o == popup || o == edit_)) {
            e->accept(); // Qt lets shortcuts of the window work beside completions: Esc would do two things
            return true;
        }
        if (o == edit_) {
            const bool back = key->key() == Qt::Key_Backspace || key->key() == Qt::Key_Left;
            if (press && plain && back && edit_->cursorPosition() == 0 && !edit_->hasSelectedText() &&
                chipsLayout_->count() > 0) {
                chips().back()->setFocus(Qt::OtherFocusReason);
                return true;
            }
        } else if (plain && chips().contains(o)) {
            if (press)
                return chipKey(static_cast<QWidget *>(o), key->key());
            const QList<int> own{Qt::Key_Left,  Qt::Key_Right,  Qt::Key_Delete, Qt::Key_Backspace,
                                 Qt::Key_Space, Qt::Key_Return, Qt::Key_Enter};
            if (own.contains(key->key())) {
                e->accept(); // no shortcut of the window
                return true;
            }
        }
    }
    return QWidget::eventFilter(o, e);
}

void FilterBar::rebuildChips() {
    while (QLayoutItem *item = chipsLayout_->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    if (const auto &r = document_.range()) {
        const Time origin = document_.snapshot()->origin;
        const Duration step = std::max(r->length() / 100, Duration{1});
        chipsLayout_->addWidget(chip(
            tr("range %1 to %2").arg(secondWords(r->from - origin, step), secondWords(r->to - origin, step)),
            tr("Figures are of this range only. Click or Delete: of everything again"),
            [this] { document_.setRange(std::nullopt); }));
    }
    for (int i = 0; i < document_.filters().size(); ++i) {
        chipsLayout_->addWidget(chip(
            document_.filters()[i], tr("Filter %1. Click or Delete removes it").arg(document_.filters()[i]),
            [this, i] { document_.removeFilter(i); }));
    }
    chips_->setVisible(chipsLayout_->count() > 0);
    for (QWidget *c : chips())
        c->show(); // now: it may be given the focus at once
}

} // namespace iscsiscope::gui

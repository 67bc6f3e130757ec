// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/filter_bar.h"

#include "gui/models/words.h"

#include <QBoxLayout>
#include <QCompleter>
#include <QFontDatabase>
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
    connect(edit_, &QLineEdit::returnPressed, this, [this] { apply(edit_->text()); });
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
    connect(button, &QToolButton::clicked, this, [remove = std::move(remove)] { remove(); });
    return button;
}

void FilterBar::rebuildChips() {
    while (QLayoutItem *item = chipsLayout_->takeAt(0)) {
        item->widget()->deleteLater();
        delete item;
    }
    if (const auto &r = document_.range()) {
        const std::int64_t origin = document_.snapshot()->origin,
                           step = std::max<std::int64_t>(r->length() / 100, 1);
        chipsLayout_->addWidget(chip(
            tr("range %1 to %2").arg(secondWords(r->from - origin, step), secondWords(r->to - origin, step)),
            tr("Figures are of this range only. Click: of everything again"),
            [this] { document_.setRange(std::nullopt); }));
    }
    for (int i = 0; i < document_.filters().size(); ++i) {
        chipsLayout_->addWidget(chip(
            document_.filters()[i], tr("Filter %1. Click to remove").arg(document_.filters()[i]),
            [this, i] { document_.removeFilter(i); }));
    }
    chips_->setVisible(chipsLayout_->count() > 0);
}

} // namespace iscsiscope::gui

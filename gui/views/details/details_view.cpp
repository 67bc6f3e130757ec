// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/details/details_view.h"

#include "gui/models/words.h"

#include <QBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QRegularExpression>
#include <QSplitter>
#include <QTextBrowser>

namespace iscsiscope::gui {
namespace {

// Words are sought from their beginning: "rst" is not in "first".
QRegularExpression sought(const QString &text) {
    const bool word = text.front().isLetterOrNumber();
    return QRegularExpression((word ? "\\b" : "") + QRegularExpression::escape(text),
                              QRegularExpression::CaseInsensitiveOption |
                                  QRegularExpression::UseUnicodePropertiesOption);
}

} // namespace

DetailsView::DetailsView(Document &document, QWidget *parent)
    : QWidget(parent), document_(document), scope_(new QLabel), find_(new QLineEdit), list_(new QListWidget),
      text_(new QTextBrowser) {
    scope_->setObjectName("detailsScope");
    scope_->setWordWrap(true);
    find_->setObjectName("detailsFind");
    find_->setPlaceholderText(tr("sections that have …"));
    find_->setAccessibleName(tr("Words that a section has"));
    find_->setClearButtonEnabled(true);
    list_->setObjectName("detailsSections");
    list_->setAccessibleName(tr("Sections of the report"));
    list_->setUniformItemSizes(true);
    list_->setTextElideMode(Qt::ElideRight);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    text_->setObjectName("detailsText");
    text_->setAccessibleName(tr("Content of the section"));
    text_->setOpenLinks(false);
    text_->document()->setDocumentMargin(10);
    auto *left = new QWidget;
    auto *leftLayout = new QVBoxLayout(left);
    leftLayout->setContentsMargins(0, 0, 0, 0);
    leftLayout->addWidget(find_);
    leftLayout->addWidget(list_, 1);
    auto *split = new QSplitter;
    split->setObjectName("detailsSplit");
    split->setChildrenCollapsible(false);
    split->addWidget(left);
    split->addWidget(text_);
    split->setStretchFactor(1, 1);
    split->setSizes({230, 700});
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(scope_);
    layout->addWidget(split, 1);
    connect(find_, &QLineEdit::textChanged, this, &DetailsView::narrow);
    connect(list_, &QListWidget::currentRowChanged, this, &DetailsView::showCurrent);
    connect(text_, &QTextBrowser::anchorClicked, this,
            [this](const QUrl &link) { emit frameWanted(link.toString().section(':', 1).toULongLong()); });
    connect(&document, &Document::figuresChanged, this, &DetailsView::refresh);
    refresh();
}

QWidget &DetailsView::list() {
    return *list_;
}

void DetailsView::showEvent(QShowEvent *e) {
    QWidget::showEvent(e);
    refresh();
}

void DetailsView::refresh() {
    const bool pending = document_.figuresPending();
    text_->setEnabled(!pending); // what it shows is of another range or other filters
    const Report &r = *document_.figures();
    QString scope = tr("All that the report of the whole capture says.");
    QStringList of;
    if (const auto &range = document_.range()) {
        const Time origin = document_.snapshot()->origin;
        of << tr("the range %1").arg(intervalWords(range->from - origin, range->to - origin));
    }
    if (!document_.filters().isEmpty())
        of << tr("the filters that are set");
    if (pending)
        scope = tr("Counting what the range and the filters pick …");
    else if (!of.isEmpty())
        scope = tr("Of %1; sections that this does not limit say so.").arg(of.join(tr(" and ")));
    // Figures of a range may come from memory, which has no PDUs: the report would say that there are none.
    const bool withoutFile = !r.findings && document_.snapshot()->report->findings;
    if (!pending && withoutFile)
        scope =
            tr("The file has changed since it was read, or cannot be read any more: its sections cannot be "
               "made for a range or a filter. Reload it (F5), or take range and filters away.");
    if (!pending && !document_.snapshot()->complete)
        scope = tr("Sections are shown when the whole capture has been read.");
    scope_->setText(scope);
    // Sections are made when somebody looks at them.
    if (pending || !isVisible() || of_ == document_.figures())
        return;
    of_ = document_.figures();
    const bool there = document_.snapshot()->complete && !document_.empty() && !withoutFile;
    sections_ = there ? detailsOf(r) : std::vector<DetailsSection>{};
    narrow();
}

// The list has the sections with these words; the one that was chosen stays chosen if it is among them.
void DetailsView::narrow() {
    const QListWidgetItem *current = list_->currentItem();
    const QString chosen = current != nullptr ? current->data(Qt::UserRole + 1).toString() : QString();
    const QSignalBlocker quiet(list_);
    list_->clear();
    int row = 0;
    for (std::size_t i = 0; i < sections_.size(); ++i) {
        const DetailsSection &s = sections_[i];
        if (!find_->text().isEmpty() && !s.plain.contains(sought(find_->text())))
            continue;
        auto *item = new QListWidgetItem(s.title, list_);
        item->setData(Qt::UserRole, static_cast<int>(i));
        item->setData(Qt::UserRole + 1, s.heading);
        item->setToolTip(s.note.isEmpty() ? s.title : s.title + ": " + s.note);
        if (s.heading == chosen)
            row = list_->count() - 1;
    }
    list_->setCurrentRow(row);
    showCurrent();
}

void DetailsView::showCurrent() {
    const QListWidgetItem *item = list_->currentItem();
    if (item == nullptr) {
        text_->setHtml(sections_.empty() ? QString() : tr("No section has these words."));
        return;
    }
    const DetailsSection &s = sections_[static_cast<std::size_t>(item->data(Qt::UserRole).toInt())];
    text_->setHtml("<h3>" + s.title.toHtmlEscaped() + "</h3>" +
                   (s.note.isEmpty() ? QString() : "<p><i>" + s.note.toHtmlEscaped() + "</i></p>") + s.html);
    showFound();
}

// Marks the words that are sought, and has the first of them in sight.
void DetailsView::showFound() {
    QList<QTextEdit::ExtraSelection> all;
    if (!find_->text().isEmpty()) {
        QTextEdit::ExtraSelection found;
        found.format.setBackground(palette().brush(QPalette::Highlight));
        found.format.setForeground(palette().brush(QPalette::HighlightedText));
        QTextCursor at(text_->document());
        while (!(at = text_->document()->find(sought(find_->text()), at)).isNull() && at.hasSelection()) {
            found.cursor = at;
            all << found;
        }
    }
    if (!all.isEmpty()) {
        QTextCursor first = all.front().cursor;
        first.setPosition(first.selectionStart());
        text_->setTextCursor(first);
        text_->ensureCursorVisible();
    }
    text_->setExtraSelections(all);
}

bool DetailsView::showSection(const QString &heading) {
    find_->clear();
    for (int row = 0; row < list_->count(); ++row) {
        if (list_->item(row)->data(Qt::UserRole + 1).toString() == heading) {
            list_->setCurrentRow(row);
            return true;
        }
    }
    return false;
}

} // namespace iscsiscope::gui

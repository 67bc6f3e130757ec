// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/marks_panel.h"

#include "gui/models/words.h"

#include <QBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>

namespace iscsiscope::gui {
namespace {

enum Column { markTimeColumn, markNameColumn, markColumnCount };

} // namespace

MarksPanel::MarksPanel(Document &document, QWidget *parent)
    : QWidget(parent), document_(document), list_(new QTableWidget(0, markColumnCount)),
      none_(new QLabel(
          tr("No marks yet. M sets one at the mouse pointer on a time axis, else at the selection."))),
      rename_(new QPushButton(tr("Rename"))), remove_(new QPushButton(tr("Remove"))) {
    list_->setObjectName("marksList");
    list_->setAccessibleName(tr("Marks"));
    list_->setHorizontalHeaderLabels({tr("Time"), tr("Name")});
    list_->horizontalHeaderItem(markTimeColumn)->setToolTip(tr("Since the first frame of the capture"));
    list_->verticalHeader()->hide();
    list_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
    list_->horizontalHeader()->setStretchLastSection(true);
    list_->setSelectionBehavior(QAbstractItemView::SelectRows);
    list_->setSelectionMode(QAbstractItemView::SingleSelection);
    list_->setEditTriggers(QAbstractItemView::EditKeyPressed | QAbstractItemView::DoubleClicked);
    list_->setTabKeyNavigation(false);
    list_->setShowGrid(false);
    list_->installEventFilter(this);
    none_->setWordWrap(true);
    none_->setAlignment(Qt::AlignTop);
    rename_->setToolTip(tr("Gives the mark another name (F2)"));
    remove_->setToolTip(tr("Removes the mark (Delete)"));
    auto *buttons = new QHBoxLayout;
    buttons->addWidget(rename_);
    buttons->addWidget(remove_);
    buttons->addStretch();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 4, 4, 4);
    layout->addWidget(none_, 1);
    layout->addWidget(list_, 1);
    layout->addLayout(buttons);
    connect(list_, &QTableWidget::cellClicked, this, [this](int row, int) { showMark(row); });
    connect(list_, &QTableWidget::itemChanged, this, [this](const QTableWidgetItem *item) {
        if (filling_ || item->column() != markNameColumn)
            return;
        document_.renameMark(static_cast<std::size_t>(item->row()), item->text());
        // An empty name is refused. The item is replaced, which it must not be while it reports its change.
        QMetaObject::invokeMethod(this, &MarksPanel::fill, Qt::QueuedConnection);
    });
    connect(rename_, &QPushButton::clicked, this, &MarksPanel::rename);
    connect(remove_, &QPushButton::clicked, this, &MarksPanel::remove);
    connect(&document, &Document::marksChanged, this, &MarksPanel::fill);
    connect(&document, &Document::snapshotChanged, this, &MarksPanel::fill);
    fill();
}

void MarksPanel::fill() {
    if (filling_)
        return;
    filling_ = true;
    const int row = list_->currentRow();
    const Time origin = document_.snapshot()->origin;
    const auto &marks = document_.marks();
    // No item is made anew if the marks are those shown, so that a name being edited stays.
    list_->setRowCount(static_cast<int>(marks.size()));
    for (int i = 0; i < list_->rowCount(); ++i) {
        const Mark &m = marks[static_cast<std::size_t>(i)];
        for (const int c : {markTimeColumn, markNameColumn}) {
            if (list_->item(i, c) == nullptr)
                list_->setItem(i, c, new QTableWidgetItem);
            const QString text =
                c == markTimeColumn ? secondWords(m.time - origin, std::chrono::microseconds{1}) : m.text;
            if (list_->item(i, c)->text() != text)
                list_->item(i, c)->setText(text);
        }
        list_->item(i, markTimeColumn)->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
    }
    list_->resizeColumnToContents(markTimeColumn);
    const bool some = list_->rowCount() > 0;
    if (some && list_->currentRow() < 0)
        list_->setCurrentCell(std::clamp(row, 0, list_->rowCount() - 1), markNameColumn);
    none_->setVisible(!some);
    list_->setVisible(some);
    rename_->setVisible(some);
    remove_->setVisible(some);
    filling_ = false;
}

void MarksPanel::showMark(int row) {
    const auto &marks = document_.marks();
    if (row >= 0 && row < static_cast<int>(marks.size()))
        document_.showTime(marks[static_cast<std::size_t>(row)].time);
}

void MarksPanel::rename() {
    if (list_->currentRow() >= 0) {
        list_->setFocus();
        list_->editItem(list_->item(list_->currentRow(), markNameColumn));
    }
}

void MarksPanel::remove() {
    if (list_->currentRow() >= 0)
        document_.removeMark(static_cast<std::size_t>(list_->currentRow()));
}

bool MarksPanel::eventFilter(QObject *o, QEvent *e) {
    if (o == list_ && e->type() == QEvent::KeyPress) {
        switch (static_cast<QKeyEvent *>(e)->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter:
            showMark(list_->currentRow());
            return true;
        case Qt::Key_F2:
            rename();
            return true;
        case Qt::Key_Delete:
            remove();
            return true;
        default:
            break;
        }
    }
    return QWidget::eventFilter(o, e);
}

} // namespace iscsiscope::gui

// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/window/action_palette.h"

#include <QAction>
#include <QBoxLayout>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QScreen>
#include <QTableWidget>

namespace iscsiscope::gui {
namespace {

QString keysOf(const QAction &a) {
    return QKeySequence::listToString(a.shortcuts(), QKeySequence::NativeText).replace(';', "  ");
}

QString nameOf(const QAction &a) {
    return a.text().remove('&');
}

} // namespace

ActionPalette::ActionPalette(const QList<QAction *> &actions, QWidget *parent)
    : QDialog(parent), actions_(actions), edit_(new QLineEdit), list_(new QListWidget) {
    setWindowTitle(tr("All actions"));
    edit_->setObjectName("paletteEdit");
    edit_->setAccessibleName(tr("Name of an action"));
    edit_->setPlaceholderText(tr("Part of an action's name"));
    list_->setObjectName("paletteList");
    list_->setAccessibleName(tr("Actions"));
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(edit_);
    layout->addWidget(list_);
    resize(480, 420);
    connect(edit_, &QLineEdit::textChanged, this, &ActionPalette::narrow);
    connect(edit_, &QLineEdit::returnPressed, this, &ActionPalette::run);
    connect(list_, &QListWidget::itemActivated, this, &ActionPalette::run);
    edit_->installEventFilter(this);
    narrow({});
}

void ActionPalette::narrow(const QString &text) {
    list_->clear();
    for (qsizetype i = 0; i < actions_.size(); ++i) {
        const QAction &a = *actions_[i];
        if (!a.isEnabled() || !nameOf(a).contains(text, Qt::CaseInsensitive))
            continue;
        const QString keys = keysOf(a);
        auto *item = new QListWidgetItem(
            keys.isEmpty() ? nameOf(a) : QString("%1    (%2)").arg(nameOf(a), keys), list_);
        item->setData(Qt::UserRole, static_cast<int>(i));
    }
    list_->setCurrentRow(0);
}

void ActionPalette::run() {
    const QListWidgetItem *item = list_->currentItem();
    if (item == nullptr)
        return;
    QAction *a = actions_[item->data(Qt::UserRole).toInt()];
    accept();
    a->trigger();
}

bool ActionPalette::eventFilter(QObject *o, QEvent *e) {
    if (o == edit_ && e->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent *>(e)->key();
        if (key == Qt::Key_Down || key == Qt::Key_Up) {
            list_->setCurrentRow(
                std::clamp(list_->currentRow() + (key == Qt::Key_Down ? 1 : -1), 0, list_->count() - 1));
            return true;
        }
    }
    return QDialog::eventFilter(o, e);
}

QDialog *shortcutList(const QList<QAction *> &actions, QWidget *parent) {
    auto *dialog = new QDialog(parent);
    dialog->setObjectName("shortcuts");
    dialog->setWindowTitle(ActionPalette::tr("Keys"));
    auto *table = new QTableWidget(0, 2);
    table->setAccessibleName(ActionPalette::tr("Actions and their keys"));
    table->setHorizontalHeaderLabels({ActionPalette::tr("Action"), ActionPalette::tr("Keys")});
    table->verticalHeader()->hide();
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    const auto add = [table](const QString &what, const QString &keys) {
        const int row = table->rowCount();
        table->insertRow(row);
        table->setItem(row, 0, new QTableWidgetItem(what));
        table->setItem(row, 1, new QTableWidgetItem(keys));
    };
    for (const QAction *a : actions)
        if (!keysOf(*a).isEmpty())
            add(nameOf(*a), keysOf(*a));
    add(ActionPalette::tr("Zoom at the pointer"), ActionPalette::tr("Wheel"));
    add(ActionPalette::tr("Select a range"), ActionPalette::tr("Drag"));
    add(ActionPalette::tr("Move sideways"),
        ActionPalette::tr("Shift and drag, middle button, Shift and wheel"));
    add(ActionPalette::tr("Packet in Wireshark"), ActionPalette::tr("Double click"));
    add(ActionPalette::tr("What Esc closes, the first of these that is there"),
        ActionPalette::tr(
            "list of completions\nmistake in the filter\nfocus of the filter\nmessage above the "
            "views\nstart page over a capture\nselection\nrange"));
    add(ActionPalette::tr("Remove a filter or the range"),
        ActionPalette::tr("Delete on its chip\nLeft in the empty filter goes there"));
    table->verticalHeader()->setMinimumSectionSize(table->fontMetrics().height() + 8);
    table->setShowGrid(false);
    table->setAlternatingRowColors(true);
    table->resizeColumnsToContents();
    table->resizeRowsToContents();
    table->horizontalHeader()->setStretchLastSection(true);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    auto *layout = new QVBoxLayout(dialog);
    layout->addWidget(table);
    layout->addWidget(buttons);
    dialog->resize(QSize(680, 680).boundedTo(parent->screen()->availableSize() - QSize(40, 80)));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    return dialog;
}

} // namespace iscsiscope::gui

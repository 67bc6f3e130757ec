// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/window/window_state.h"

#include "gui/models/cycles/cycle_table_model.h"
#include "gui/views/cycles/cycle_grid.h"
#include "gui/views/cycles/cycles_view.h"
#include "gui/views/timeline/timeline_view.h"
#include "gui/window/main_window.h"

#include <QHeaderView>
#include <QMenu>
#include <QSettings>
#include <QSplitter>
#include <QTableView>
#include <QTreeView>

namespace iscsiscope::gui {
namespace {

// Object name, or the place among its like in the view, for those that have none.
template <class T, class Use>
void eachNamed(MainWindow &w, const Use &use) {
    for (const QString &view : viewNames) {
        int place = 0;
        for (T *t : w.viewOf(view)->template findChildren<T *>()) {
            const QString name = t->objectName().isEmpty() ? QString::number(place) : t->objectName();
            ++place;
            use(view + "/" + name, *t);
        }
    }
}

QHeaderView *headerOf(QAbstractItemView &v) {
    if (auto *table = qobject_cast<QTableView *>(&v))
        return table->horizontalHeader();
    auto *tree = qobject_cast<QTreeView *>(&v);
    return tree != nullptr ? tree->header() : nullptr;
}

// The columns shown, from left to right, as NAME=WIDTH.
QStringList columnsOf(MainWindow &w) {
    const CycleTableModel &model = w.cycles().model();
    const QHeaderView &header = w.cycles().grid().header();
    QStringList list;
    for (int visual = 0; visual < header.count(); ++visual) {
        const int c = header.logicalIndex(visual);
        if (!header.isSectionHidden(c))
            list << QString("%1=%2")
                        .arg(model.headerData(c, Qt::Horizontal, CycleTableModel::ExactRole).toString())
                        .arg(header.sectionSize(c));
    }
    return list;
}

void setColumns(MainWindow &w, const QStringList &list) {
    const CycleTableModel &model = w.cycles().model();
    QHeaderView &header = w.cycles().grid().header();
    QList<int> shown;
    QList<int> widths;
    for (const QString &entry : list) {
        const int c = model.columnOf(entry.section('=', 0, 0));
        if (c >= 0 && !shown.contains(c)) {
            shown << c;
            widths << entry.section('=', 1).toInt();
        }
    }
    if (shown.isEmpty())
        return;
    const QList<QAction *> actions = header.actions(); // one a column
    for (int c = 0; c < actions.size(); ++c)
        actions[c]->setChecked(shown.contains(c)); // shows and hides
    for (int i = 0; i < shown.size(); ++i) {
        header.moveSection(header.visualIndex(shown[i]), i);
        if (widths[i] > 0)
            header.resizeSection(shown[i], widths[i]);
    }
}

} // namespace

void saveLayout(MainWindow &w) {
    QSettings s;
    s.setValue("geometry", w.saveGeometry());
    s.beginGroup("layout");
    s.setValue("view", w.viewName());
    s.setValue("columns", columnsOf(w));
    QStringList lines;
    for (const QAction *a : w.timeline().lanesMenu()->actions())
        if (a->isCheckable() && a->isChecked())
            lines << a->text();
    s.setValue("lines", lines);
    s.setValue("panels", w.panelsWanted());
    eachNamed<QSplitter>(
        w, [&s](const QString &name, const QSplitter &t) { s.setValue("splitters/" + name, t.saveState()); });
    eachNamed<QAbstractItemView>(w, [&s](const QString &name, QAbstractItemView &t) {
        const QHeaderView *header = headerOf(t);
        if (header != nullptr && header->count() > 1)
            s.setValue(QString("headers/%1/%2").arg(name).arg(header->count()), header->saveState());
    });
}

void restoreLayout(MainWindow &w) {
    QSettings s;
    if (s.contains("geometry"))
        w.restoreGeometry(s.value("geometry").toByteArray());
    s.beginGroup("layout");
    if (s.contains("view")) {
        // These two show nothing of the capture that is opened now.
        const QString view = s.value("view").toString();
        w.chooseView(view == "compare" || view == "testbed" ? "overview" : view);
    }
    setColumns(w, s.value("columns").toStringList());
    if (s.contains("lines")) {
        const QStringList lines = s.value("lines").toStringList();
        for (QAction *a : w.timeline().lanesMenu()->actions())
            if (a->isCheckable() && a->isChecked() != lines.contains(a->text()))
                a->trigger();
    }
    if (s.contains("panels"))
        w.setPanelsWanted(s.value("panels").toStringList());
    eachNamed<QSplitter>(w, [&s](const QString &name, QSplitter &t) {
        if (s.contains("splitters/" + name))
            t.restoreState(s.value("splitters/" + name).toByteArray());
    });
    eachNamed<QAbstractItemView>(w, [&s](const QString &name, QAbstractItemView &t) {
        QHeaderView *header = headerOf(t);
        if (header == nullptr || header->count() < 2)
            return;
        const QVariant v = s.value(QString("headers/%1/%2").arg(name).arg(header->count()));
        if (v.isValid())
            header->restoreState(v.toByteArray());
    });
}

} // namespace iscsiscope::gui

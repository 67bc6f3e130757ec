// SPDX-License-Identifier: GPL-2.0-or-later
// Every action with its keys.
#include "gui/window/main_window.h"

#include "gui/document/file_state.h"
#include "gui/views/cycles/cycles_view.h"
#include "gui/views/filter_bar.h"
#include "gui/views/theme.h"
#include "gui/views/timeline/timeline_view.h"
#include "gui/window/action_palette.h"
#include "gui/window/exports/export_job.h"

#include "analyzer/base/version/version_line.h"

#include <QApplication>
#include <QDockWidget>
#include <QFileInfo>
#include <QInputDialog>
#include <QLineEdit>
#include <QMenuBar>
#include <QMessageBox>
#include <QScrollBar>
#include <QSettings>

namespace iscsiscope::gui {

QAction *MainWindow::add(QMenu *menu, const char *name, const QString &text, const QList<QKeySequence> &keys,
                         std::function<void()> run) {
    auto *a = new QAction(text, this);
    a->setObjectName(name);
    a->setShortcuts(keys);
    // One key may be a letter: it must reach a text that is being written, which Qt sees to for plain
    // letters.
    connect(a, &QAction::triggered, this, [run = std::move(run)] { run(); });
    menu->addAction(a);
    addAction(a);
    actions_ << a;
    return a;
}

QAction *MainWindow::action(const QString &name) const {
    for (QAction *a : actions_)
        if (a->objectName() == name)
            return a;
    return nullptr;
}

void MainWindow::makeActions() {
    Document *d = &document_;
    const auto view = [d] { return d->view(); };

    QMenu *file = menuBar()->addMenu(tr("&File"));
    add(file, "open", tr("&Open…"), {QKeySequence::Open}, [this] { askOpen(); });
    recent_ = file->addMenu(tr("Open &recent"));
    connect(recent_, &QMenu::aboutToShow, this, &MainWindow::fillRecent);
    fillRecent();
    add(
        file, "start", tr("&Start page"), {QKeySequence("Alt+Home")}, [this] { showStart(); });
    add(
        file, "reload", tr("Re&load"), {QKeySequence("F5"), QKeySequence("Ctrl+R")}, [d] { d->reload(); });
    add(file, "cancelReading", tr("&Cancel reading"), {}, [d] { d->cancelLoading(); });
    file->addSeparator();
    add(
        file, "exportPicture", tr("Export the &picture…"), {QKeySequence("Ctrl+E")},
        [this] {
            askExport(
                tr("Export the picture"), tr("PNG (*.png);;SVG (*.svg);;PDF (*.pdf)"), "iscsiscope.png",
                [this](const QString &p) {
                    if (const auto mistake = exportPictureTo(p))
                        complain(*mistake);
                    else
                        say(tr("Written: %1").arg(p));
                });
        });
    add(
        file, "exportCsv", tr("Export cycles as C&SV…"), {QKeySequence("Ctrl+Shift+E")},
        [this] {
            askExport(
                tr("Export cycles"), tr("CSV (*.csv)"), "cycles.csv",
                [this](const QString &p) { exportCsvTo(p); });
        });
    add(
        file, "exportReport", tr("Export the &report as HTML…"), {QKeySequence("Ctrl+Shift+R")},
        [this] {
            askExport(
                tr("Export the report"), tr("HTML (*.html)"), "report.html",
                [this](const QString &p) { exportReportTo(p); });
        });
    add(file, "cancelWriting", tr("Cancel &writing"), {}, [this] { export_->cancel(); });
    file->addSeparator();
    add(file, "quit", tr("&Quit"), {QKeySequence::Quit}, [this] { close(); });

    QMenu *show = menuBar()->addMenu(tr("&View"));
    for (int i = 0; i < viewNames.size(); ++i) {
        QString title = viewNames[i];
        title[0] = title[0].toUpper();
        add(show, qPrintable("view:" + viewNames[i]), title, {QKeySequence(QString("Alt+%1").arg(i + 1))},
            [this, i] { showView(viewNames[i]); });
    }
    show->addSeparator();
    add(
        show, "zoomIn", tr("Zoom &in"),
        {QKeySequence("+"), QKeySequence("="), QKeySequence("W"), QKeySequence("Ctrl++")},
        [this] { zoom(0.5); });
    add(
        show, "zoomOut", tr("Zoom &out"), {QKeySequence("-"), QKeySequence("S"), QKeySequence("Ctrl+-")},
        [this] { zoom(2); });
    add(
        show, "fitAll", tr("The &whole capture"), {QKeySequence("0")}, [d] { d->fitAll(); });
    add(
        show, "fitSelection", tr("&Fit the selection"), {QKeySequence("F")}, [d] { d->fitSelection(); });
    add(
        show, "left", tr("Move &left"), {QKeySequence("A"), QKeySequence("Left")}, [this] { pan(-0.2); });
    add(
        show, "right", tr("Move &right"), {QKeySequence("D"), QKeySequence("Right")}, [this] { pan(0.2); });
    add(
        show, "back", tr("Go &back"), {QKeySequence("Backspace"), QKeySequence("Alt+Left")},
        [d] { d->goBack(); });
    add(show, "forward", tr("Go for&ward"), {QKeySequence("Alt+Right")}, [d] { d->goForward(); });
    show->addSeparator();
    QMenu *colours = show->addMenu(tr("&Colours"));
    const auto scheme = [](ColourScheme s) {
        QSettings().setValue("colours", static_cast<int>(s));
        applyScheme(s);
    };
    add(
        colours, "coloursSystem", tr("Colours as the &system"), {}, [=] { scheme(ColourScheme::system); });
    add(
        colours, "coloursLight", tr("&Light colours"), {}, [=] { scheme(ColourScheme::light); });
    add(colours, "coloursDark", tr("&Dark colours"), {}, [=] { scheme(ColourScheme::dark); });
    QMenu *lanes = timeline_->lanesMenu();
    show->addMenu(lanes);
    for (QAction *a : lanes->actions()) {
        a->setObjectName("lane:" + a->text());
        actions_ << a;
    }
    for (const auto &[name, keys] : {std::pair("figures", "Ctrl+I"), std::pair("marks", "Ctrl+M")}) {
        QAction *dock = findChild<QDockWidget *>(name)->toggleViewAction();
        dock->setObjectName(QString(name) + "Dock");
        dock->setShortcut(QKeySequence(keys));
        show->addAction(dock);
        actions_ << dock;
    }

    QMenu *go = menuBar()->addMenu(tr("&Cycles"));
    add(
        go, "next", tr("&Next cycle"), {QKeySequence(".")}, [d] { d->moveCycle(1); });
    add(
        go, "previous", tr("&Previous cycle"), {QKeySequence(",")}, [d] { d->moveCycle(-1); });
    add(
        go, "stepForward", tr("Next frame of the cycle (command → R2T → Data-Out → status)"),
        {QKeySequence("]")}, [d] { d->moveStep(1); });
    add(
        go, "stepBack", tr("Previous frame of the cycle"), {QKeySequence("[")}, [d] { d->moveStep(-1); });
    add(
        go, "rangeOfSelection", tr("&Range: the selected cycle"), {QKeySequence("R")},
        [d] {
            if (d->selection().cycle) {
                const CycleStore &c = d->snapshot()->tables.cycles;
                d->setRange(
                    Interval{c.start(*d->selection().cycle), c.end(*d->selection().cycle) + Duration{1}});
            }
        });
    add(
        go, "rangeOfView", tr("Range: what is in &view"), {QKeySequence("Shift+R")},
        [=] { d->setRange(view()); });
    add(
        go, "findFrame", tr("Go to &frame…"), {QKeySequence("Ctrl+G")},
        [this, d] {
            bool good = false;
            const int frame = QInputDialog::getInt(this, tr("Go to frame"), tr("Number of the frame"), 1, 1,
                                                   2147483647, 1, &good);
            if (good) {
                d->findFrame(static_cast<FrameNumber>(frame));
            }
        });
    add(
        go, "likeThis", tr("Filter: cycles &like the selected one"), {QKeySequence("L")},
        [this] {
            if (!cycles_->filterLikeSelected())
                say(tr("Select a cycle first."));
        });
    add(go, "wireshark", tr("The packet in &Wireshark"), {QKeySequence("G")},
        [this, d] { packet(d->selection().frame); });
    go->addSeparator();
    add(
        go, "filter", tr("F&ilter"), {QKeySequence("/"), QKeySequence::Find},
        [this] {
            filters_->edit().setFocus(Qt::ShortcutFocusReason);
            filters_->edit().selectAll();
        });
    add(go, "mark", tr("Set or take away a &mark (at the pointer, else the selection)"), {QKeySequence("M")},
        [this] { setMark(); });
    // The innermost first, one at a time; a popup and a name being edited take the key themselves.
    add(go, "clear", tr("&Close or clear the innermost"), {QKeySequence("Escape")}, [this] { stepOut(); });

    QMenu *help = menuBar()->addMenu(tr("&Help"));
    add(help, "shortcuts", tr("&Keys"), {QKeySequence("?")},
        [this] { shortcutList(actions_, this)->show(); });
    add(
        help, "palette", tr("&All actions…"), {QKeySequence("Ctrl+Shift+P")},
        [this] {
            auto *p = new ActionPalette(actions_, this);
            p->setObjectName("palette");
            p->setAttribute(Qt::WA_DeleteOnClose);
            p->show();
        });
    add(help, "about", tr("A&bout iscsiscope"), {}, [this] { about(); });
}

void MainWindow::fillRecent() {
    recent_->clear();
    for (const QString &f : recentFiles()) {
        recent_->addAction(
            QFileInfo(f).fileName() + "  (" + QFileInfo(f).path() + ")", this, [this, f] { open({f}); });
    }
    if (recent_->isEmpty())
        recent_->addAction(tr("(none)"))->setEnabled(false);
}

void MainWindow::about() {
    auto *box = new QMessageBox(
        QMessageBox::Information, tr("About iscsiscope"),
        tr("<b>iscsiscope %1</b><p>Where the time of iSCSI Read and Write cycles goes, from a packet "
           "capture.<p>The sources are under GPL-2.0-or-later. This program is linked with QCustomPlot "
           "(GPL-3.0-or-later) and is therefore distributed under GPL-3.0-or-later. It uses Qt %2 "
           "(LGPL-3.0).")
            .arg(QString::fromStdString(version_and_commit()), qVersion()),
        QMessageBox::Ok, this);
    box->setObjectName("about");
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

} // namespace iscsiscope::gui

// SPDX-License-Identifier: GPL-2.0-or-later
// The start page, what is remembered over a restart, sizes, and a display that does not answer.
#include "catch.h"
#include "gui/document/file_state.h"
#include "gui/models/cycles/cycle_table_model.h"
#include "gui/views/cycles/cycle_grid.h"
#include "gui/views/cycles/cycles_view.h"
#include "gui/views/filter_bar.h"
#include "gui/views/start/capture_list.h"
#include "gui/views/start/start_page.h"
#include "gui/views/timeline/timeline_view.h"
#include "gui/window/main_window.h"
#include "gui/window/window_state.h"
#include "support.h"

#include <QDockWidget>
#include <QHeaderView>
#include <QMenu>
#include <QProcess>
#include <QPushButton>
#include <QScrollArea>
#include <QSettings>
#include <QSplitter>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

using namespace iscsiscope;
using namespace iscsiscope::gui;

namespace {

const QString someCapture = "tgt-qemu.pcapng.zst";

QAction *columnAction(MainWindow &w, const QString &name) {
    return w.cycles().grid().header().actions().at(w.cycles().model().columnOf(name));
}

} // namespace

TEST_CASE("The start page lists recent captures and samples and opens them by keyboard") {
    const QTemporaryDir scratch;
    const QString file = scratch.filePath("mine.pcapng.zst"), lost = scratch.filePath("lost.pcap");
    REQUIRE(QFile::copy(sample(someCapture), file));
    QSettings().setValue("recent", QStringList{lost, file});
    MainWindow w;
    w.resize(1000, 600);
    w.show();
    CHECK(w.startShown());
    CHECK_FALSE(w.filterBar().isVisible());
    CHECK_FALSE(w.findChild<QDockWidget *>("figures")->isVisible());
    CaptureList &recent = w.startPage().recent();
    REQUIRE(waitFor([&] { return recent.count() == 2; }));
    CHECK_FALSE(recent.entries()[0].there);
    CHECK(recent.entries()[1].there);
    CHECK(recent.entries()[1].size == QFileInfo(file).size());
    CHECK(recent.entries()[1].changed == QFileInfo(file).lastModified());
    CHECK(recent.item(0)->data(Qt::AccessibleTextRole).toString().contains("missing"));
    // The bundled captures, found from where the program is.
    CHECK(w.startPage().samples().count() >= 15);
    CHECK(w.startPage().samples().entries()[0].title == "plain-read");

    recent.setFocus();
    recent.setCurrentRow(0);
    QTest::keyClick(&recent, Qt::Key_Delete);
    CHECK(recentFiles() == QStringList{file});
    REQUIRE(recent.count() == 1);
    QTest::keyClick(&recent, Qt::Key_Return);
    REQUIRE(settled(w.document()));
    CHECK_FALSE(w.startShown());
    CHECK(w.filterBar().isVisible());
    CHECK(w.document().snapshot()->files == QStringList{file});
    CHECK(w.startPage().isHidden());

    w.action("start")->trigger();
    CHECK(w.startShown());
    QTest::keyClick(&w, Qt::Key_Escape); // back to the capture
    CHECK_FALSE(w.startShown());
    w.showStart();
    QTest::keyClick(&w, Qt::Key_4, Qt::AltModifier);
    CHECK(w.currentView() == &w.cycles());

    CHECK(samplesIn(scratch.filePath("nowhere")).empty());
}

TEST_CASE("Tab goes through the start page: recent captures, samples, button") {
    QSettings().setValue("recent", QStringList{sample(someCapture)});
    MainWindow w;
    w.resize(1000, 600);
    w.show();
    REQUIRE(waitFor([&] { return w.startPage().recent().hasFocus(); }));
    QSet<QString> reached;
    for (int i = 0; i < 6; ++i) {
        reached << QApplication::focusWidget()->objectName();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    }
    INFO(QStringList(reached.values()).join(", ").toStdString());
    for (const char *name : {"recentCaptures", "sampleCaptures", "startOpen"})
        CHECK(reached.contains(name));
}

TEST_CASE("Tab, splitters, columns, lines and panels are remembered over a restart") {
    QSettings().clear();
    QStringList before;
    const auto columns = [](MainWindow &w) {
        QStringList list;
        const QHeaderView &h = w.cycles().grid().header();
        for (int v = 0; v < h.count(); ++v)
            if (!h.isSectionHidden(h.logicalIndex(v)))
                list << QString("%1 %2").arg(h.logicalIndex(v)).arg(h.sectionSize(h.logicalIndex(v)));
        return list;
    };
    QList<int> sizes;
    QString line;
    {
        MainWindow w;
        w.resize(1100, 700);
        w.show();
        w.open({sample(someCapture)});
        REQUIRE(settled(w.document()));
        w.showView("cycles");
        CycleGrid &grid = w.cycles().grid();
        columnAction(w, "lun")->trigger();         // away
        columnAction(w, "bytes_moved")->trigger(); // here
        const int type = w.cycles().model().columnOf(u"type");
        grid.header().moveSection(grid.header().visualIndex(type), 0);
        grid.header().resizeSection(type, 123);
        auto *split = w.cycles().findChild<QSplitter *>();
        split->setSizes({300, 700});
        sizes = split->sizes();
        QAction *a = w.timeline().lanesMenu()->actions().back();
        line = a->text();
        a->trigger();
        w.action("marksDock")->trigger();
        w.findChild<QDockWidget *>("figures")->close();
        before = columns(w);
        CHECK(before.front() == QString("%1 123").arg(type));
        w.close();
    }
    MainWindow w;
    restoreLayout(w);
    CHECK(w.viewName() == "cycles");
    CHECK(w.startShown());
    w.show();
    CHECK(w.size() == QSize(1100, 700));
    w.open({sample(someCapture)});
    REQUIRE(settled(w.document()));
    CHECK(w.currentView() == &w.cycles());
    CHECK(columns(w) == before);
    CHECK_FALSE(columnAction(w, "lun")->isChecked());
    CHECK(columnAction(w, "bytes_moved")->isChecked());
    const auto now = w.cycles().findChild<QSplitter *>()->sizes();
    CHECK(std::abs(static_cast<double>(now[0]) / (now[0] + now[1]) -
                   static_cast<double>(sizes[0]) / (sizes[0] + sizes[1])) < 0.05);
    for (const QAction *a : w.timeline().lanesMenu()->actions())
        if (a->text() == line)
            CHECK(a->isChecked());
    CHECK(w.findChild<QDockWidget *>("marks")->isVisible());
    CHECK_FALSE(w.findChild<QDockWidget *>("figures")->isVisible());
    QSettings().clear();
}

TEST_CASE("Every view fits into 1024 x 600, with the panels shown") {
    MainWindow w;
    w.show();
    w.open({sample(someCapture)});
    REQUIRE(settled(w.document()));
    w.setPanelsWanted({"figures", "marks"});
    w.document().selectCycle(20);
    REQUIRE_FALSE(w.document().addFilter("type == \"read\"").has_value());
    REQUIRE(settled(w.document()));
    for (const QString &view : QStringList(viewNames) + QStringList{"start"}) {
        INFO(view.toStdString());
        w.showView(view);
        w.resize(1024, 600);
        REQUIRE(painted(*w.currentView()));
        CHECK(w.currentView()->minimumSizeHint().width() <= 1024);
        CHECK(w.minimumSizeHint().width() <= 1024);
        CHECK(w.minimumSizeHint().height() <= 600 - 30); // less a title bar
        CHECK(w.width() == 1024);
        CHECK(w.height() == 600);
        INFO("wants " << w.currentView()->minimumSizeHint().width() << " x "
                      << w.currentView()->minimumSizeHint().height());
        for (const QWidget *c : w.findChildren<QWidget *>()) {
            if (!c->isVisible() || c->window() != &w || c->width() == 0 || c->height() == 0)
                continue;
            bool scrolled = false; // what is in a scroll area may be larger
            for (const QWidget *p = c->parentWidget(); p != nullptr; p = p->parentWidget())
                scrolled = scrolled || qobject_cast<const QAbstractScrollArea *>(p) != nullptr ||
                           p->objectName() == "qt_scrollarea_viewport" || p->inherits("QTabBar");
            if (scrolled || c->inherits("QTabBar"))
                continue;
            const QRect in(c->mapTo(&w, QPoint(0, 0)), c->size());
            if (!w.rect().contains(in)) {
                UNSCOPED_INFO(c->metaObject()->className() << " " << c->objectName().toStdString());
                CHECK(w.rect().contains(in));
            }
        }
    }
}

TEST_CASE("A display that does not answer gives the message for none") {
    const QTemporaryDir scratch;
    QProcessEnvironment bare = QProcessEnvironment::systemEnvironment();
    for (const char *name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "XDG_SESSION_TYPE"})
        bare.remove(name);
    bare.insert("XDG_CONFIG_HOME", scratch.path());
    bare.insert("XDG_RUNTIME_DIR", scratch.path());
    const QList<std::pair<QString, QString>> bad{{"DISPLAY", ":4711"},
                                                 {"DISPLAY", "nonsense"},
                                                 {"WAYLAND_DISPLAY", "wayland-4711"},
                                                 {"QT_QPA_PLATFORM", "nonsense"},
                                                 {"QT_QPA_PLATFORM", "xcb"}};
    for (const auto &[name, value] : bad) {
        INFO(name.toStdString() << "=" << value.toStdString());
        QProcessEnvironment with = bare;
        with.insert(name, value);
        QProcess p;
        p.setProcessEnvironment(with);
        p.setWorkingDirectory(scratch.path());
        p.start(ISCSISCOPE_GUI_PROGRAM, {sample(someCapture)});
        REQUIRE(p.waitForFinished(300'000));
        CHECK(p.exitStatus() == QProcess::NormalExit);
        CHECK(p.exitCode() == 2);
        const QByteArray said = p.readAllStandardError();
        CHECK(said.contains("iscsiscope report"));
        CHECK(said.contains(value.toUtf8()));
        CHECK(said.count('\n') == 1);
        CHECK(p.readAllStandardOutput().isEmpty());
    }
    CHECK(QDir(scratch.path()).entryList({"core*"}, QDir::Files).isEmpty());
    // One that does: it goes on, here until it is told that the file is none.
    bare.insert("QT_QPA_PLATFORM", "offscreen");
    QProcess p;
    p.setProcessEnvironment(bare);
    p.start(ISCSISCOPE_GUI_PROGRAM, {"--view", "nonsense"});
    REQUIRE(p.waitForFinished(300'000));
    CHECK(p.readAllStandardError().contains("nonsense"));
}

// SPDX-License-Identifier: GPL-2.0-or-later
// The real window, off-screen, driven by mouse and keys.
#include "catch.h"
#include "gui/models/cycles/cycle_table_model.h"
#include "gui/models/words.h"
#include "gui/views/compare/compare_view.h"
#include "gui/views/cycles/chart_plot.h"
#include "gui/views/cycles/cycle_grid.h"
#include "gui/views/cycles/cycles_view.h"
#include "gui/views/experiment/testbed_view.h"
#include "gui/views/filter_bar.h"
#include "gui/views/ladder_view.h"
#include "gui/views/notice_bar.h"
#include "gui/views/overview/overview_view.h"
#include "gui/views/timeline/timeline_plot.h"
#include "gui/views/timeline/timeline_view.h"
#include "gui/window/main_window.h"
#include "gui/window/wireshark.h"
#include "support.h"

#include <QAccessible>
#include <QCompleter>
#include <QDialog>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QMimeData>
#include <QProcess>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <cstdio>
#include <set>
#include <tuple>

using namespace iscsiscope;
using namespace iscsiscope::gui;

namespace {

struct Window {
    MainWindow w;
    explicit Window(const QString &file = {}) {
        w.document().setRemembers(false);
        w.resize(1200, 800);
        w.show();
        if (!file.isEmpty()) {
            w.open({file});
            REQUIRE(settled(w.document()));
        }
    }
    Document *operator->() { return &w.document(); }
    void key(Qt::Key k, Qt::KeyboardModifiers m = Qt::NoModifier) {
        QTest::keyClick(QApplication::focusWidget() != nullptr ? QApplication::focusWidget() : &w, k, m);
    }
};

QByteArray head(const QString &path, qint64 n) {
    QFile f(path);
    return f.open(QIODevice::ReadOnly) ? f.read(n) : QByteArray();
}

const QString pingPong = "r2t-ping-pong.initiator.pcapng.zst";

} // namespace

TEST_CASE("Statistics state what passed on the wire, and that tasks are missing") {
    const auto figuresOf = [](const QString &file) {
        Window window(file);
        return window.w.findChild<QLabel *>("rangeFigures")->text();
    };
    CHECK(figuresOf(sample("mcs-unequal.initiator.pcapng.zst")).contains("on the wire"));
    CHECK_FALSE(figuresOf(sample("mcs-unequal.initiator.pcapng.zst")).contains("a part of them found"));
    for (const QString &file : realCaptures()) {
        if (!file.contains("n_cwnd_write_reno_20mbit"))
            continue;
        const QString text = figuresOf(file);
        CHECK(text.contains(byteWords(44'090'532)));
        CHECK(text.contains("a part of them found"));
    }
}

TEST_CASE("Select by drag, zoom at the pointer, fit, back") {
    Window window(sample("tgt-qemu.pcapng.zst"));
    window.w.showView("timeline");
    TimelinePlot &plot = window.w.timeline().plot();
    REQUIRE(painted(plot));
    plot.setFocus();
    const TimeScale s = plot.scale();
    const int y = plot.height() / 3;
    const QPoint from(static_cast<int>(s.left + s.width * 0.3), y),
        to(static_cast<int>(s.left + s.width * 0.6), y);
    QTest::mousePress(&plot, Qt::LeftButton, {}, from);
    QTest::mouseMove(&plot, from + QPoint(30, 0));
    QTest::mouseMove(&plot, to);
    QTest::mouseRelease(&plot, Qt::LeftButton, {}, to);
    REQUIRE(window->range().has_value());
    // Snapped to an edge of a cycle at most six pixels away.
    const Duration six = s.toTime(7) - s.toTime(0);
    CHECK(std::chrono::abs(window->range()->from - s.toTime(from.x())) <= six);
    CHECK(std::chrono::abs(window->range()->to - s.toTime(to.x())) <= six);
    REQUIRE(settled(window.w.document()));
    CHECK(window->figures()->tasks() < window->snapshot()->report->tasks());
    CHECK(window->figures()->tasks() == window->matches()->size());
    CHECK(window.w.findChild<QLabel *>("rangeFigures")->text().contains("p99"));

    const Interval before = window->view();
    const QPointF at(s.left + s.width * 0.25, y);
    const Time under = plot.scale().toTime(at.x());
    QWheelEvent wheel(at, plot.mapToGlobal(at), {}, {0, 120}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                      false);
    QApplication::sendEvent(&plot, &wheel);
    CHECK(window->view().length() < before.length());
    CHECK(std::chrono::abs(plot.scale().toTime(at.x()) - under) <= window->view().length() / 500);
    window.key(Qt::Key_Backspace);
    CHECK(window->view() == before);
    window.key(Qt::Key_F); // the range
    CHECK(std::chrono::abs(window->view().from - window->range()->from) <= Duration{2});
    window.key(Qt::Key_0);
    CHECK(window->view().length() >= window->snapshot()->whole.length());
    window.key(Qt::Key_W);
    const Interval zoomedIn = window->view();
    window.key(Qt::Key_D);
    CHECK(window->view().from > zoomedIn.from);
    window.key(Qt::Key_A);
    CHECK(window->view().from == zoomedIn.from);
    QTest::mousePress(&plot, Qt::MiddleButton, {}, from);
    QTest::mouseMove(&plot, from + QPoint(-40, 0));
    QTest::mouseRelease(&plot, Qt::MiddleButton, {}, from + QPoint(-40, 0));
    CHECK(window->view().from > zoomedIn.from);
    window.key(Qt::Key_Escape);
    CHECK_FALSE(window->range().has_value());
}

TEST_CASE("Filters: completion, a wrong one, chips") {
    Window window(sample("tgt-qemu.pcapng.zst"));
    QLineEdit &edit = window.w.filterBar().edit();
    window.w.action("filter")->trigger();
    QTest::keyClicks(&edit, "respo");
    CHECK(edit.completer()->currentCompletion() == "response_time");
    edit.clear();
    edit.setText("respnse_time > 5ms");
    QTest::keyClick(&edit, Qt::Key_Return);
    auto *mistake = window.w.findChild<QLabel *>("filterMistake");
    CHECK(mistake->isVisible());
    CHECK(mistake->text().contains("response_time"));
    CHECK(window->filters().isEmpty());
    edit.setText("type == \"write\"");
    QTest::keyClick(&edit, Qt::Key_Return);
    REQUIRE(settled(window.w.document()));
    CHECK_FALSE(mistake->isVisible());
    CHECK(window.w.cycles().model().rowCount() == 24);
    QToolButton *chip = nullptr;
    for (auto *b : window.w.filterBar().findChildren<QToolButton *>())
        chip = b->property("chip").toBool() && b->accessibleName().contains("type ==") ? b : chip;
    REQUIRE(chip != nullptr);
    QTest::mouseClick(chip, Qt::LeftButton);
    REQUIRE(settled(window.w.document()));
    CHECK(window.w.cycles().model().rowCount() == 338);
}

TEST_CASE("Next cycle, command → R2T → Data-Out → status, marks") {
    const QTemporaryDir scratch;
    const QString file = scratch.filePath("x.pcapng.zst");
    REQUIRE(QFile::copy(sample(pingPong), file));
    Time marked;
    {
        Window window(file);
        window.w.showView("timeline");
        window.w.timeline().plot().setFocus();
        REQUIRE_FALSE(window->addFilter("type == \"write\"").has_value());
        const CycleStore &cycles = window->snapshot()->tables.cycles;
        window.key(Qt::Key_Period);
        while (cycles.type(*window->selection().cycle) != TaskType::write)
            window.key(Qt::Key_Period);
        const Row first = *window->selection().cycle;
        window.key(Qt::Key_Period);
        CHECK(*window->selection().cycle != first);
        window.key(Qt::Key_Comma);
        CHECK(*window->selection().cycle == first);
        window.key(Qt::Key_BracketRight);
        const BurstRecord &burst = window->snapshot()->tables.bursts.record(cycles.firstBurst(first));
        CHECK(window->selection().frame == burst.r2t_frame);
        window.key(Qt::Key_BracketRight);
        CHECK(window->selection().frame == burst.first_frame);
        for (int i = 0; i < 100; ++i)
            window.key(Qt::Key_BracketRight);
        CHECK(window->selection().frame == cycles.record(first).status_frame);
        window.key(Qt::Key_BracketLeft);
        CHECK(window->selection().frame != cycles.record(first).status_frame);
        marked = window->selection().time;
        window.key(Qt::Key_M);
        REQUIRE(window->marks().size() == 1);
    }
    Window again(file);
    REQUIRE(again->marks().size() == 1);
    CHECK(again->marks()[0].time == marked);
    again->toggleMark(marked, Duration{10});
    CHECK_FALSE(QFile::exists(file + ".marks.json"));
}

TEST_CASE("Two captures compared") {
    Window window;
    window.w.compare(sample("read-16ms-four-gaps.initiator.pcapng.zst"),
                     sample("read-16ms-two-gaps.initiator.pcapng.zst"));
    REQUIRE(settled(window.w.document()));
    REQUIRE(waitFor(
        [&] { return !window.w.compareView().pending() && window.w.compareView().model().rowCount() > 0; }));
    const CompareModel &m = window.w.compareView().model();
    bool found = false;
    for (int row = 0; row < m.rowCount(); ++row) {
        if (m.index(row, CompareModel::Of).data(CompareModel::RawRole).toString() == "read" &&
            m.index(row, CompareModel::Name).data(CompareModel::RawRole).toString() == "response_time.p50") {
            found = true;
            const double first = m.index(row, CompareModel::First).data(CompareModel::RawRole).toDouble();
            const double second = m.index(row, CompareModel::Second).data(CompareModel::RawRole).toDouble();
            CHECK(first == static_cast<double>(
                               *window->figures()->types[0].of(CycleFigure::response_time).quantile(0.5)));
            CHECK(m.index(row, CompareModel::Change).data(CompareModel::RawRole).toDouble() ==
                  Approx(second / first - 1));
            CHECK(second < first * 0.6);
        }
    }
    CHECK(found);
}

TEST_CASE("Dropped, bad, replaced and closed while loading") {
    Window window;
    QMimeData mime;
    mime.setUrls({QUrl::fromLocalFile(sample(pingPong))});
    QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window.w, &enter);
    CHECK(enter.isAccepted());
    QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window.w, &drop);
    REQUIRE(settled(window.w.document()));
    CHECK(window->snapshot()->tables.cycles.size() > 0);

    const QTemporaryDir scratch;
    QFile bad(scratch.filePath("bad.pcap"));
    REQUIRE(bad.open(QIODevice::WriteOnly));
    bad.write("this is no capture");
    bad.close();
    window.w.open({bad.fileName()});
    REQUIRE(settled(window.w.document()));
    auto *box = window.w.findChild<QLabel *>("complaint");
    REQUIRE(box->isVisible());
    CHECK(box->text().contains("bad.pcap"));
    window.w.complaint().hide();
    CHECK(window->snapshot()->tables.cycles.size() > 0); // what was open stays

    window.w.open({sample("speed-step.target.pcapng.zst")});
    window.w.open({sample("tgt-qemu.pcapng.zst")});
    REQUIRE(settled(window.w.document()));
    CHECK(window->snapshot()->files == QStringList{sample("tgt-qemu.pcapng.zst")});
    CHECK(window->snapshot()->tables.cycles.size() == 338);

    window.w.open({sample("speed-step.target.pcapng.zst")});
    window->cancelLoading();
    REQUIRE(settled(window.w.document()));
    CHECK(window->snapshot()->complete);
    if (window->snapshot()->cancelled)
        CHECK(window->snapshot()->note.contains("cancelled"));
    {
        Window closing;
        closing.w.open({sample("speed-step.target.pcapng.zst")});
        REQUIRE(waitFor([&] { return closing->snapshot()->bytesRead > 0 || !closing->loading(); }));
        closing.w.close();
    } // nothing to see: it must neither hang nor crash

    QMimeData two;
    two.setUrls(
        {QUrl::fromLocalFile(sample(pingPong)), QUrl::fromLocalFile(sample("plain-read.target.pcapng.zst"))});
    QDragEnterEvent enterBoth(QPoint(50, 50), Qt::CopyAction, &two, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window.w, &enterBoth);
    QDropEvent both(QPointF(50, 50), Qt::CopyAction, &two, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window.w, &both);
    REQUIRE(window.w.findChild<QDialog *>("twoFiles") != nullptr);
    window.w.findChild<QDialog *>("twoFiles")->close();
}

TEST_CASE("Wireshark gets an argument list") {
    const QTemporaryDir scratch;
    QFile standIn(scratch.filePath("wireshark"));
    REQUIRE(standIn.open(QIODevice::WriteOnly));
    standIn.write("#!/bin/sh\nprintf '%s\\n' \"$@\" > \"" + scratch.filePath("arguments").toUtf8() +
                  ".new\" && mv \"" + scratch.filePath("arguments").toUtf8() + ".new\" \"" +
                  scratch.filePath("arguments").toUtf8() + "\"\n");
    standIn.close();
    standIn.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    const QString odd = scratch.filePath("a b;$(x).pcapng.zst"); // nothing a shell may see
    REQUIRE(QFile::copy(sample(pingPong), odd));
    const QByteArray path = qgetenv("PATH");
    qputenv("PATH", scratch.path().toUtf8() + ":" + path);
    Window window(odd);
    window->findFrame(40);
    REQUIRE(settled(window.w.document()));
    CHECK(window->selection().frame == 40);
    window.w.action("wireshark")->trigger();
    CHECK(waitFor([&] { return QFile::exists(scratch.filePath("arguments")); }));
    qputenv("PATH", path);
    const QByteArray arguments = head(scratch.filePath("arguments"), 4000);
    const QByteArray start = "-r\n" + odd.toUtf8() + "\n-g\n40\n-Y\nframe.number == 40 or (frame.number >= ";
    CHECK(arguments.left(start.size()) == start);
    const CycleRecord r = window->snapshot()->tables.cycles.record(*window->selection().cycle);
    const auto &hosts = window->snapshot()->tables.streams.at(r.stream);
    CHECK(arguments.contains(QString("frame.number >= %1 and").arg(*r.command_frame).toUtf8()));
    CHECK(arguments.contains(QString("tcp.port == %1 and").arg(hosts.initiator.port).toUtf8()));
    // The second file of a ring buffer counts its frames from 1; a frame of another time has no filter.
    CHECK(cycleFilter(window->snapshot()->tables, *window->selection().cycle, 40, 10)
              .startsWith("frame.number == 30 or"));
    CHECK(cycleFilter(window->snapshot()->tables, *window->selection().cycle, 1'000'000, 0).isEmpty());
}

TEST_CASE("Every action has a name in the list of keys or in the palette; accessible names are set") {
    Window window(sample("tgt-qemu.pcapng.zst"));
    window.w.action("shortcuts")->trigger();
    auto *list = window.w.findChild<QDialog *>("shortcuts");
    REQUIRE(list != nullptr);
    const auto *table = list->findChild<QTableWidget *>();
    int keys = 0;
    for (const QAction *a : window.w.allActions()) {
        keys += a->shortcuts().isEmpty() ? 0 : 1;
        CHECK_FALSE(a->text().isEmpty());
    }
    CHECK(table->rowCount() >= keys);
    CHECK(keys >= 30);
    list->close();
    window.w.action("palette")->trigger();
    auto *palette = window.w.findChild<QDialog *>("palette");
    REQUIRE(palette != nullptr);
    auto *edit = palette->findChild<QLineEdit *>("paletteEdit");
    CHECK(palette->findChild<QListWidget *>("paletteList")->count() >=
          static_cast<int>(window.w.allActions().size()) - 3);
    QTest::keyClicks(edit, "whole capt");
    window->zoomAt(window->view().from, 0.1);
    QTest::keyClick(edit, Qt::Key_Return);
    CHECK(window->view().length() >= window->snapshot()->whole.length());

    int nameless = 0, asked = 0;
    for (int i = 0; i < viewNames.size(); ++i) {
        window.w.showView(viewNames[i]);
        for (QWidget *w : window.w.findChildren<QWidget *>()) {
            if (w->focusPolicy() == Qt::NoFocus || !w->isVisibleTo(&window.w) ||
                w->objectName().startsWith("qt_"))
                continue;
            QAccessibleInterface *a = QAccessible::queryAccessibleInterface(w);
            ++asked;
            if (a == nullptr || (a->text(QAccessible::Name).isEmpty() && w->accessibleName().isEmpty())) {
                ++nameless;
                UNSCOPED_INFO(w->metaObject()->className()
                              << " in " << w->parentWidget()->metaObject()->className());
            }
        }
    }
    CHECK(nameless == 0);
    CHECK(asked > 30);
}

TEST_CASE("The table scrolls, sorts and follows the selection") {
    Window window(sample("tgt-qemu.pcapng.zst"));
    window.w.showView("cycles");
    CycleTableModel &model = window.w.cycles().model();
    const int c = model.columnOf(u"response_time_ns");
    model.sort(c, Qt::DescendingOrder);
    REQUIRE(settled(window.w.document()));
    qlonglong last = std::numeric_limits<qlonglong>::max();
    for (int r = 0; r < model.rowCount(); ++r) {
        const QString text = model.index(r, c).data(CycleTableModel::ExactRole).toString();
        if (!text.isEmpty()) {
            REQUIRE(text.toLongLong() <= last);
            last = text.toLongLong();
        }
    }
    CycleGrid &grid = window.w.cycles().grid();
    grid.setFocus();
    QTest::keyClick(&grid, Qt::Key_Home);
    CHECK(window->selection().cycle == model.cycleAt(0));
    QTest::keyClick(&grid, Qt::Key_End);
    CHECK(window->selection().cycle == model.cycleAt(model.rowCount() - 1));
    window->selectCycle(model.cycleAt(100));
    CHECK(grid.currentRow() == 100);
}

TEST_CASE("Lines below: a legend however many there are, the line under the pointer, keys that scroll") {
    Window window;
    window.w.document().show(synthetic(4'000, 20, 40'000));
    REQUIRE(settled(window.w.document()));
    window.w.showView("timeline");
    TimelinePlot &plot = window.w.timeline().plot();
    plot.setLanes({LaneKind::cwnd, LaneKind::rtt});
    REQUIRE(painted(plot));
    plot.render();
    REQUIRE(plot.contents().size() == 2);
    const LaneContent &windows = plot.contents()[0], &rtt = plot.contents()[1];
    // Of 20 connections 8 with each of three figures; what is left out is said.
    CHECK(windows.lines.size() == maxLines);
    CHECK(windows.leftOut == 3 * (20 - 8));
    CHECK(windows.keys.size() == 3 + 8);
    std::set<std::tuple<QRgb, LineStyle>> looks;
    for (const LaneContent *c : {&windows, &rtt}) {
        looks.clear();
        for (const LaneLine &l : c->lines)
            looks.insert({l.color.rgb(), l.style});
        CHECK(looks.size() == c->lines.size()); // no two alike
    }
    CHECK(rtt.lines.size() == 20);
    // Every line that is drawn has a key, and lies under the pointer where it is drawn.
    std::set<std::size_t> keyed;
    for (const LaneKey &k : rtt.keys)
        keyed.insert(k.lines.begin(), k.lines.end());
    CHECK(keyed.size() == rtt.lines.size());
    const QRect rect = plot.lineRect(1);
    const Interval view = window->view();
    const LaneLine &line = rtt.lines[3];
    const auto middle = line.x.size() / 2;
    double most = 0;
    for (const LaneLine &l : rtt.lines)
        most = std::max(most, *std::max_element(l.y.begin(), l.y.end()));
    const double share =
        (line.x[middle] * 1e9 + inNs(window->snapshot()->origin - view.from)) / inNs(view.length());
    const QPoint at(rect.left() + static_cast<int>(share * rect.width()),
                    rect.bottom() - static_cast<int>(line.y[middle] / (most * 1.08) * rect.height()));
    CHECK(plot.lineWordsAt(at).contains("RTT, connection"));
    CHECK(plot.lineWordsAt(at).contains("ms at"));
    plot.hover(at);
    bool first = false; // of the legend above, which has one row or two
    for (int up = 3; up < 50 && !first; ++up)
        first = plot.lineWordsAt({rect.left() + 20, rect.top() - up}) == "connection 0, to target";
    CHECK(first);
    plot.setFocus();
    REQUIRE(plot.lanesHeight() > plot.lanesVisible());
    window.key(Qt::Key_PageDown);
    CHECK(plot.scrolled() > 0);
    window.key(Qt::Key_PageUp);
    CHECK(plot.scrolled() == 0);
}

TEST_CASE("The ladder zooms and moves by keys") {
    Window window(sample(pingPong));
    window.w.showView("ladder");
    LadderView &ladder = window.w.ladder();
    ladder.setFocus();
    REQUIRE(settled(window.w.document()));
    const Interval all = ladder.model().page().interval;
    REQUIRE_FALSE(ladder.model().page().packets.empty());
    window.key(Qt::Key_W);
    REQUIRE(settled(window.w.document()));
    const Interval nearer = ladder.model().page().interval;
    CHECK(nearer.length() < all.length());
    CHECK(nearer == window->view());
    window.key(Qt::Key_D);
    REQUIRE(settled(window.w.document()));
    CHECK(ladder.model().page().interval.from > nearer.from);
    window.key(Qt::Key_0); // the whole capture: then the cycle again
    REQUIRE(settled(window.w.document()));
    CHECK(ladder.model().page().interval == all);
}

TEST_CASE("The program: pictures without a display, and what it says without one") {
    const QTemporaryDir scratch;
    QProcessEnvironment bare = QProcessEnvironment::systemEnvironment();
    for (const char *name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        bare.remove(name);
    bare.insert("XDG_CONFIG_HOME", scratch.path());
    QProcess p;
    p.setProcessEnvironment(bare);
    p.start(ISCSISCOPE_GUI_PROGRAM,
            {sample(pingPong), "--select", "frame:40", "--range", "0.1..0.5", "--view", "timeline",
             "--screenshot", scratch.filePath("t.png"), "--size", "900x600"});
    REQUIRE(p.waitForFinished(300'000));
    CHECK(p.exitCode() == 0);
    CHECK(p.readAllStandardError().toStdString() == "");
    CHECK(p.readAllStandardOutput().toStdString() == "");
    const QImage picture(scratch.filePath("t.png"));
    CHECK(picture.width() > 500);
    p.start(ISCSISCOPE_GUI_PROGRAM, {sample(pingPong)});
    REQUIRE(p.waitForFinished(300'000));
    CHECK(p.exitCode() == 2);
    CHECK(p.readAllStandardError().contains("iscsiscope report"));
    p.start(ISCSISCOPE_GUI_PROGRAM, {"/no/such.pcap", "--screenshot", scratch.filePath("u.png")});
    REQUIRE(p.waitForFinished(300'000));
    CHECK(p.exitCode() == 2);
    CHECK(p.readAllStandardError().contains("/no/such.pcap"));
    p.start(ISCSISCOPE_GUI_PROGRAM, {"--view", "nonsense", "--screenshot", scratch.filePath("v.png")});
    REQUIRE(p.waitForFinished(300'000));
    CHECK(p.exitCode() == 2);
}

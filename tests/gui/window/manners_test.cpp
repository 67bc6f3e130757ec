// SPDX-License-Identifier: GPL-2.0-or-later
// Keys, focus and going back, in the real window off-screen.
#include "catch.h"
#include "gui/views/filter_bar.h"
#include "gui/views/notice_bar.h"
#include "gui/views/timeline/timeline_plot.h"
#include "gui/views/timeline/timeline_view.h"
#include "gui/window/main_window.h"
#include "support.h"

#include <QAbstractItemView>
#include <QAccessible>
#include <QCompleter>
#include <QDialog>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

using namespace iscsiscope;
using namespace iscsiscope::gui;

namespace {

struct Window {
    MainWindow w;
    explicit Window(const QString &file = sample("tgt-qemu.pcapng.zst"), const QString &view = "timeline") {
        w.document().setRemembers(false);
        w.resize(1200, 800);
        w.show();
        w.activateWindow();
        w.open({file});
        REQUIRE(settled(w.document()));
        w.showView(view);
        w.focusView();
    }
    Document *operator->() { return &w.document(); }
    QLineEdit &edit() { return w.filterBar().edit(); }
    TimelinePlot &plot() { return w.timeline().plot(); }
    // To the widget with the focus, as the window system sends it.
    void key(Qt::Key k, Qt::KeyboardModifiers m = Qt::NoModifier) {
        QWidget *to = QApplication::activePopupWidget();
        to = to != nullptr ? to : QApplication::focusWidget();
        QTest::keyClick(to != nullptr ? to : &w, k, m);
    }
    void wheel(int steps, Qt::KeyboardModifiers m = Qt::NoModifier) {
        const QPointF at(plot().scale().left + plot().scale().width * 0.25, plot().height() / 3.0);
        QWheelEvent e(at, plot().mapToGlobal(at), {}, {0, 120 * steps}, Qt::NoButton, m, Qt::NoScrollPhase,
                      false);
        QApplication::sendEvent(&plot(), &e);
    }
    QList<QToolButton *> chips() {
        QList<QToolButton *> list;
        for (auto *b : w.filterBar().findChildren<QToolButton *>())
            if (b->property("chip").toBool() && b->isVisible())
                list << b;
        return list;
    }
};

} // namespace

TEST_CASE("Small steps within half a second, and all of a drag, are one step back") {
    ViewHistory h;
    const auto first = [](int ns) { return Interval{Time{}, time_from_ns(ns)}; };
    const Interval a = first(100), b = first(50), c = first(25), d = first(12);
    h.step(a, 1000);
    h.step(b, 1400);
    h.step(c, 1900);
    CHECK(h.inGesture(2400));
    CHECK_FALSE(h.inGesture(2401));
    CHECK(h.back(d) == a);
    CHECK_FALSE(h.back(a).has_value());
    CHECK(h.forward(a) == d);
    h.step(d, 1950); // going back ended the gesture
    CHECK(h.back(c) == d);
    h.clear();
    h.step(a, 0);
    h.step(b, 501);
    CHECK(h.back(c) == b);
    CHECK(h.back(b) == a);
    h.clear();
    h.hold();
    h.step(a, 0);
    h.step(b, 5000);
    h.release();
    h.step(c, 5001);
    CHECK(h.back(d) == c);
    CHECK(h.back(c) == a);
}

TEST_CASE("Backspace and Alt+Left undo a whole gesture of wheel, keys or drag") {
    Window window;
    const auto rest = [&] { REQUIRE(waitFor([&] { return !window->inGesture(); })); };
    const Interval start = window->view();
    for (int i = 0; i < 5; ++i)
        window.wheel(1);
    const Interval near = window->view();
    CHECK(near.length() < start.length() / 2);
    rest();
    window.wheel(1);
    rest();
    window.key(Qt::Key_W);
    window.key(Qt::Key_Plus);
    window.key(Qt::Key_Equal);
    window.key(Qt::Key_D);
    const Interval nearest = window->view();
    window.key(Qt::Key_Backspace);
    CHECK(window->view().length() > nearest.length() * 6);
    window.key(Qt::Key_Left, Qt::AltModifier);
    CHECK(window->view() == near);
    window.key(Qt::Key_Left, Qt::AltModifier);
    CHECK(window->view() == start);
    for (int i = 0; i < 3; ++i)
        window.key(Qt::Key_Right, Qt::AltModifier);
    CHECK(window->view() == nearest);

    const QPoint from(window.plot().width() / 2, window.plot().height() / 3);
    QTest::mousePress(&window.plot(), Qt::LeftButton, Qt::ShiftModifier, from);
    for (int i = 1; i <= 4; ++i)
        QTest::mouseMove(&window.plot(), from - QPoint(20 * i, 0));
    QTest::mouseRelease(&window.plot(), Qt::LeftButton, Qt::ShiftModifier, from - QPoint(80, 0));
    CHECK(window->view().from > nearest.from);
    CHECK_FALSE(window->range().has_value());
    window.key(Qt::Key_Backspace);
    CHECK(window->view() == nearest);
}

TEST_CASE("Enter gives the focus back to the view; with a mistake it stays") {
    Window window;
    REQUIRE(window.plot().hasFocus());
    window.key(Qt::Key_Slash);
    REQUIRE(window.edit().hasFocus());
    QTest::keyClicks(&window.edit(), "typ == \"read\"");
    window.key(Qt::Key_Return);
    auto *mistake = window.w.findChild<QLabel *>("filterMistake");
    CHECK(window.edit().hasFocus());
    CHECK(mistake->isVisible());
    CHECK(window.edit().text() == "typ == \"read\"");
    window.edit().clear();
    QTest::keyClicks(&window.edit(), "type == \"write\"");
    window.key(Qt::Key_Return);
    if (QApplication::activePopupWidget() != nullptr)
        FAIL("one Enter must do, with the completions shown too");
    CHECK(window->filters() == QStringList{"type == \"write\""});
    CHECK_FALSE(mistake->isVisible());
    CHECK(window.plot().hasFocus());
    const Interval before = window->view();
    window.key(Qt::Key_W);
    CHECK(window->view().length() < before.length());
    CHECK(window.edit().text().isEmpty());

    // Behind a bracket or a blank all names are offered, which must not swallow Enter.
    for (const char *text : {"(r2t_count >= 0)", "(lba >= 0) "}) {
        INFO(text);
        const auto count = window->filters().size();
        window.key(Qt::Key_Slash);
        QTest::keyClicks(&window.edit(), text);
        window.key(Qt::Key_Return);
        CHECK(window->filters().size() == count + 1);
        CHECK(window.plot().hasFocus());
        while (window->filters().size() > 1)
            window->removeFilter(1);
    }

    // From the cycles' table, back to it.
    window.w.showView("cycles");
    window.w.focusView();
    QWidget *grid = QApplication::focusWidget();
    window.key(Qt::Key_Slash);
    REQUIRE(window.edit().hasFocus());
    window.key(Qt::Key_Return); // an empty filter
    CHECK(QApplication::focusWidget() == grid);
    CHECK(window->filters().size() == 1);
}

TEST_CASE("Esc closes the innermost thing only and removes no filter") {
    Window window;
    REQUIRE_FALSE(window->addFilter("type == \"read\"").has_value());
    window->setRange(Interval{window->view().from, window->view().from + window->view().length() / 2});
    window->selectCycle(3);
    REQUIRE(settled(window.w.document()));
    window.key(Qt::Key_Slash);
    QTest::keyClicks(&window.edit(), "respnse > 5");
    window.key(Qt::Key_Return);
    auto *mistake = window.w.findChild<QLabel *>("filterMistake");
    REQUIRE(mistake->isVisible());
    QTest::keyClicks(&window.edit(), " or typ");
    mistake->show(); // typing hides it
    REQUIRE(waitFor([&] { return window.edit().completer()->popup()->isVisible(); }));
    const auto state = [&] {
        return QString("%1%2%3%4%5%6")
            .arg(window.edit().completer()->popup()->isVisible())
            .arg(mistake->isVisible())
            .arg(window.edit().hasFocus())
            .arg(window->selection().cycle.has_value())
            .arg(window->range().has_value())
            .arg(window->filters().size())
            .toStdString();
    };
    CHECK(state() == "111111");
    for (const char *next : {"011111", "001111", "000111", "000011", "000001", "000001"}) {
        window.key(Qt::Key_Escape);
        CHECK(state() == next);
    }
    CHECK(window.edit().text() == "respnse > 5 or typ"); // nothing written is lost
    CHECK(window.plot().hasFocus());
}

TEST_CASE("Chips are reached and removed by keyboard") {
    Window window;
    for (const char *f : {"type == \"read\"", "r2t_count == 0", "queue_depth > 0"})
        REQUIRE_FALSE(window->addFilter(f).has_value());
    window->setRange(Interval{window->view().from, window->view().from + window->view().length() / 2});
    REQUIRE(window.chips().size() == 4);
    window.key(Qt::Key_Slash);
    window.key(Qt::Key_Left); // to the last chip
    CHECK(QApplication::focusWidget()->property("chip").toBool());
    window.key(Qt::Key_Left);
    CHECK(QApplication::focusWidget()->accessibleName().contains("r2t_count"));
    window.key(Qt::Key_Delete);
    CHECK(window->filters() == QStringList{"type == \"read\"", "queue_depth > 0"});
    CHECK(QApplication::focusWidget()->accessibleName().contains("queue_depth"));
    window.key(Qt::Key_Backspace);
    window.key(Qt::Key_Return);
    CHECK(window->filters().isEmpty());
    CHECK(window->range().has_value());
    window.key(Qt::Key_Space);
    CHECK_FALSE(window->range().has_value());
    REQUIRE(waitFor([&] { return window.chips().isEmpty(); }));
    CHECK(window.edit().hasFocus()); // no chip is left
    window->addFilter("lba > 0");
    window.key(Qt::Key_Left);
    window.key(Qt::Key_Escape); // leaves the chip, and it stays
    CHECK(window.plot().hasFocus());
    CHECK(window->filters().size() == 1);
}

TEST_CASE("Each key of the list does what it says") {
    Window window;
    const auto view = [&] { return window->view(); };
    const auto fresh = [&] {
        window->setView({window->snapshot()->whole.from + window->snapshot()->whole.length() / 4,
                         window->snapshot()->whole.from + window->snapshot()->whole.length() / 2});
        return view();
    };
    for (const Qt::Key k : {Qt::Key_W, Qt::Key_Plus, Qt::Key_Equal}) {
        const Interval before = fresh();
        window.key(k);
        CHECK(view().length() < before.length());
    }
    for (const Qt::Key k : {Qt::Key_S, Qt::Key_Minus}) {
        const Interval before = fresh();
        window.key(k);
        CHECK(view().length() > before.length());
    }
    for (const Qt::Key k : {Qt::Key_A, Qt::Key_Left}) {
        const Interval before = fresh();
        window.key(k);
        CHECK(view().from < before.from);
        CHECK(view().length() == before.length());
    }
    for (const Qt::Key k : {Qt::Key_D, Qt::Key_Right}) {
        const Interval before = fresh();
        window.key(k);
        CHECK(view().from > before.from);
    }
    fresh();
    window.key(Qt::Key_0);
    CHECK(view().length() >= window->snapshot()->whole.length());
    window.key(Qt::Key_Period);
    REQUIRE(window->selection().cycle.has_value());
    window.key(Qt::Key_F);
    const CycleStore &cycles = window->snapshot()->tables.cycles;
    CHECK(view().from < cycles.start(*window->selection().cycle));
    CHECK(view().length() < window->snapshot()->whole.length() / 2);
    window.key(Qt::Key_R);
    REQUIRE(window->range().has_value());
    CHECK(window->range()->from == cycles.start(*window->selection().cycle));
    window.key(Qt::Key_R, Qt::ShiftModifier);
    CHECK(window->range() == view());
    for (int i = 0; i < viewNames.size(); ++i) {
        window.key(static_cast<Qt::Key>(Qt::Key_1 + i), Qt::AltModifier);
        CHECK(window.w.viewName() == viewNames[i]);
    }
    window.w.showView("timeline");
    window.w.focusView();
    window.key(Qt::Key_Question);
    auto *keys = window.w.findChild<QDialog *>("shortcuts");
    REQUIRE(keys != nullptr);
    keys->activateWindow();
    REQUIRE(waitFor([&] { return QApplication::activeWindow() == keys; }));
    QTest::keyClick(keys, Qt::Key_Escape);
    CHECK(waitFor([&] { return window.w.findChild<QDialog *>("shortcuts") == nullptr; }));
    CHECK(window->range().has_value()); // Esc closed the dialog only
    CHECK(window->selection().cycle.has_value());
    window.w.activateWindow();
    REQUIRE(waitFor([&] { return QApplication::activeWindow() == &window.w; }));
    window.w.focusView();
    window.key(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    auto *palette = window.w.findChild<QDialog *>("palette");
    REQUIRE(palette != nullptr);
    QTest::keyClicks(palette->findChild<QLineEdit *>("paletteEdit"), "start page");
    QTest::keyClick(palette->findChild<QLineEdit *>("paletteEdit"), Qt::Key_Return);
    CHECK(window.w.startShown());
}

TEST_CASE("G and a double click ask for the packet in Wireshark") {
    const QTemporaryDir scratch;
    QFile standIn(scratch.filePath("wireshark"));
    REQUIRE(standIn.open(QIODevice::WriteOnly));
    const QByteArray told = scratch.filePath("told").toUtf8();
    standIn.write("#!/bin/sh\necho \"$4\" >> '" + told + "'\n");
    standIn.close();
    standIn.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    const QByteArray path = qgetenv("PATH");
    qputenv("PATH", scratch.path().toUtf8() + ":" + path);
    const auto frames = [&] {
        QFile f(told);
        return f.open(QIODevice::ReadOnly) ? f.readAll() : QByteArray();
    };
    Window window;
    window->selectCycle(20);
    window->fitSelection();
    const QByteArray frame = QByteArray::number(static_cast<qulonglong>(*window->selection().frame)) + "\n";
    window.key(Qt::Key_G);
    CHECK(waitFor([&] { return frames() == frame; }));
    // In the middle of the selected cycle, on the lane that has it.
    const TimeScale s = window.plot().scale();
    const CycleStore &cycles = window->snapshot()->tables.cycles;
    const Time middle = cycles.start(20) + (cycles.end(20) - cycles.start(20)) / 2;
    const int x = static_cast<int>(s.toPixel(middle));
    std::optional<QPoint> at;
    for (int y = 0; y < window.plot().height() && !at; ++y) {
        const auto hit = window.plot().hit({x, y});
        if (hit && hit->cycle == Row{20})
            at = QPoint(x, y);
    }
    REQUIRE(at.has_value());
    QTest::mouseDClick(&window.plot(), Qt::LeftButton, {}, *at);
    CHECK(waitFor([&] { return frames() == frame + frame; }));
    qputenv("PATH", path);
}

TEST_CASE("What takes the focus has a name, on the start page and in panels and notices too") {
    MainWindow w;
    w.resize(1100, 700);
    w.show();
    const auto nameless = [&w] {
        QStringList list;
        for (QWidget *c : w.findChildren<QWidget *>()) {
            if (c->focusPolicy() == Qt::NoFocus || !c->isVisibleTo(&w) || c->objectName().startsWith("qt_"))
                continue;
            QAccessibleInterface *a = QAccessible::queryAccessibleInterface(c);
            if (a == nullptr || (a->text(QAccessible::Name).isEmpty() && c->accessibleName().isEmpty()))
                list << QString("%1 %2 in %3")
                            .arg(c->metaObject()->className(), c->objectName(),
                                 c->parentWidget()->metaObject()->className());
        }
        return list.join(", ").toStdString();
    };
    CHECK(nameless() == "");
    w.document().setRemembers(false);
    w.open({sample("tgt-qemu.pcapng.zst")});
    REQUIRE(settled(w.document()));
    w.setPanelsWanted({"figures", "marks"});
    w.complaint().show("words", {{"Close", "Close the message", [] {}}});
    w.fileNotice().show("words", {{"Reload", "Read again", [] {}}});
    REQUIRE_FALSE(w.document().addFilter("type == \"read\"").has_value());
    CHECK(nameless() == "");
}

TEST_CASE("Keys of a view do not go into its search, and Esc empties that") {
    MainWindow w;
    w.document().setRemembers(false);
    w.show();
    w.open({sample("mcs-unequal.initiator.pcapng.zst")});
    REQUIRE(settled(w.document()));
    QApplication::setActiveWindow(&w);
    for (const auto &[view, search] : {std::pair{"timeline", "findTrack"}, {"details", "detailsFind"}}) {
        w.showView("overview");
        w.focusView();
        w.showView(view);
        auto *edit = w.findChild<QLineEdit *>(search);
        REQUIRE(edit != nullptr);
        INFO(view);
        CHECK_FALSE(edit->hasFocus());
        edit->setFocus();
        edit->setText("xyz");
        QTest::keyClick(edit, Qt::Key_Escape);
        CHECK(edit->text().isEmpty());
        QTest::keyClick(edit, Qt::Key_Escape);
        CHECK_FALSE(edit->hasFocus());
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Captures that change while they are open, marks, files that are no captures.
#include "catch.h"
#include "gui/models/ladder_model.h"
#include "gui/models/words.h"
#include "gui/views/marks_panel.h"
#include "gui/views/notice_bar.h"
#include "gui/views/timeline/timeline_plot.h"
#include "gui/views/timeline/timeline_view.h"
#include "gui/window/main_window.h"
#include "support.h"

#include <QDir>
#include <QLabel>
#include <QMessageBox>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>

#include <cstdio>
#include <unistd.h>

using namespace iscsiscope;
using namespace iscsiscope::gui;

namespace {

QByteArray plain(const QString &name) { // unpacked
    QProcess p;
    p.start("zstd", {"-dcq", sample(name)});
    p.waitForFinished(300'000);
    return p.readAllStandardOutput();
}

void write(const QString &path, const QByteArray &bytes, QIODevice::OpenMode mode = QIODevice::WriteOnly) {
    QFile f(path);
    REQUIRE(f.open(mode));
    REQUIRE(f.write(bytes) == bytes.size());
}

struct Window {
    MainWindow w;
    Window() {
        w.document().setRemembers(false);
        w.resize(1200, 800);
        w.show();
    }
    explicit Window(const QStringList &files, const QString &view = "timeline") : Window() {
        w.open(files);
        REQUIRE(settled(w.document()));
        w.showView(view);
    }
    Document *operator->() { return &w.document(); }
    QString notice() { return w.fileNotice().message(); }
    bool notices(const QString &part) {
        return waitFor([&] { return notice().contains(part); });
    }
    QPushButton *button(NoticeBar &bar, const QString &text) {
        for (auto *b : bar.findChildren<QPushButton *>())
            if (b->text() == text)
                return b;
        return nullptr;
    }
};

const QString someCapture = "tgt-qemu.pcapng.zst";

} // namespace

TEST_CASE("What became of a file: grown, replaced, rewritten, gone") {
    const QTemporaryDir scratch;
    const QString a = scratch.filePath("a"), b = scratch.filePath("b");
    write(a, "12345");
    write(b, "12345");
    const QStringList files{a, b, scratch.filePath("never"), "/dev/null"};
    const auto before = statesOf(files);
    CHECK(changesOf(before, statesOf(files)).changed.empty());
    write(a, "678", QIODevice::Append);
    auto changes = changesOf(before, statesOf(files));
    REQUIRE(changes.changed.size() == 1);
    CHECK(changes.changed[0] == FileChange{a, FileFate::grown, 3});
    REQUIRE(QFile::remove(b));
    write(scratch.filePath("c"), "54321");
    changes = changesOf(before, statesOf(files));
    REQUIRE(changes.changed.size() == 2);
    CHECK(changes.changed[1].fate == FileFate::vanished);
    CHECK(changes.vanished());
    REQUIRE(std::rename(qPrintable(scratch.filePath("c")), qPrintable(a)) == 0);
    CHECK(changesOf(before, statesOf(files)).changed[0].fate == FileFate::replaced);
    const auto later = statesOf({a});
    write(a, "123"); // the same file, shorter
    CHECK(changesOf(later, statesOf({a})).changed.at(0).fate == FileFate::rewritten);
}

TEST_CASE("A capture that grows is noticed once; Reload keeps range, filters, selection, view and tab") {
    const QByteArray all = plain(someCapture);
    if (all.isEmpty()) {
        std::puts("SKIPPED: no zstd");
        return;
    }
    const QTemporaryDir scratch;
    const QString file = scratch.filePath("growing.pcapng");
    write(file, all.left(all.size() * 6 / 10));
    Window window({file}, "cycles");
    const std::size_t few = window->snapshot()->tables.cycles.size();
    REQUIRE(few > 50);
    const Interval whole = window->snapshot()->whole;
    const Interval range{whole.from + whole.length() / 4, whole.from + whole.length() * 3 / 4};
    REQUIRE_FALSE(window->addFilter("lba >= 0").has_value());
    window->setRange(range);
    window->setView({whole.from + whole.length() / 3, whole.from + whole.length() / 2});
    const Interval view = window->view();
    window->selectCycle(static_cast<Row>(few / 2));
    window->moveStep(1);
    const Selection chosen = window->selection();
    const CycleRecord record = window->snapshot()->tables.cycles.record(*chosen.cycle);
    REQUIRE(settled(window.w.document()));
    const auto tasks = window->figures()->tasks();

    QSignalSpy changes(&window.w.document(), &Document::fileChangesChanged);
    write(file, all.mid(all.size() * 6 / 10, 2'000'000), QIODevice::Append);
    REQUIRE(window.notices("growing.pcapng has grown by " + byteWords(2'000'000)));
    CHECK(changes.size() == 1);
    CHECK(window.w.findChildren<QMessageBox *>().isEmpty());
    REQUIRE(settled(window.w.document()));
    CHECK(window->figures()->tasks() == tasks); // of what was read, not of what is there now
    CHECK(window.notice().contains("in memory"));
    window->setRange(std::nullopt); // of the filter only: what was added would pass it
    REQUIRE(settled(window.w.document()));
    CHECK(window->figures()->tasks() == window->matches()->size());
    window->setRange(range);
    auto *reload = window.button(window.w.fileNotice(), "Reload");
    REQUIRE(reload != nullptr);
    write(file, all.mid(all.size() * 6 / 10 + 2'000'000), QIODevice::Append);
    REQUIRE(window.notices("grown by " +
                           byteWords(static_cast<std::uint64_t>(all.size() - all.size() * 6 / 10))));
    CHECK(window.button(window.w.fileNotice(), "Reload") == reload); // one notice, brought up to date

    QTest::mouseClick(reload, Qt::LeftButton);
    CHECK(window->snapshot()->tables.cycles.size() == few); // the old one until the new one is there
    REQUIRE(settled(window.w.document()));
    CHECK(window->snapshot()->tables.cycles.size() == 338);
    CHECK(window->filters() == QStringList{"lba >= 0"});
    CHECK(window->range() == range);
    CHECK(window->view() == view);
    CHECK(window.w.viewName() == "cycles");
    REQUIRE(window->selection().cycle.has_value());
    CHECK(window->snapshot()->tables.cycles.record(*window->selection().cycle).cycle == record.cycle);
    CHECK(window->selection().frame == chosen.frame);
    CHECK(window->selection().step == chosen.step);
    CHECK(window.notice().isEmpty());
}

TEST_CASE("Ignore is for a file that grows on, not for one that is replaced or vanishes") {
    const QTemporaryDir scratch;
    const QString first = scratch.filePath("ring_1.pcapng.zst"),
                  second = scratch.filePath("ring_2.pcapng.zst");
    REQUIRE(QFile::copy(sample("r2t-ping-pong.initiator.pcapng.zst"), first));
    REQUIRE(QFile::copy(sample("plain-write.initiator.pcapng.zst"), second));
    Window window({first, second});
    const auto tasks = window->figures()->tasks();
    QFile::setPermissions(second, QFile::ReadOwner | QFile::WriteOwner);
    write(second, "x", QIODevice::Append);
    REQUIRE(window.notices("ring_2.pcapng.zst has grown"));
    QTest::mouseClick(window.button(window.w.fileNotice(), "Ignore"), Qt::LeftButton);
    CHECK(window.notice().isEmpty());
    QSignalSpy changes(&window.w.document(), &Document::fileChangesChanged);
    write(second, "yz", QIODevice::Append);
    REQUIRE(waitFor([&] { return changes.size() == 1; }));
    CHECK(window.notice().isEmpty());
    CHECK_FALSE(window->filesAsRead());

    REQUIRE(QFile::copy(first, scratch.filePath("new")));
    REQUIRE(std::rename(qPrintable(scratch.filePath("new")), qPrintable(second)) == 0);
    CHECK(window.notices("ring_2.pcapng.zst has been replaced"));
    REQUIRE(QFile::remove(first));
    REQUIRE(window.notices("ring_1.pcapng.zst is no longer there"));
    CHECK(window.button(window.w.fileNotice(), "Reload") == nullptr);
    // Figures go on from memory, and the notice says so.
    CHECK(window.notice().contains("in memory"));
    REQUIRE_FALSE(window->addFilter("cycle >= 0").has_value());
    REQUIRE(settled(window.w.document()));
    CHECK(window->figures()->tasks() == tasks);
    CHECK(window->figures()->tasks() > 0);
    // Nor are packets of another file shown as those of this capture, or a page made of it.
    const std::atomic<bool> stop{false};
    CHECK(readLadder(*window->snapshot(), 0, window->snapshot()->whole, stop).changed);
    QSignalSpy ended(&window.w, &MainWindow::exported);
    window.w.exportReportTo(scratch.filePath("report.html"));
    REQUIRE(waitFor([&] { return !ended.isEmpty(); }));
    CHECK(window.w.complaint().message().contains("Reload"));
    CHECK_FALSE(QFile::exists(scratch.filePath("report.html")));
}

TEST_CASE("F5 reads a replaced capture; what it does not have is let go") {
    const QTemporaryDir scratch;
    const QString file = scratch.filePath("x.pcapng.zst");
    REQUIRE(QFile::copy(sample("tgt-qemu.pcapng.zst"), file));
    Window window({file});
    window->selectCycle(10);
    window->setRange(Interval{window->snapshot()->whole.from,
                              window->snapshot()->whole.from + std::chrono::milliseconds{1}});
    REQUIRE(QFile::copy(sample("plain-write.initiator.pcapng.zst"), scratch.filePath("new")));
    REQUIRE(std::rename(qPrintable(scratch.filePath("new")), qPrintable(file)) == 0);
    QTest::keyClick(&window.w, Qt::Key_F5);
    REQUIRE(settled(window.w.document()));
    const std::size_t tasks =
        Window({sample("plain-write.initiator.pcapng.zst")})->snapshot()->tables.cycles.size();
    REQUIRE(tasks != 338);
    CHECK(window->snapshot()->tables.cycles.size() == tasks);
    CHECK_FALSE(window->selection().cycle.has_value());
    CHECK_FALSE(window->range().has_value());
    CHECK(window->view().length() >= window->snapshot()->whole.length());
    CHECK(window->figures()->tasks() == tasks);
}

TEST_CASE("M marks at the pointer; marks are named, listed, gone to and removed") {
    const QTemporaryDir scratch;
    const QString file = scratch.filePath("x.pcapng.zst");
    REQUIRE(QFile::copy(sample(someCapture), file));
    {
        Window window({file});
        TimelinePlot &plot = window.w.timeline().plot();
        plot.setFocus();
        REQUIRE(painted(plot));
        const TimeScale s = plot.scale();
        const QPoint at(static_cast<int>(s.left + s.width * 0.7), plot.height() / 2);
        QTest::mouseMove(&plot, at);
        window->selectCycle(0); // the pointer goes before the selection
        QTest::keyClick(&plot, Qt::Key_M);
        REQUIRE(window->marks().size() == 1);
        const Duration near = s.toTime(6) - s.toTime(0);
        CHECK(std::chrono::abs(window->marks()[0].time - s.toTime(at.x())) <= near);
        QTest::keyClick(&plot, Qt::Key_M); // and takes it away
        CHECK(window->marks().empty());
        QTest::keyClick(&plot, Qt::Key_M);
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(&plot, &leave);
        QTest::keyClick(&plot, Qt::Key_M); // no pointer: at the selection
        REQUIRE(window->marks().size() == 2);
        CHECK(window->marks()[0].time == window->selection().time);
        CHECK(window->marks()[0].text != window->marks()[1].text);

        window.w.action("marksDock")->trigger();
        QTableWidget &list = window.w.marksPanel().list();
        REQUIRE(list.isVisible());
        REQUIRE(list.rowCount() == 2);
        window->setView({s.view.from, s.view.from + s.view.length() / 10});
        const Interval before = window->view();
        QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualItemRect(list.item(1, 0)).center());
        CHECK(window->view().contains(window->marks()[1].time));
        CHECK(window->view().length() == before.length());
        window->goBack();
        CHECK(window->view() == before);
        list.setFocus();
        QTest::keyClick(&list, Qt::Key_F2);
        QWidget *editor = QApplication::focusWidget();
        REQUIRE(editor != nullptr);
        REQUIRE(editor != &list);
        QTest::keyClick(editor, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClicks(editor, "here it stalls");
        QTest::keyClick(editor, Qt::Key_Return);
        CHECK(waitFor([&] { return window->marks()[1].text == "here it stalls"; }));
        CHECK(waitFor([&] { return list.item(1, 1)->text() == "here it stalls"; }));
        list.setCurrentCell(0, 1);
        QTest::keyClick(&list, Qt::Key_Delete);
        REQUIRE(window->marks().size() == 1);
        CHECK(list.rowCount() == 1);
    }
    Window again({file});
    REQUIRE(again->marks().size() == 1);
    CHECK(again->marks()[0].text == "here it stalls");
}

TEST_CASE("What is no capture gives a message in the window, and the old capture stays") {
    const QTemporaryDir scratch;
    write(scratch.filePath("empty.pcap"), "");
    write(scratch.filePath("text.pcap"), "this is no capture at all, only some words of text");
    QStringList bad{scratch.filePath("missing.pcap"), scratch.filePath("empty.pcap"),
                    scratch.filePath("text.pcap"), scratch.path(), "/dev/null"};
    if (::geteuid() != 0) { // root reads all
        write(scratch.filePath("secret.pcap"), "x");
        QFile::setPermissions(scratch.filePath("secret.pcap"), QFile::WriteOwner);
        bad << scratch.filePath("secret.pcap");
    }
    Window window({sample(someCapture)});
    for (const QString &path : bad) {
        INFO(path.toStdString());
        window.w.open({path});
        REQUIRE(settled(window.w.document()));
        CHECK(window.w.complaint().message().contains(QFileInfo(path).fileName()));
        CHECK(window.w.findChildren<QMessageBox *>().isEmpty());
        CHECK(window->snapshot()->tables.cycles.size() == 338);
        CHECK(window.w.windowTitle().startsWith("tgt-qemu"));
        CHECK_FALSE(window.w.startShown());
        QTest::keyClick(&window.w, Qt::Key_Escape); // closes the message
        CHECK(window.w.complaint().message().isEmpty());
    }
    Window fresh;
    fresh.w.open({scratch.filePath("missing.pcap")});
    REQUIRE(settled(fresh.w.document()));
    CHECK(fresh.w.startShown());
    CHECK(fresh.w.complaint().message().contains("missing.pcap"));
    fresh.w.open({sample(someCapture)});
    REQUIRE(settled(fresh.w.document()));
    CHECK(fresh.w.complaint().message().isEmpty());
}

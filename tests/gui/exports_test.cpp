// SPDX-License-Identifier: GPL-2.0-or-later
// Files that the window writes: whole, or not there.
#include "catch.h"
#include "gui/models/cycles/cycle_csv.h"
#include "gui/views/notice_bar.h"
#include "gui/window/exports/export_job.h"
#include "gui/window/main_window.h"
#include "support.h"

#include <QAbstractButton>
#include <QDir>
#include <QElapsedTimer>
#include <QLabel>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <cstdio>
#include <sys/resource.h>

using namespace iscsiscope;
using namespace iscsiscope::gui;

namespace {

QByteArray head(const QString &path, qint64 n) {
    QFile f(path);
    return f.open(QIODevice::ReadOnly) ? f.read(n) : QByteArray();
}

struct Window {
    MainWindow w;
    QString path, mistake;
    int ended = 0;
    explicit Window(SnapshotPtr s) {
        prepare();
        w.document().show(std::move(s));
        REQUIRE(settled(w.document()));
    }
    explicit Window(const QString &file) {
        prepare();
        w.open({file});
        REQUIRE(settled(w.document()));
    }
    void prepare() {
        w.document().setRemembers(false);
        w.resize(1200, 800);
        w.show();
        QObject::connect(&w, &MainWindow::exported, &w, [this](const QString &p, const QString &m) {
            path = p;
            mistake = m;
            ++ended;
        });
    }
};

// As full as a disk gets: no file of this process may grow beyond that.
class FullDisk {
public:
    explicit FullDisk(rlim_t bytes) {
        before_ = std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &old_);
        rlimit now = old_;
        now.rlim_cur = bytes;
        setrlimit(RLIMIT_FSIZE, &now);
    }
    ~FullDisk() {
        setrlimit(RLIMIT_FSIZE, &old_);
        std::signal(SIGXFSZ, before_);
    }

private:
    rlimit old_{};
    void (*before_)(int) = nullptr;
};

} // namespace

TEST_CASE("Pictures of every view and the report") {
    Window window(sample("tgt-qemu.pcapng.zst"));
    const QTemporaryDir scratch;
    for (const QString &view : viewNames) {
        window.w.showView(view);
        REQUIRE(painted(*window.w.currentView()));
        REQUIRE(settled(window.w.document()));
        CHECK_FALSE(window.w.exportPictureTo(scratch.filePath(view + ".png")).has_value());
        CHECK(head(scratch.filePath(view + ".png"), 4) == QByteArray("\x89PNG"));
        CHECK_FALSE(window.w.exportPictureTo(scratch.filePath(view + ".svg")).has_value());
        CHECK(head(scratch.filePath(view + ".svg"), 200).contains("<svg"));
        CHECK_FALSE(window.w.exportPictureTo(scratch.filePath(view + ".pdf")).has_value());
        CHECK(head(scratch.filePath(view + ".pdf"), 5) == "%PDF-");
    }
    CHECK(window.w.exportPictureTo(scratch.filePath("x.bmp")).has_value());
    CHECK(window.w.exportPictureTo("/nowhere/at/all.png").has_value());
    window.w.exportReportTo(scratch.filePath("r.html"));
    REQUIRE(waitFor([&] { return window.ended == 1; }));
    CHECK(window.mistake.isEmpty());
    CHECK(head(scratch.filePath("r.html"), 200).toLower().contains("<!doctype html"));
    window.w.exportCsvTo("/nowhere/at/all.csv");
    REQUIRE(waitFor([&] { return window.ended == 2; }));
    CHECK(window.mistake.contains("/nowhere/at/all.csv"));
    auto *box = window.w.findChild<QLabel *>("complaint");
    REQUIRE(box->isVisible());
    window.w.complaint().hide();
}

TEST_CASE("A large table is written while the window works: progress, cancel, a full disk") {
    constexpr std::size_t cycles = 400'000;
    Window window(synthetic(cycles, 8, 8'000));
    const QTemporaryDir scratch;
    const QString path = scratch.filePath("cycles.csv");
    auto *job = window.w.findChild<QWidget *>("export");
    REQUIRE(job != nullptr);
    CHECK_FALSE(job->isVisible());

    QElapsedTimer clock;
    clock.start();
    window.w.exportCsvTo(path);
    const qint64 started = clock.elapsed();
    CHECK(window.w.exportJob().running());
    CHECK(job->isVisible());
    qint64 longest = 0, last = clock.elapsed();
    REQUIRE(waitFor([&] {
        longest = std::max(longest, clock.elapsed() - last);
        last = clock.elapsed();
        return window.ended == 1;
    }));
    CHECK(window.mistake.isEmpty());
    CHECK_FALSE(job->isVisible());
    CHECK(QDir(scratch.path()).entryList(QDir::Files) == QStringList{"cycles.csv"});
    QFile written(path);
    REQUIRE(written.open(QIODevice::ReadOnly));
    std::size_t lines = 0;
    while (!written.atEnd())
        lines += written.readLine().isEmpty() ? 0 : 1;
    CHECK(lines == cycles + 1);
    std::printf("FIGURE: CSV of %zu cycles: %lld ms in the worker, %lld ms until the window went on, longest "
                "time without an event %lld ms\n",
                cycles, static_cast<long long>(clock.elapsed()), static_cast<long long>(started),
                static_cast<long long>(longest));
    REQUIRE(written.remove());

    window.w.exportCsvTo(path);
    window.w.exportCsvTo(scratch.filePath("second.csv")); // one at a time
    auto *box = window.w.findChild<QLabel *>("complaint");
    REQUIRE(box->isVisible());
    window.w.complaint().hide();
    REQUIRE(waitFor([&] { return !QDir(scratch.path()).entryList(QDir::Files | QDir::Hidden).isEmpty(); }));
    QTest::mouseClick(window.w.findChild<QAbstractButton *>("cancelExport"), Qt::LeftButton);
    REQUIRE(waitFor([&] { return window.ended == 2; }));
    CHECK(window.mistake == cancelledWords(path));
    CHECK(QDir(scratch.path()).entryList(QDir::Files | QDir::Hidden).isEmpty());

    {
        const FullDisk full(1'000'000);
        window.w.exportCsvTo(path);
        REQUIRE(waitFor([&] { return window.ended == 3; }));
    }
    CHECK(window.mistake.contains("cycles.csv"));
    CHECK(window.mistake != cancelledWords(path));
    CHECK(QDir(scratch.path()).entryList(QDir::Files | QDir::Hidden).isEmpty());

    {
        Window closing(window.w.document().snapshot());
        closing.w.exportCsvTo(path);
        closing.w.close();
    } // gone with its window
    workers().waitForDone();
    CHECK(QDir(scratch.path()).entryList(QDir::Files | QDir::Hidden).isEmpty());
}

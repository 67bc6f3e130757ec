// SPDX-License-Identifier: GPL-2.0-or-later
// The testbed's panel with the real program.
#include "catch.h"
#include "gui/views/experiment/testbed_view.h"
#include "gui/window/main_window.h"
#include "support.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QProcess>
#include <QProcessEnvironment>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <cstdio>
#include <map>
#include <span>

using namespace iscsiscope;
using namespace iscsiscope::gui;

#ifdef ISCSISCOPE_TESTBED_PROGRAM

namespace {

MainWindow *otherWindow(const MainWindow &w) {
    for (QWidget *window : QApplication::topLevelWidgets())
        if (auto *m = qobject_cast<MainWindow *>(window); m != nullptr && m != &w)
            return m;
    return nullptr;
}

// False: this machine does not let it (no namespaces); said.
bool run(MainWindow &w, const QString &delay) {
    bool done = false;
    QString problem;
    const auto c = QObject::connect(&w.testbed(), &TestbedView::ended, [&](const QString &p) {
        done = true;
        problem = p;
    });
    w.testbed().setValue(Field::delay, delay);
    w.testbed().start();
    const bool ended = waitFor([&] { return done; }, 60'000);
    QObject::disconnect(c);
    REQUIRE(ended);
    if (!problem.isEmpty() && w.testbed().seen().empty()) {
        std::printf("SKIPPED: the testbed does not run here: %s\n", qPrintable(problem));
        return false;
    }
    return true;
}

} // namespace

TEST_CASE("The panel: wrong values, a run, live figures, cancel, the pair opens, the model's ratio") {
    qputenv("ISCSISCOPE_TESTBED", ISCSISCOPE_TESTBED_PROGRAM);
    const QTemporaryDir scratch;
    MainWindow w;
    w.document().setRemembers(false);
    w.show();
    w.showView("testbed");
    TestbedView &t = w.testbed();
    t.setFolder(scratch.path());
    t.setValue(Field::loss, "150%");
    CHECK_FALSE(t.mistakeShown(Field::loss).isEmpty());
    CHECK_FALSE(w.findChild<QPushButton *>("run")->isEnabled());
    t.setValue(Field::loss, "0");
    CHECK(t.mistakeShown(Field::loss).isEmpty());
    CHECK(w.findChild<QPushButton *>("run")->isEnabled());
    t.setValue(Field::block, "16KiB");
    t.setValue(Field::count, "150");
    t.setValue(Field::rate, "100Mbit/s");

    std::map<QString, double> rate;
    std::optional<ModelInput> near; // of the run at 1 ms
    for (const QString &delay : {QString("1ms"), QString("8ms")}) {
        for (int attempt = 0; attempt < 3; ++attempt) { // a busy machine spoils a run
            if (!run(w, delay))
                return;
            MainWindow *shows = otherWindow(w); // the second run's: the first one's capture stays
            Document &d = shows != nullptr ? shows->document() : w.document();
            REQUIRE(settled(d));
            const Report &r = *d.snapshot()->report;
            REQUIRE(d.snapshot()->files.front().startsWith(scratch.path()));
            REQUIRE_FALSE(r.models.empty());
            rate[delay] = r.models.front().input.measured_throughput;
            near = near ? near : std::optional(r.models.front().input);
            if (shows != nullptr) {
                shows->close();
                REQUIRE(waitFor([&] { return otherWindow(w) == nullptr; }));
            }
            if (attempt == 2 || delay == "8ms" || !t.seen().empty())
                break;
        }
    }
    REQUIRE(t.seen().size() >= 3);
    double most = 0, window = 0, widest = 0;
    for (std::size_t i = 0; i < t.seen().size(); ++i) {
        most = std::max(most, t.seen()[i].megabytesPerSecond);
        for (const double v : t.seen()[i].cwnd)
            window = std::max(window, v);
        if (i > 0)
            widest = std::max(widest, t.seen()[i].elapsed - t.seen()[i - 1].elapsed);
    }
    CHECK(most > 0.1);
    CHECK(window > 1000);
    CHECK(widest <= 1.0); // within a second of the event
    // What the model makes of the run at 1 ms for 8 ms, against the run at 8 ms.
    const Change farther{SettingName::delay, 8e6};
    const Prediction p = predict(*near, std::span(&farther, 1));
    const double measuredRatio = rate["1ms"] / rate["8ms"], modelRatio = p.measured / p.predicted;
    std::printf("FIGURE: panel runs at 1 and 8 ms: throughputs differ by %.2f, the model says %.2f\n",
                measuredRatio, modelRatio);
    std::printf("FIGURE: longest time between live lines of a run: %.2f s\n", widest);
    CHECK(measuredRatio / modelRatio == Approx(1).margin(0.15));

    bool done = false;
    QObject::connect(&t, &TestbedView::ended, [&] { done = true; });
    t.setValue(Field::count, "100000");
    t.start();
    REQUIRE(waitFor([&] { return t.seen().size() > 1 || done; }, 30'000));
    t.cancel();
    REQUIRE(waitFor([&] { return done; }, 20'000));
    CHECK_FALSE(t.runner().running());
}

namespace {

// The processes whose environment has this variable, other than this one.
QList<qint64> processesWith(const QByteArray &variable) {
    QList<qint64> found;
    for (const QString &name : QDir("/proc").entryList(QDir::Dirs)) {
        bool number = false;
        const qint64 id = name.toLongLong(&number);
        QFile environment("/proc/" + name + "/environ");
        if (number && id != QCoreApplication::applicationPid() && environment.open(QIODevice::ReadOnly) &&
            environment.readAll().split('\0').contains(variable))
            found << id;
    }
    return found;
}

} // namespace

TEST_CASE("SIGTERM during a run leaves no process and no folder") {
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
        const QTemporaryDir scratch, settings;
        const QByteArray mine = "ISCSISCOPE_TEST_RUN=" + scratch.path().toUtf8();
        QProcessEnvironment e = QProcessEnvironment::systemEnvironment();
        e.insert("TMPDIR", scratch.path());
        e.insert("ISCSISCOPE_TEST_RUN", scratch.path());
        e.insert("ISCSISCOPE_TESTBED", ISCSISCOPE_TESTBED_PROGRAM);
        e.insert("QT_QPA_PLATFORM", "offscreen");
        e.insert("XDG_CONFIG_HOME", settings.path());
        e.insert("XDG_RUNTIME_DIR", settings.path()); // else Qt makes one in TMPDIR
        QProcess program;
        program.setProcessEnvironment(e);
        program.start(ISCSISCOPE_GUI_PROGRAM, {"--run", "loss-timeout"});
        REQUIRE(program.waitForStarted());
        // The program, the testbed, and at least one host of the run.
        const bool runs = waitFor(
            [&] { return processesWith(mine).size() >= 3 || program.state() == QProcess::NotRunning; },
            20'000);
        REQUIRE(program.state() == QProcess::Running);
        if (!runs || processesWith(mine).size() < 3) {
            std::printf("SKIPPED: the testbed does not run here\n");
            program.kill();
            program.waitForFinished();
            return;
        }
        CHECK_FALSE(QDir(scratch.path()).isEmpty());
        ::kill(static_cast<pid_t>(program.processId()), signal);
        REQUIRE(program.waitForFinished(15'000));
        CHECK(program.exitStatus() == QProcess::CrashExit); // by the signal itself
        CHECK(waitFor([&] { return processesWith(mine).isEmpty(); }, 10'000));
        CHECK(QDir(scratch.path()).isEmpty());
    }
    std::printf("FIGURE: signals during a run that left nothing behind: 3\n");
}

TEST_CASE("A finished run takes no capture's place") {
    MainWindow w;
    w.document().setRemembers(false);
    w.show();
    const QString open = sample("plain-read.target.pcapng.zst"),
                  a = sample("mcs-unequal.initiator.pcapng.zst"), b = sample("mcs-unequal.target.pcapng.zst");
    w.open({open});
    REQUIRE(settled(w.document()));
    emit w.testbed().pairReady(a, b);
    MainWindow *other = otherWindow(w);
    REQUIRE(other != nullptr);
    REQUIRE(settled(other->document()));
    CHECK(w.document().snapshot()->files == QStringList{open});
    CHECK(other->document().snapshot()->files == QStringList{a});
    other->close();
    REQUIRE(settled(w.document()));
}

#endif

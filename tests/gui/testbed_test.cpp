// SPDX-License-Identifier: GPL-2.0-or-later
// The testbed's panel with the real program.
#include "catch.h"
#include "gui/views/experiment/testbed_view.h"
#include "gui/window/main_window.h"
#include "support.h"
#include "tests/support/live.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QProcess>
#include <QProcessEnvironment>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
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
    const bool ended = waitFor([&] { return done; });
    QObject::disconnect(c);
    REQUIRE(ended);
    if (!problem.isEmpty() && w.testbed().seen().empty()) {
        std::printf("SKIPPED: the testbed does not run here: %s\n", qPrintable(problem));
        return false;
    }
    return true;
}

} // namespace

TEST_CASE("The panel: wrong values, a run, live figures, cancel, the pair opens, the model's ratio",
          "[live]") {
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

    bool allowed = true;
    // What the runs at 1 and 8 ms show of time: a wrong one counts only if the machine let them run.
    const std::string wrong = iscsiscope::test::judge("the testbed's panel", [&] {
        std::map<QString, ModelInput> made;
        for (const QString &delay : {QString("1ms"), QString("8ms")}) {
            allowed = allowed && run(w, delay);
            if (!allowed)
                return std::string();
            MainWindow *shows = otherWindow(w); // a later run's: the first one's capture stays
            Document &d = shows != nullptr ? shows->document() : w.document();
            REQUIRE(settled(d));
            const Report &r = *d.snapshot()->report;
            REQUIRE(d.snapshot()->files.front().startsWith(scratch.path()));
            REQUIRE_FALSE(r.models.empty());
            made.emplace(delay, r.models.front().input);
            if (shows != nullptr) {
                shows->close();
                REQUIRE(waitFor([&] { return otherWindow(w) == nullptr; }));
            }
        }
        // Of the run at 8 ms, which takes more than two seconds on any machine.
        REQUIRE(t.seen().size() >= 2);
        double most = 0, window = 0, widest = 0;
        for (std::size_t i = 0; i < t.seen().size(); ++i) {
            most = std::max(most, t.seen()[i].megabytesPerSecond);
            for (const double v : t.seen()[i].cwnd)
                window = std::max(window, v);
            if (i > 0)
                widest = std::max(widest, t.seen()[i].elapsed - t.seen()[i - 1].elapsed);
        }
        CHECK(window > 1000);
        // What the model makes of the run at 1 ms for 8 ms, against the run at 8 ms.
        const Change farther{SettingName::delay, 8e6};
        const Prediction p = predict(made.at("1ms"), std::span(&farther, 1));
        const double measuredRatio = made.at("1ms").measured_throughput / made.at("8ms").measured_throughput,
                     modelRatio = p.measured / p.predicted;
        std::printf("FIGURE: panel runs at 1 and 8 ms: throughputs differ by %.2f, the model says %.2f\n",
                    measuredRatio, modelRatio);
        std::printf("FIGURE: longest time between live lines of a run: %.2f s, most %.1f MB/s\n", widest,
                    most);
        if (std::abs(measuredRatio / modelRatio - 1) > 0.15)
            return std::string("the model does not say the throughput");
        return std::string(widest > 1 || most <= 0.1 ? "what is shown is not of the last second" : "");
    });
    if (!allowed)
        return;
    INFO(wrong);
    CHECK(wrong.empty());

    bool done = false;
    QObject::connect(&t, &TestbedView::ended, [&] { done = true; });
    t.setValue(Field::count, "100000");
    t.start();
    REQUIRE(waitFor([&] { return t.seen().size() > 1 || done; }));
    t.cancel();
    REQUIRE(waitFor([&] { return done; }));
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

TEST_CASE("SIGTERM during a run leaves no process and no folder", "[live]") {
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
            [&] { return processesWith(mine).size() >= 3 || program.state() == QProcess::NotRunning; });
        REQUIRE(program.state() == QProcess::Running);
        if (!runs || processesWith(mine).size() < 3) {
            std::printf("SKIPPED: the testbed does not run here\n");
            program.kill();
            program.waitForFinished();
            return;
        }
        CHECK_FALSE(QDir(scratch.path()).isEmpty());
        ::kill(static_cast<pid_t>(program.processId()), signal);
        REQUIRE(program.waitForFinished(300'000));
        CHECK(program.exitStatus() == QProcess::CrashExit); // by the signal itself
        CHECK(waitFor([&] { return processesWith(mine).isEmpty(); }));
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

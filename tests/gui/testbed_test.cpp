// SPDX-License-Identifier: GPL-2.0-or-later
// The testbed's panel with the real program.
#include "catch.h"
#include "gui/views/experiment/testbed_view.h"
#include "gui/window/main_window.h"
#include "support.h"

#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

#include <cstdio>
#include <map>
#include <span>

using namespace iscsiscope;
using namespace iscsiscope::gui;

#ifdef ISCSISCOPE_TESTBED_PROGRAM

namespace {

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
            REQUIRE(settled(w.document()));
            const Report &r = *w.document().snapshot()->report;
            REQUIRE(w.document().snapshot()->files.front().startsWith(scratch.path()));
            REQUIRE_FALSE(r.models.empty());
            rate[delay] = r.models.front().input.measured_throughput;
            near = near ? near : std::optional(r.models.front().input);
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

#endif

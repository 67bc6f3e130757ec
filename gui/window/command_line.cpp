// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/window/command_line.h"

#include "gui/views/cycles/chart_plot.h"
#include "gui/views/cycles/cycles_view.h"
#include "gui/views/experiment/testbed_view.h"
#include "gui/views/ladder_view.h"
#include "gui/views/theme.h"
#include "gui/window/main_window.h"
#include "gui/window/quiet_messages.h"
#include "gui/window/quit_by_signal.h"
#include "gui/window/startup/display_probe.h"
#include "gui/window/window_state.h"

#include "analyzer/base/version/version_line.h"
#include "analyzer/pipeline/time_range.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QIcon>
#include <QSettings>
#include <QTimer>

#include <cstdio>
#include <cstring>

// Needed since the resources are in a static library; it must be outside of any namespace.
static void loadResources() {
    Q_INIT_RESOURCE(iscsiscope);
}

namespace iscsiscope::gui {
namespace {

constexpr int exitError = 2;

int complain(const QString &sentence) {
    std::fprintf(stderr, "iscsiscope-gui: %s\n", qPrintable(sentence));
    return exitError;
}

bool has(int argc, char **argv, const char *option) {
    for (int i = 1; i < argc; ++i)
        if (std::strncmp(argv[i], option, std::strlen(option)) == 0)
            return true;
    return false;
}

struct Wanted {
    QStringList files;
    std::optional<FrameNumber> frame;
    std::optional<TimeRange> range;
    QString view, screenshot, other, run;
    std::optional<CaptureRelation> relation; // of two files, as the user stated it
    QSize size;
};

// Returns a sentence if an option is wrong.
std::optional<QString> understand(const QCommandLineParser &p, Wanted &w) {
    w.files = p.positionalArguments();
    if (p.isSet("select")) {
        const QString text = p.value("select");
        bool good = false;
        const auto frame = text.startsWith("frame:") ? text.mid(6).toULongLong(&good) : 0;
        if (!good || frame == 0)
            return QString("--select: '%1' is not frame:N").arg(text);
        w.frame = frame;
    }
    if (p.isSet("range")) {
        auto range = TimeRange::parse(p.value("range").toStdString());
        if (!range.ok())
            return "--range: " + QString::fromStdString(range.failure().message);
        w.range = range.value();
    }
    w.view = p.value("view");
    if (!viewNames.contains(w.view) && w.view != "start")
        return QString("--view: '%1' is none of %2, start").arg(w.view, viewNames.join(", "));
    w.screenshot = p.value("screenshot");
    w.other = p.value("compare");
    w.run = p.value("run");
    const QStringList size = p.value("size").split('x');
    w.size = QSize(size.value(0).toInt(), size.value(1).toInt());
    if (size.size() != 2 || w.size.width() < 200 || w.size.height() < 150)
        return QString("--size: '%1' is not WIDTHxHEIGHT of at least 200x150").arg(p.value("size"));
    if (!w.other.isEmpty() && w.files.size() != 1)
        return QString("--compare takes one other capture beside FILE");
    if (static_cast<int>(p.isSet("parts")) + static_cast<int>(p.isSet("merge")) +
            static_cast<int>(!w.other.isEmpty()) >
        1)
        return QString("--parts, --merge and --compare exclude each other");
    if (p.isSet("parts"))
        w.relation = CaptureRelation::parts;
    if (p.isSet("merge")) {
        if (w.files.size() < 2)
            return QString("--merge takes two files or more");
        w.relation = CaptureRelation::halves;
    }
    return std::nullopt;
}

// Applies range and selection as soon as the capture is there.
void applyChoice(MainWindow &window, const Wanted &w) {
    Document &d = window.document();
    if (w.range) {
        TimeRange r = *w.range;
        r.anchor(d.snapshot()->origin);
        const Interval whole = d.snapshot()->whole;
        const Interval i{std::max(r.begin(), whole.from), std::min(r.end(), whole.to)};
        if (!i.empty()) {
            d.setRange(i);
            d.setView(i);
        }
    }
    if (w.frame)
        d.findFrame(*w.frame);
}

// Nobody can be asked: what the files' packets say is done, and said. Returns a sentence if one cannot be
// read.
std::optional<QString> openAsSuggested(MainWindow &window, const Wanted &w) {
    const auto said = suggestTogether(w.files[0], w.files[1], std::atomic<bool>{false});
    if (const auto *mistake = std::get_if<QString>(&said))
        return *mistake;
    const auto &s = std::get<Suggestion>(said);
    static const QMap<CaptureRelation, QString> names{
        {CaptureRelation::parts, "read as the parts of one capture (--parts)"},
        {CaptureRelation::halves, "merged by time (--merge)"},
        {CaptureRelation::ends, "compared as the two ends of one run (--compare)"},
        {CaptureRelation::before_after, "compared as before and after (--compare)"}};
    std::fprintf(stderr, "iscsiscope-gui: The two files are %s. %s\n", qPrintable(names[s.relation]),
                 qPrintable(s.reason));
    window.openTogether(w.files, s.relation);
    return std::nullopt;
}

// Saves the view when no job is running any more.
void shoot(MainWindow &window, const Wanted &w, QApplication &app) {
    auto *timer = new QTimer(&window);
    QObject::connect(timer, &QTimer::timeout, &window, [&window, &app, w, timer, calm = 0]() mutable {
        const bool busy = window.document().loading() || workers().activeThreadCount() > 0;
        calm = busy ? 0 : calm + 1;
        if (calm < 4) // some jobs start others
            return;
        timer->stop();
        const auto mistake = window.exportPictureTo(w.screenshot);
        app.exit(mistake ? complain(*mistake) : 0);
    });
    timer->start(40);
}

} // namespace

int runProgram(int argc, char **argv) {
    const bool picture = has(argc, argv, "--screenshot");
    const bool words = has(argc, argv, "--help") || has(argc, argv, "-h") || has(argc, argv, "--version") ||
                       has(argc, argv, "-v");
    if (picture || words) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
        quietPlatformMessages();
    } else if (const auto mistake = displayMistake(argc, argv)) {
        return complain(
            "there is no display (" + *mistake +
            "). On the command line `iscsiscope report FILE` gives the same figures; --screenshot "
            "FILE.png draws a view without one.");
    }
    loadResources();
    QApplication app(argc, argv);
    QApplication::setApplicationName("iscsiscope-gui");
    QApplication::setOrganizationName("iscsiscope");
    QApplication::setApplicationVersion(QString::fromStdString(version_and_commit()));
    QApplication::setDesktopFileName("io.github.iscsiscope.iscsiscope");
    QApplication::setWindowIcon(QIcon(":/iscsiscope.svg"));
    QCommandLineParser p;
    p.setApplicationDescription("Where the time of iSCSI Read and Write cycles goes, from a packet capture.");
    p.addHelpOption();
    p.addVersionOption();
    p.addPositionalArgument(
        "FILE", "Capture: pcap or pcapng, plain, .gz or .zst. Two are asked about; more are the parts of one",
        "[FILE…]");
    p.addOptions(
        {{"select", "Select the cycle that this frame belongs to", "frame:N"},
         {"range", "Figures of this part only, as `iscsiscope --range` takes it", "FROM..TO"},
         {"view", "The view to begin with: " + viewNames.join(", ") + "; start: the start page", "NAME",
          "overview"},
         {"parts", "The files are the parts of one capture, as a ring buffer writes them"},
         {"merge", "The files are one capture by direction or path: merge them by time"},
         {"compare", "Another capture, to compare FILE with", "FILE"},
         {"run", "Run this scenario of the testbed: a file, or the name of a bundled one", "SCENARIO"},
         {"screenshot", "Draw the view into this file (.png, .svg, .pdf) and end; needs no display", "FILE"},
         {"size", "Size of the window", "WIDTHxHEIGHT", "1280x820"},
         {"colours", "light, dark or system", "SCHEME", ""}});
    p.process(app);
    Wanted w;
    if (const auto mistake = understand(p, w))
        return complain(*mistake);
    const QString colours = p.value("colours");
    if (!colours.isEmpty() && colours != "light" && colours != "dark" && colours != "system")
        return complain(QString("--colours: '%1' is none of light, dark, system").arg(colours));
    if (colours.isEmpty() && !picture)
        applyScheme(static_cast<ColourScheme>(std::clamp(QSettings().value("colours").toInt(), 0, 2)));
    else if (colours != "system")
        applyScheme(colours == "dark" ? ColourScheme::dark : ColourScheme::light);
    QuitBySignal signalled;
    int code = 0;
    {
        MainWindow window;
        window.document().setRemembers(!picture);
        if (!picture)
            restoreLayout(window);
        if (picture || p.isSet("size"))
            window.resize(w.size);
        if (p.isSet("view") || picture)
            window.showView(w.view);
        const auto once = std::make_shared<QMetaObject::Connection>();
        *once = QObject::connect(&window.document(), &Document::loadingChanged, &window, [&window, w, once] {
            if (!window.document().loading()) {
                QObject::disconnect(*once);
                applyChoice(window, w);
            }
        });
        if (picture) {
            QObject::connect(
                &window.document(), &Document::failed, &app,
                [&app](const QString &s) { app.exit(complain(s)); });
        }
        if (!w.other.isEmpty()) {
            window.compare(w.files.front(), w.other);
            window.showView(p.isSet("view") ? w.view : "compare");
        } else if (w.relation) {
            window.openTogether(w.files, *w.relation);
        } else if (picture && w.files.size() == 2) {
            if (const auto mistake = openAsSuggested(window, w))
                return complain(*mistake);
        } else {
            window.openOrAsk(w.files);
        }
        window.show();
        if (!w.run.isEmpty()) {
            window.showView("testbed");
            if (!window.testbed().choose(w.run))
                return complain(QString("--run: '%1' is no file and no bundled scenario").arg(w.run));
            window.testbed().start();
        }
        if (picture) {
            window.resize(w.size); // the off-screen platform's screen is smaller
            shoot(window, w, app);
        }
        code = QApplication::exec();
    }
    workers().waitForDone();
    signalled.endBySignal();
    return code;
}

} // namespace iscsiscope::gui

// SPDX-License-Identifier: GPL-2.0-or-later
// gui_bench CYCLES [CAPTURE]: frame times of the timeline and the table on synthetic documents (64
// connections with so many cycles, 155 with a tenth of them, two TCP samples a cycle), memory beside the
// tables; with a capture, how reading it treats the window.
#include "gui/models/cycles/cycle_table_model.h"
#include "gui/views/cycles/aggregates_panel.h"
#include "gui/views/cycles/chart_plot.h"
#include "gui/views/cycles/cycle_grid.h"
#include "gui/views/cycles/cycles_view.h"
#include "gui/views/overview/overview_view.h"
#include "gui/views/timeline/timeline_plot.h"
#include "gui/views/timeline/timeline_view.h"
#include "gui/window/main_window.h"
#include "support.h"

#include <QApplication>
#include <QComboBox>
#include <QScrollBar>
#include <QTest>
#include <QTreeView>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>

using namespace iscsiscope;
using namespace iscsiscope::gui;

namespace {

double cpuMs(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

double wallMs() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// Every event that the application handles is timed by the CPU that its thread used.
class TimedApplication : public QApplication {
public:
    using QApplication::QApplication;
    bool notify(QObject *o, QEvent *e) override {
        if (inside_)
            return QApplication::notify(o, e);
        inside_ = true;
        const double begin = cpuMs(CLOCK_THREAD_CPUTIME_ID);
        const bool result = QApplication::notify(o, e);
        longest = std::max(longest, cpuMs(CLOCK_THREAD_CPUTIME_ID) - begin);
        inside_ = false;
        return result;
    }
    double longest = 0;

private:
    bool inside_ = false;
};

class Times {
public:
    explicit Times(const char *what, double most = 33) : what_(what), max_(most) {}
    template <class F>
    void step(F f) {
        const double begin = cpuMs(CLOCK_THREAD_CPUTIME_ID);
        f();
        ms_.push_back(cpuMs(CLOCK_THREAD_CPUTIME_ID) - begin);
    }
    // False: above 16 ms median or the most allowed at p99.
    bool show() {
        std::sort(ms_.begin(), ms_.end());
        const double median = ms_[ms_.size() / 2], p99 = ms_[std::min(ms_.size() - 1, ms_.size() * 99 / 100)];
        std::printf("FIGURE: %s: median %.1f ms, p99 %.1f ms CPU (%zu steps)\n", what_, median, p99,
                    ms_.size());
        return median < 16 && p99 <= max_;
    }

private:
    const char *what_;
    double max_;
    std::vector<double> ms_;
};

bool frames(std::size_t count) {
    const std::size_t connections = 64;
    const SnapshotPtr s = synthetic(count, connections, 2 * count);
    const double cycles = static_cast<double>(count);
    std::printf("FIGURE: tables: %.0f bytes a cycle\n", static_cast<double>(s->tables.memory()) / cycles);
    const double beside =
        static_cast<double>(s->lanes->memory() + s->pyramids->memory() + count * sizeof(Row)) / cycles;
    std::printf("FIGURE: beside the tables (lanes, pyramids, rows shown): %.1f bytes a cycle\n", beside);
    MainWindow w;
    Document &d = w.document();
    d.setRemembers(false);
    w.resize(1600, 900);
    w.show();
    w.showView("timeline");
    d.show(s);
    settled(d);
    TimelinePlot &plot = w.timeline().plot();
    bool good = beside < 100;
    const Interval whole = s->whole;
    Times pan("pan"), zoom("zoom"), hover("hover"), selection("select a range"), select("select a cycle"),
        table("table: scroll");
    std::uint64_t random = 1;
    const auto next = [&random](std::uint64_t below) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        return static_cast<std::int64_t>((random >> 33) % below);
    };
    for (int i = 0; i < 200; ++i) {
        const double share =
            std::pow(10.0, -static_cast<double>(next(700)) / 100); // the whole down to a ten-millionth
        const Duration length = cutToNs(inNs(whole.length()) * share);
        const auto places = static_cast<std::uint64_t>(to_ns(whole.length() - length) + 1);
        const Time from = whole.from + Duration{next(places)};
        d.setView({from, from + length});
        plot.render();
        zoom.step([&] {
            d.zoomAt(d.view().from + d.view().length() / 3, 0.7);
            plot.render();
        });
        pan.step([&] {
            d.pan(d.view().length() / 7);
            plot.render();
        });
        const QPoint at(static_cast<int>(200 + next(1000)), static_cast<int>(60 + next(300)));
        hover.step([&] { (void)plot.hit(at); });
        const TimeScale scale = plot.scale();
        selection.step([&] {
            d.setRange(Interval{d.snapped(scale.toTime(at.x()), scale.toTime(6) - scale.toTime(0)),
                                scale.toTime(at.x() + 80)});
            plot.layer("chosen")->replot();
        });
        select.step([&] {
            if (const auto hit = plot.hit(at)) {
                d.selectCycle(hit->cycle);
                plot.layer("chosen")->replot();
            }
        });
    }
    d.setRange(std::nullopt);
    d.selectCycle(std::nullopt);
    settled(d);
    w.showView("cycles");
    settled(d);
    CycleGrid &grid = w.cycles().grid();
    Times page("table: page down"), row("table: next row");
    for (int i = 0; i < 200; ++i) {
        table.step([&] {
            grid.verticalScrollBar()->setValue(static_cast<int>(next(count)));
            grid.viewport()->repaint();
        });
        page.step([&] {
            QTest::keyClick(&grid, Qt::Key_PageDown);
            grid.viewport()->repaint();
        });
        row.step([&] {
            QTest::keyClick(&grid, Qt::Key_Down);
            grid.viewport()->repaint();
        });
    }
    CycleBrush &brush = w.cycles().brush();
    Times boxes("a box over the cycles");
    for (int kind = 0; kind < 5; ++kind) {
        w.cycles().kinds().setCurrentIndex(kind);
        settled(d);
        for (int i = 0; i < 40; ++i) {
            boxes.step([&] {
                CycleBox b;
                b.time = whole;
                b.response = ResponseRange{Duration{next(1'000'000)}, std::chrono::seconds{1}};
                brush.setBox(b);
                w.cycles().chart().layer("chosen")->replot();
                grid.viewport()->repaint();
            });
        }
    }
    const double brushed = wallMs();
    CycleBox last;
    last.response = ResponseRange{Duration{1}, std::chrono::seconds{1}};
    brush.setBox(last);
    waitFor([&] { return !w.cycles().aggregates().model().pending(); });
    std::printf("FIGURE: aggregates of a box over all cycles: after %.0f ms in a worker\n",
                wallMs() - brushed);
    brush.clear();
    settled(d);
    w.showView("overview");
    settled(d);
    auto *tree = w.overview().findChild<QTreeView *>("sessions");
    Times scrollTree("tree: scroll"), fold("tree: fold and unfold a session"), choose("tree: next row");
    tree->expandAll();
    for (int i = 0; i < 200; ++i) {
        scrollTree.step([&] {
            tree->verticalScrollBar()->setValue(
                static_cast<int>(next(static_cast<std::uint64_t>(tree->verticalScrollBar()->maximum()) + 1)));
            tree->viewport()->repaint();
        });
        fold.step([&] {
            const QModelIndex i0 = tree->model()->index(static_cast<int>(next(connections)), 0);
            tree->setExpanded(i0, !tree->isExpanded(i0));
            tree->viewport()->repaint();
        });
        choose.step([&] {
            QTest::keyClick(tree, Qt::Key_Down);
            tree->viewport()->repaint();
        });
    }
    std::printf("FIGURE: rows of the tree: %d sessions, each with a connection and its LUN\n",
                tree->model()->rowCount());
    const double begin = wallMs();
    w.cycles().model().sort(w.cycles().model().columnOf(u"response_time_ns"), Qt::DescendingOrder);
    const double asked = wallMs() - begin;
    waitFor([&] { return !w.cycles().model().sorting(); });
    std::printf(
        "FIGURE: sorting the table by response time: %.1f ms until the window goes on, done after %.1f "
        "s in a worker\n",
        asked, (wallMs() - begin) / 1e3);
    for (Times *t :
         {&pan, &zoom, &hover, &selection, &select, &table, &page, &row, &boxes, &scrollTree, &fold, &choose})
        good = t->show() && good;
    return good;
}

// The tracks of 155 connections, five to a session: every frame within 16 ms.
bool manyConnections(std::size_t count) {
    const std::size_t connections = 155;
    auto s = std::make_shared<Snapshot>(*synthetic(count, connections, 2 * count));
    for (auto &[stream, c] : s->tables.streams)
        c.session = SessionId{stream.number / 5};
    MainWindow w;
    Document &d = w.document();
    d.setRemembers(false);
    w.resize(1600, 900);
    w.show();
    w.showView("timeline");
    d.show(s);
    settled(d);
    TimelinePlot &plot = w.timeline().plot();
    plot.render();
    const Interval whole = s->whole;
    Times pan("155 connections: pan", 16), zoom("155 connections: zoom", 16),
        all("155 connections: the whole capture", 16), scroll("155 connections: scroll the tracks", 16),
        fold("155 connections: fold a session", 16), folded("155 connections: pan with all folded", 16),
        resize("155 connections: resize a track", 16), find("155 connections: find a track", 16),
        dimmed("155 connections: pan with a range", 16), order("155 connections: order", 16);
    std::uint64_t random = 7;
    const auto next = [&random](std::uint64_t below) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        return static_cast<std::int64_t>((random >> 33) % below);
    };
    const auto somewhere = [&] {
        const double share = std::pow(10.0, -static_cast<double>(next(500)) / 100);
        const Duration length = cutToNs(inNs(whole.length()) * share);
        const auto places = static_cast<std::uint64_t>(to_ns(whole.length() - length) + 1);
        const Time from = whole.from + Duration{next(places)};
        d.setView({from, from + length});
        plot.render();
    };
    const auto session = [&] { return TrackId{TrackKind::session, static_cast<std::uint64_t>(next(31))}; };
    for (int i = 0; i < 200; ++i) {
        somewhere();
        const auto panned = [&] {
            d.pan(d.view().length() / 7);
            plot.render();
        };
        pan.step(panned);
        zoom.step([&] {
            d.zoomAt(d.view().from + d.view().length() / 3, 0.7);
            plot.render();
        });
        scroll.step([&] {
            plot.scrollTo(static_cast<int>(next(2000)));
            plot.render();
        });
        all.step([&] {
            d.setView(i % 2 == 0 ? whole : Interval{whole.from, whole.to - whole.length() / 50});
            plot.render();
        });
        somewhere();
        const TrackId header = session();
        for (const bool yes : {true, false}) {
            fold.step([&] {
                plot.changeTracks([&](TrackList &t) { t.setFolded(header, yes); });
                plot.render();
            });
        }
        resize.step([&] {
            plot.changeTracks([&](TrackList &t) {
                t.setHeight({TrackKind::connection, static_cast<std::uint64_t>(next(155))},
                            12 + static_cast<int>(next(80)));
            });
            plot.render();
        });
        find.step([&] {
            plot.changeTracks([&](TrackList &t) { t.setWanted(i % 2 == 0 ? "1" : ""); });
            plot.render();
        });
        if (i % 10 == 0) {
            order.step([&] {
                plot.changeTracks([&](TrackList &t) { t.setOrder(static_cast<TrackOrder>(i / 10 % 4)); });
                plot.render();
            });
        }
    }
    plot.changeTracks([](TrackList &t) {
        t.setWanted({});
        t.foldAll(true);
    });
    for (int i = 0; i < 200; ++i) {
        somewhere();
        folded.step([&] {
            d.pan(d.view().length() / 7);
            plot.render();
        });
    }
    plot.changeTracks([](TrackList &t) { t.foldAll(false); });
    d.setRange(Interval{whole.from + whole.length() / 4, whole.to - whole.length() / 4});
    settled(d);
    waitFor([&] { return !plot.dimmingPending(); });
    for (int i = 0; i < 200; ++i) {
        somewhere();
        dimmed.step([&] {
            d.pan(d.view().length() / 7);
            plot.render();
        });
    }
    bool good = true;
    for (Times *t : {&pan, &zoom, &all, &scroll, &fold, &folded, &resize, &find, &dimmed, &order})
        good = t->show() && good;
    return good;
}

bool reading(TimedApplication &app, const QString &file) {
    MainWindow w;
    w.document().setRemembers(false);
    w.resize(1600, 900);
    w.show();
    w.showView("timeline");
    if (!painted(w))
        return false;
    std::uint64_t firstBytes = 0;
    QObject::connect(&w.document(), &Document::snapshotChanged, &w, [&] {
        firstBytes = firstBytes == 0
                         ? (w.document().snapshot()->complete ? ~0ULL : w.document().snapshot()->bytesRead)
                         : firstBytes;
    });
    app.longest = 0;
    const auto begin = std::chrono::steady_clock::now();
    w.open({file});
    waitFor([&] { return !w.document().loading(); });
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    settled(w.document());
    std::printf("FIGURE: reading %s: %.1f s, first figures after %.1f MB read, longest turn of the event "
                "loop %.1f ms CPU\n",
                qPrintable(file), seconds, static_cast<double>(firstBytes) / 1e6, app.longest);
    return app.longest <= 50 && firstBytes <= (64U << 20);
}

} // namespace

int main(int argc, char **argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    TimedApplication app(argc, argv);
    QCoreApplication::setOrganizationName("iscsiscope-tests");
    bool good = true;
    const std::size_t cycles = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
    if (cycles > 0) {
        good = manyConnections(cycles / 10);
        good = frames(cycles) && good;
    }
    if (argc > 2)
        good = reading(app, argv[2]) && good;
    workers().waitForDone();
    return good ? 0 : 1;
}

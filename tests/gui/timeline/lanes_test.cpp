// SPDX-License-Identifier: GPL-2.0-or-later
// Lanes as they are drawn: the first picture, steps, marks, dimming.
#include "catch.h"
#include "gui/document/stores/table_sink.h"
#include "gui/models/timeline/incident_places.h"
#include "gui/models/timeline/incident_words.h"
#include "gui/views/timeline/timeline_plot.h"
#include "gui/views/timeline/timeline_view.h"
#include "gui/window/main_window.h"
#include "support.h"

#include <QTest>

#include <cmath>
#include <cstdio>

using namespace iscsiscope;
using namespace iscsiscope::gui;

namespace {

using namespace std::chrono_literals;

constexpr Time start{1'700'000'000s};

// One connection with samples of these times and flights (bytes; negative: unknown), and times without a
// task.
SnapshotPtr sampled(
    const std::vector<std::pair<std::chrono::milliseconds, std::int64_t>> &samples,
    const std::vector<std::pair<std::chrono::milliseconds, std::chrono::milliseconds>> &without_task = {}) {
    Tables t;
    TableSink sink(t);
    t.streams[0].session = 0;
    for (const auto &[time, flight] : samples) {
        TcpSample s;
        s.time = start + time;
        s.frame = 1;
        if (flight >= 0)
            s.flight = static_cast<std::uint64_t>(flight);
        t.samples[{0, PduDirection::to_target}].append(s);
    }
    for (const auto &[from, to] : without_task) {
        NoTaskRecord u;
        u.start = start + from;
        u.length = to - from;
        sink.on(u);
    }
    auto s = std::make_shared<Snapshot>(*makeSnapshot({}, t, std::make_shared<Report>()));
    s->whole = {start, start + 1s};
    s->origin = start;
    s->complete = true;
    return s;
}

struct Shown {
    Document document;
    TimelineView view{document};
    explicit Shown(const SnapshotPtr &s = nullptr) {
        document.setRemembers(false);
        view.resize(1100, 700);
        view.show();
        if (s) {
            document.show(s);
            REQUIRE(settled(document));
        }
    }
    TimelinePlot &plot() { return view.plot(); }
};

bool same(const QImage &a, const QImage &b) {
    return a.size() == b.size() && a == b;
}

} // namespace

TEST_CASE("The first picture of the lanes is that after a zoom and back, pixel for pixel") {
    QStringList files = bundledCaptures();
    for (const QString &file : realCaptures())
        if (file.contains("n_cwnd_write") || file.contains("g_4sessions") || file.contains("l_blackout"))
            files << file;
    int compared = 0;
    for (const QString &file : files) {
        INFO(file.toStdString());
        Shown shown;
        shown.plot().setLanes({LaneKind::throughput, LaneKind::cwnd, LaneKind::rtt});
        shown.plot().setFixedSize(1000, 600); // whatever the legend above needs
        REQUIRE(painted(shown.plot()));       // the layout has its place
        QImage first;                         // the very first drawing with the capture in it
        QObject::connect(&shown.plot(), &QCustomPlot::afterReplot, &shown.view, [&] {
            if (first.isNull() && shown.document.snapshot()->complete)
                first = shown.plot().grab().toImage();
        });
        REQUIRE(openAndWait(shown.document, {file}));
        REQUIRE_FALSE(first.isNull());
        const Interval whole = shown.document.view();
        shown.document.setView({whole.from + whole.length() / 3, whole.from + whole.length() / 2});
        shown.plot().render();
        CHECK_FALSE(same(first, shown.plot().grab().toImage()));
        shown.document.setView(whole);
        shown.plot().render();
        const QImage again = shown.plot().grab().toImage();
        CHECK(same(first, again));
        ++compared;
    }
    CHECK(compared >= 10);
    std::printf("FIGURE: captures whose first picture equals that after a zoom and back: %d\n", compared);
}

TEST_CASE("Values hold until the next sample: steps in the picture, nothing across what is not known") {
    // 60 kB until 300 ms, 20 kB until 600, unknown until 700, 40 kB; no task was open from 800 to 900.
    const SnapshotPtr s = sampled(
        {{100ms, 60'000}, {300ms, 20'000}, {600ms, -1}, {700ms, 40'000}, {900ms, 30'000}, {950ms, 30'000}},
        {{800ms, 900ms}});
    Shown shown(s);
    TimelinePlot &plot = shown.plot();
    plot.setLanes({LaneKind::cwnd});
    shown.document.setView(s->whole);
    plot.render();
    REQUIRE(plot.contents().size() == 1);
    REQUIRE(plot.contents()[0].lines.size() == 1);
    const QColor color = plot.theme().legible(plot.contents()[0].lines[0].color);
    const QRect rect = plot.lineRect(0);
    const QImage picture = plot.grab().toImage();
    // Heights at which a column has the line's colour, in kB.
    const auto heights = [&](int ms) {
        std::vector<double> found;
        const int x = static_cast<int>(plot.scale().toPixel(start + std::chrono::milliseconds{ms}));
        for (int y = rect.top(); y <= rect.bottom(); ++y)
            if (picture.pixelColor(x, y) == color)
                found.push_back((rect.bottom() - y) * plot.greatestShown(0) / rect.height());
        return found;
    };
    const double pixel = plot.greatestShown(0) / rect.height();
    for (const auto &[ms, kB] : {std::pair(200, 60.0), {280, 60.0}, {450, 20.0}, {580, 20.0}, {750, 40.0}}) {
        INFO(ms << " ms");
        REQUIRE_FALSE(heights(ms).empty());
        for (const double h : heights(ms))
            CHECK(std::abs(h - kB) <= 2 * pixel);
    }
    CHECK(heights(650).empty()); // unknown
    CHECK(heights(850).empty()); // no task outstanding
    CHECK(heights(50).empty());  // before the first
    CHECK_FALSE(heights(925).empty());
}

TEST_CASE("Steps hold at any zoom: many samples in bursts leave no slope between the bursts") {
    // Bursts of 2000 samples within 1 ms, each 100 ms, of different heights.
    Tables t;
    t.streams[0].session = 0;
    for (int burst = 0; burst < 10; ++burst) {
        for (int i = 0; i < 2000; ++i) {
            TcpSample s;
            s.time = start + burst * 100ms + i * 500ns;
            s.frame = 1;
            s.flight = 10'000 * (burst % 3 + 1) + (i == 1000 ? 50'000 : 0);
            t.samples[{0, PduDirection::to_target}].append(s);
        }
    }
    auto s = std::make_shared<Snapshot>(*makeSnapshot({}, t, std::make_shared<Report>()));
    s->whole = {start, start + 1s};
    s->origin = start;
    const LaneContent lane = laneContent(LaneKind::cwnd, *s, nullptr, s->whole, 500);
    REQUIRE(lane.lines.size() == 1);
    const LaneLine &l = lane.lines[0];
    const double column = 1.0 / 500;
    double most = 0;
    for (qsizetype i = 1; i < l.x.size(); ++i) {
        most = std::max(most, l.y[i]);
        if (std::abs(l.y[i] - l.y[i - 1]) > 1e-9)
            CHECK(l.x[i] - l.x[i - 1] <= 2 * column); // never a slope over pixels
    }
    CHECK(most == Approx(80)); // 30 kB and 50
    CHECK(l.x.size() < 200);
}

TEST_CASE("The interval of the throughput can be set, and the capture's end cuts one short") {
    Document d;
    d.setRemembers(false);
    REQUIRE(openAndWait(d, {sample("mcs-unequal.initiator.pcapng.zst")}));
    const Snapshot &s = *d.snapshot();
    ThroughputChoice choice;
    choice.interval = std::chrono::milliseconds(300);
    const LaneContent lane = laneContent(LaneKind::throughput, s, nullptr, s.whole, 900, choice);
    REQUIRE(lane.interval == choice.interval);
    REQUIRE(lane.parts.size() == 1);
    const double origin = inSeconds(s.whole.from - s.origin);
    CHECK(lane.parts[0].to == Approx(inSeconds(s.whole.to - s.origin)));
    CHECK(lane.parts[0].to - lane.parts[0].from < 0.3);
    CHECK(lane.parts[0].words.contains("300 ms"));
    for (const LaneLine &l : lane.lines)
        for (qsizetype i = 0; i < l.x.size(); i += 2)
            CHECK(std::abs(std::remainder(l.x[i] - origin, 0.3)) < 1e-6); // one grid
    // Where the view ends before the capture, no interval is cut short.
    const Interval part{s.whole.from, s.whole.from + s.whole.length() / 2};
    CHECK(laneContent(LaneKind::throughput, s, nullptr, part, 900, choice).parts.empty());
}

TEST_CASE(
    "Losses, resets, failed tasks, logins and outages are marked on the lanes, in words with the frame") {
    std::array<std::size_t, incidentKinds> seen{};
    QStringList files = bundledCaptures() + realCaptures();
    for (const QString &file : files) {
        Document d;
        d.setRemembers(false);
        REQUIRE(openAndWait(d, {file}));
        const Snapshot &s = *d.snapshot();
        INFO(file.toStdString());
        std::uint64_t sentAgain = 0, repeats = 0;
        for (const ConnectionRecord &c : s.tables.connections)
            repeats += c.repeated_to_target + c.repeated_to_initiator;
        for (const auto &[stream, incidents] : s.lanes->incidents) {
            for (std::size_t k = 0; k < incidentKinds; ++k) {
                seen[k] += incidents[k].size();
                if (k == static_cast<std::size_t>(IncidentKind::sentAgain))
                    sentAgain += incidents[k].size();
                for (std::size_t i = 0; i < std::min<std::size_t>(incidents[k].size(), 20); ++i) {
                    const QString text = incidentWords(s, static_cast<IncidentKind>(k), incidents[k][i]);
                    CHECK(text.contains(QString("frame %1 at").arg(incidents[k][i].frame)));
                    CHECK_FALSE(text.contains('_'));
                }
            }
            // However dense, every incident is counted in one mark, and the marks have room.
            const auto marks = incidentMarks({&incidents}, {true, true, true, true, true}, s.whole, 400);
            std::size_t counted = 0, all = 0;
            for (const IncidentMark &m : marks)
                counted += m.count();
            for (const auto &list : incidents)
                for (const Incident &i : list)
                    all += s.whole.contains(i.time) ? 1 : 0;
            CHECK(counted == all);
            CHECK(marks.size() <= 400 / incidentCell + 2);
        }
        if (repeats > 0)
            CHECK(sentAgain > 0);
    }
    for (std::size_t k = 0; k < incidentKinds; ++k)
        std::printf("FIGURE: marks of kind \"%s\" in all captures: %zu\n",
                    qPrintable(incidentName(static_cast<IncidentKind>(k))), seen[k]);
    CHECK(seen[static_cast<std::size_t>(IncidentKind::sentAgain)] > 0);
    CHECK(seen[static_cast<std::size_t>(IncidentKind::login)] > 0);
}

TEST_CASE("Cycles outside of range and filter are dimmed, by themselves and in sums") {
    for (const std::size_t cycles : {200U, 200'000U}) {
        INFO(cycles << " cycles");
        const SnapshotPtr s = synthetic(cycles, 1, 0);
        Shown shown(s);
        TimelinePlot &plot = shown.plot();
        plot.setLanes({});
        plot.render();
        const QRect r = plot.tracksRect();
        const QImage before = plot.grab().toImage();
        const Interval half{s->whole.from, s->whole.from + s->whole.length() / 2};
        shown.document.setRange(half);
        REQUIRE(settled(shown.document));
        REQUIRE(waitFor([&] { return !plot.dimmingPending() && plot.matched() != nullptr; }));
        shown.document.setView(s->whole);
        plot.render();
        const QImage limited = plot.grab().toImage();
        // Of the saturation of each half: the second has lost most of it, compared with before.
        const auto strength = [&](const QImage &i, double from, double to) {
            double sum = 0;
            for (int x = r.left() + static_cast<int>(r.width() * from);
                 x < r.left() + static_cast<int>(r.width() * to); ++x)
                for (int y = r.top() + 4; y < r.top() + 30; ++y) {
                    const QColor c = i.pixelColor(x, y);
                    sum +=
                        std::max({c.red(), c.green(), c.blue()}) - std::min({c.red(), c.green(), c.blue()});
                }
            return sum;
        };
        CHECK(strength(limited, 0.55, 0.95) < 0.4 * strength(before, 0.55, 0.95));
        CHECK(strength(limited, 0.05, 0.45) > 0.6 * strength(before, 0.05, 0.45)); // below the range's veil
        shown.document.setRange(std::nullopt);
        REQUIRE(settled(shown.document));
        plot.render();
        CHECK(plot.matched() == nullptr);
        CHECK(same(before, plot.grab().toImage()));
    }
}

TEST_CASE("Legends hide their line, and the values' axis zooms and comes back") {
    Shown shown(synthetic(1'000, 3, 30'000));
    TimelinePlot &plot = shown.plot();
    plot.setLanes({LaneKind::cwnd});
    plot.render();
    const double all = plot.greatestShown(0);
    const QRect rect = plot.lineRect(0);
    // The entry of the receive window, which is by far the greatest.
    QPoint at;
    for (int x = rect.left(); x < rect.right() && at.isNull(); x += 4)
        if (plot.lineWordsAt({x, rect.top() - 8}) == plot.contents()[0].keys[2].explanation)
            at = {x, rect.top() - 8};
    REQUIRE_FALSE(at.isNull());
    QTest::mouseClick(&plot, Qt::LeftButton, {}, at);
    plot.render();
    CHECK(plot.hidden(LaneKind::cwnd, plot.contents()[0].keys[2].text));
    CHECK(plot.greatestShown(0) < all / 2);
    QTest::mouseClick(&plot, Qt::LeftButton, {}, at);
    plot.render();
    CHECK(plot.greatestShown(0) == all);
    const QPointF over = rect.center();
    const Interval view = shown.document.view();
    QWheelEvent wheel(over, plot.mapToGlobal(over), {}, {0, 240}, Qt::NoButton, Qt::ControlModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&plot, &wheel);
    plot.render();
    CHECK(plot.greatestShown(0) < all);
    CHECK(shown.document.view() == view);
    QTest::mouseDClick(&plot, Qt::LeftButton, {}, {rect.left() - 20, rect.center().y()});
    plot.render();
    CHECK(plot.greatestShown(0) == all);
}

TEST_CASE("Everything in the timeline has a tip, in words") {
    for (const QString &file : bundledCaptures().mid(0, 6)) {
        INFO(file.toStdString());
        Shown shown;
        shown.plot().setLanes({LaneKind::throughput, LaneKind::cwnd, LaneKind::rtt});
        REQUIRE(openAndWait(shown.document, {file}));
        TimelinePlot &plot = shown.plot();
        plot.render();
        const auto there = [&](const QPoint &at) {
            const QString text = shown.view.wordsAt(at);
            INFO(at.x() << ", " << at.y() << ": " << text.toStdString());
            CHECK_FALSE(text.isEmpty());
        };
        for (std::size_t i = 0; i < plot.rows().size(); ++i) {
            const QRect name = plot.trackNameRect(i);
            if (name.center().y() < plot.tracksRect().bottom())
                there(name.center());
        }
        there(plot.stripRect().center());
        for (std::size_t i = 0; i < plot.lanes().size(); ++i)
            there({plot.lineRect(i).left() - 20, plot.lineRect(i).center().y()});
        there({plot.width() / 2, plot.height() - 4});
        for (int y = 2; y < plot.height(); y += 7)
            for (int x = 2; x < plot.width(); x += 11)
                CHECK_FALSE(shown.view.wordsAt({x, y}).contains('_'));
    }
}

TEST_CASE("A folded session keeps the marks of its connections") {
    Shown shown;
    REQUIRE(openAndWait(shown.document, {sample("mcs-unequal.initiator.pcapng.zst")}));
    TimelinePlot &plot = shown.plot();
    plot.setLanes({});
    plot.changeTracks([](TrackList &t) { t.foldAll(true); });
    plot.render();
    REQUIRE(plot.rows().size() == 1);
    const QRect r = plot.tracksRect();
    int marks = 0;
    for (int x = r.left(); x < r.right(); x += 3)
        marks += shown.view.wordsAt({x, r.top() + 4}).contains("sent again") ? 1 : 0;
    CHECK(marks > 5);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Tracks: their arrangement without a window, and in the timeline with mouse and keys.
#include "catch.h"
#include "gui/models/timeline/track_list.h"
#include "gui/views/timeline/timeline_plot.h"
#include "gui/views/timeline/timeline_view.h"
#include "support.h"

#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTest>

#include <algorithm>
#include <set>

using namespace iscsiscope;
using namespace iscsiscope::gui;

namespace {

// The synthetic connections, five to a session, and some that have no tasks.
SnapshotPtr many(std::size_t connections, std::size_t withoutTasks) {
    auto s = std::make_shared<Snapshot>(*synthetic(connections * 60, connections, 0));
    for (auto &[stream, c] : s->tables.streams)
        c.session = SessionId{stream.number / 5};
    for (std::size_t i = 0; i < withoutTasks; ++i)
        s->tables.streams[StreamId{connections + i}].session = SessionId{1000 + i};
    return s;
}

std::vector<StreamId> streamsOf(const TrackList &t) {
    std::vector<StreamId> streams;
    for (const TrackRow &r : t.rows())
        if (!r.isHeader())
            streams.emplace_back(r.id.second);
    return streams;
}

TrackId connection(StreamId n) {
    return {TrackKind::connection, n.number};
}

} // namespace

TEST_CASE("Tracks of 155 connections: sessions, folds, hidden and pinned ones") {
    const SnapshotPtr s = many(155, 20);
    TrackList t;
    t.setSnapshot(*s, true);
    CHECK(t.connections() == 175);
    // 31 sessions with a header each, 155 connections, and one header for those without tasks, folded.
    REQUIRE(t.rows().size() == 31 + 155 + 1);
    CHECK(t.rows().front().id == TrackId{TrackKind::session, 0});
    CHECK(t.rows().back().id.first == TrackKind::idle);
    CHECK(t.rows().back().folded);
    CHECK(t.rows().back().streams.size() == 20);
    t.setFolded({TrackKind::idle, 0}, false);
    CHECK(t.rows().size() == 31 + 155 + 1 + 20);
    t.setFolded({TrackKind::session, 3}, true);
    CHECK(t.rows().size() == 31 + 155 + 1 + 20 - 5);
    CHECK_FALSE(t.rowOf(connection(15)).has_value());
    t.foldAll(true);
    CHECK(t.rows().size() == 31 + 1);
    t.foldAll(false);

    t.setHidden(connection(7), true);
    CHECK_FALSE(t.rowOf(connection(7)).has_value());
    CHECK(t.missing() == 1);
    t.setHidden({TrackKind::session, 2}, true);
    CHECK(t.missing() == 6);
    t.showAll();
    CHECK(t.missing() == 0);
    t.showOnly({3, 4});
    CHECK(streamsOf(t) == std::vector<StreamId>{3, 4});
    t.showAll();

    t.setPinned(connection(99), true);
    CHECK(t.rows().front().id == connection(99));
    CHECK(std::count_if(t.rows().begin(), t.rows().end(), [](auto &r) { return r.id == connection(99); }) ==
          1);
    const TrackLayout l = t.layout(400, 100'000);
    CHECK(l.pinnedRows == 1);
    CHECK(l.top(0) == 0);                                              // it does not scroll
    CHECK(l.top(t.rows().size() - 1) + l.places.back().height == 400); // the last is at the bottom
    CHECK(l.at(l.pinned / 2) == 0);
    // What is arranged stays when more of the capture has been read.
    t.setHeight(connection(5), 90);
    t.setSnapshot(*s, false);
    CHECK(t.rows().front().id == connection(99));
    CHECK(t.layout(400, 0).places[*t.rowOf(connection(5))].height == 90);
    t.resetHeights();
    CHECK(t.layout(400, 0).places[*t.rowOf(connection(5))].height == TrackList::defaultMin);
    t.setSnapshot(*s, true);
    CHECK(t.rows().front().id == TrackId{TrackKind::session, 0});
}

TEST_CASE("Tracks in order of number, name, activity and lost time, within sessions and between them") {
    auto s = std::make_shared<Snapshot>(*synthetic(155 * 60, 155, 0));
    for (auto &[stream, c] : s->tables.streams) // addresses in the opposite order
        c.initiator.port = static_cast<std::uint16_t>(50'000 - stream.number);
    TrackList t;
    t.setSnapshot(*s, true);
    REQUIRE(t.rows().size() == 155); // a session of one connection needs no header
    const auto sorted = [&](auto value) {
        const auto streams = streamsOf(t);
        return std::is_sorted(
            streams.begin(), streams.end(), [&](StreamId a, StreamId b) { return value(a) > value(b); });
    };
    CHECK(sorted([](StreamId n) { return -static_cast<std::int64_t>(n.number); }));
    t.setOrder(TrackOrder::name);
    CHECK(sorted([](StreamId n) { return static_cast<std::int64_t>(n.number); }));
    t.setOrder(TrackOrder::activity);
    CHECK(sorted([&](StreamId n) { return s->lanes->cycles.at(n).bytes(); }));
    t.setOrder(TrackOrder::lostTime);
    CHECK(sorted([&](StreamId n) { return s->lanes->gaps.at(n).idle; }));
    CHECK(t.allStreams() == streamsOf(t));
}

TEST_CASE("The timeline's tracks follow mouse and keys") {
    Document d;
    d.setRemembers(false);
    TimelineView view(d);
    view.resize(1200, 800);
    view.show();
    d.show(many(155, 10));
    REQUIRE(settled(d));
    TimelinePlot &plot = view.plot();
    plot.render();
    const auto click = [&](const QPoint &at) { QTest::mouseClick(&plot, Qt::LeftButton, {}, at); };
    const std::size_t all = plot.rows().size();
    click(plot.trackNameRect(0).center());
    CHECK(plot.rows().size() == all - 5); // session 0 is folded
    CHECK_FALSE(d.range().has_value());
    CHECK(plot.currentTrack() == TrackId{TrackKind::session, 0});
    QTest::keyClick(&plot, Qt::Key_Space);
    CHECK(plot.rows().size() == all);
    QTest::keyClick(&plot, Qt::Key_Down, Qt::ControlModifier);
    CHECK(plot.currentTrack() == connection(0));
    // The lower border of the track, dragged by 30 pixels.
    const QRect name = plot.trackNameRect(1);
    const QPoint border(name.center().x(), name.top() + name.height());
    QTest::mousePress(&plot, Qt::LeftButton, {}, border);
    QTest::mouseMove(&plot, border + QPoint(0, 10));
    QTest::mouseMove(&plot, border + QPoint(0, 30));
    QTest::mouseRelease(&plot, Qt::LeftButton, {}, border + QPoint(0, 30));
    CHECK(std::abs(plot.trackNameRect(1).height() - name.height() - 30) <= 1);
    QTest::keyClick(&plot, Qt::Key_Down, Qt::ControlModifier | Qt::ShiftModifier);
    CHECK(std::abs(plot.trackNameRect(1).height() - name.height() - 38) <= 1);
    QTest::keyClick(&plot, Qt::Key_Delete);
    CHECK(plot.tracks().missing() == 1);
    // The menu of a track has all of it, and of all of them.
    QMenu menu;
    plot.fillTrackMenu(menu, connection(100));
    const auto trigger = [](const QMenu &m, const QString &text) {
        for (QAction *a : m.actions()) {
            if (a->text().startsWith(text)) {
                a->trigger();
                return true;
            }
        }
        return false;
    };
    REQUIRE(trigger(menu, "Pin to the top"));
    CHECK(plot.rows().front().id == connection(100));
    REQUIRE(trigger(menu, "Show the hidden ones"));
    CHECK(plot.tracks().missing() == 0);
    // The pinned track stays in its place while the others scroll, and is hit there.
    plot.scrollTo(500);
    plot.render();
    const auto hit = plot.hit(QPoint(plot.tracksRect().center().x(), plot.trackNameRect(0).center().y()));
    REQUIRE(hit.has_value());
    CHECK(hit->lane == 0);
    // Find narrows, and jumps to the first one.
    view.find()->setText("conn 15");
    CHECK(streamsOf(plot.tracks()) ==
          std::vector<StreamId>{15, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159});
    CHECK(view.findChild<QLabel *>("tracksMissing")->text() == "11 of 165 shown");
    CHECK(plot.partWordsAt(plot.trackNameRect(0).center()).contains("connection 15"));
    QTest::keyClick(view.find(), Qt::Key_Escape);
    CHECK(plot.rows().size() == all);
}

TEST_CASE("The overview strip has all connections, however many") {
    for (const std::size_t connections : {3U, 31U, 155U, 400U}) {
        INFO(connections << " connections");
        Document d;
        d.setRemembers(false);
        TimelineView view(d);
        view.resize(1000, 700);
        view.show();
        auto s = std::make_shared<Snapshot>(*synthetic(connections * 40, connections, 0));
        d.show(s);
        REQUIRE(settled(d));
        view.plot().setLanes({});
        view.plot().render();
        const QRect r = view.plot().stripRect();
        const QImage picture = view.plot().grab().toImage();
        const QColor background = view.plot().theme().lane;
        // Every connection has tasks all the time: each row of pixels is painted.
        int painted = 0;
        for (int y = r.top() + 1; y < r.bottom(); ++y) {
            int pixels = 0;
            for (int x = r.left() + r.width() / 4; x < r.left() + r.width() / 2; ++x)
                pixels += picture.pixelColor(x, y) != background ? 1 : 0;
            painted += pixels > r.width() / 16 ? 1 : 0;
        }
        CHECK(painted >= (r.height() - 2) * 8 / 10);
        for (const TrackRow &row : view.plot().rows())
            CHECK(row.label.size() > 3);
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "support.h"

#include "gui/document/stores/table_sink.h"
#include "tests/support/bundle.h"

#include <QCoreApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QProcess>
#include <QTest>
#include <QWidget>

namespace iscsiscope::gui {

bool waitFor(const std::function<bool()> &holds) {
    constexpr qint64 hang = 300'000;
    QElapsedTimer clock;
    clock.start();
    while (!holds()) {
        if (clock.elapsed() > hang)
            return false;
        QTest::qWait(5);
    }
    return true;
}

bool settled(Document &d) {
    int calm = 0;
    return waitFor([&] {
        const bool busy = d.loading() || d.figuresPending() || workers().activeThreadCount() > 0;
        calm = busy ? 0 : calm + 1;
        return calm > 3;
    });
}

namespace {

// Whether a widget or something in it was drawn: one that its children cover gets no event of its own.
struct PaintWatch : QObject {
    explicit PaintWatch(QWidget &w) : widget(w) { QCoreApplication::instance()->installEventFilter(this); }
    bool eventFilter(QObject *o, QEvent *e) override {
        const auto *drawn = e->type() == QEvent::Paint ? qobject_cast<QWidget *>(o) : nullptr;
        seen = seen || (drawn != nullptr && (drawn == &widget || widget.isAncestorOf(drawn)));
        return false;
    }
    QWidget &widget;
    bool seen = false;
};

} // namespace

bool painted(QWidget &widget) {
    const PaintWatch watch(widget);
    widget.update();
    return waitFor([&] { return watch.seen; });
}

bool openAndWait(Document &d, const QStringList &files) {
    d.open(files);
    return settled(d) && d.snapshot()->complete;
}

QString sample(const QString &name) {
    return QString::fromStdString(iscsiscope::test::bundled(name.toStdString()));
}

namespace {

QStringList capturesIn(const QString &folder) {
    QStringList list;
    for (const QFileInfo &f : QDir(folder).entryInfoList({"*.pcap*.zst"}, QDir::Files, QDir::Name))
        list << f.filePath();
    return list;
}

} // namespace

QStringList realCaptures() {
    const QString given = qEnvironmentVariable("ISCSISCOPE_CAPTURES");
    return capturesIn(given.isEmpty() ? QString(ISCSISCOPE_SOURCE_DIR) + "/../shared/captures" : given);
}

QStringList bundledCaptures() {
    QStringList list;
    for (const auto &path : iscsiscope::test::bundled_captures())
        list << QString::fromStdString(path.string());
    return list;
}

QByteArray commandLine(const QStringList &arguments) {
    QProcess p;
    p.start(ISCSISCOPE_PROGRAM, arguments);
    p.waitForFinished(120'000);
    return p.readAllStandardOutput();
}

SnapshotPtr synthetic(std::size_t cycles, std::size_t connections, std::size_t samples) {
    Tables t;
    TableSink sink(t);
    std::uint64_t random = 88172645463325252U;
    const auto next = [&random](std::uint64_t below) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        return random % below;
    };
    std::vector<Duration> clock(connections, Duration{});
    Duration last{1};
    constexpr Time start{std::chrono::seconds{1'700'000'000}};
    for (std::size_t i = 0; i < cycles; ++i) {
        const std::size_t c = i % connections;
        CycleRecord r;
        r.cycle = CycleId{i};
        r.session = SessionId{c};
        r.stream = StreamId{c};
        r.type = next(3) == 0 ? TaskType::write : TaskType::read;
        r.bytes_expected = r.bytes_moved = 4096U << next(5);
        r.lba = next(1U << 30);
        r.command_frame = 4 * i + 1;
        r.status_frame = r.end_frame = 4 * i + 4;
        r.has_phases = true;
        r.phases.command = Duration{1000};
        Duration *wait = r.type == TaskType::read ? &r.phases.first_data_wait : &r.phases.r2t_wait;
        Duration *data = r.type == TaskType::read ? &r.phases.data : &r.phases.burst_data;
        *wait = Duration{static_cast<std::int64_t>(100'000 + next(900'000))};
        *data = Duration{static_cast<std::int64_t>(10'000 + next(90'000))};
        r.phases.status_wait = Duration{static_cast<std::int64_t>(next(50'000))};
        const Duration sum = r.phases.command + *wait + *data + r.phases.status_wait;
        r.response_time = sum;
        r.next_command_wait = Duration{static_cast<std::int64_t>(next(200'000))};
        r.cycle_time = sum + *r.next_command_wait;
        r.start = start + clock[c];
        r.end = r.start + sum;
        clock[c] += *r.cycle_time;
        last = std::max(last, clock[c]);
        r.outcome = TaskOutcome::good;
        r.complete = true;
        sink.on(r);
        GapRecord g;
        g.stream = StreamId{c};
        g.cycle = CycleId{i};
        g.start = r.start + r.phases.command;
        g.length = *wait;
        g.kind = r.type == TaskType::read ? GapKind::target_first_data : GapKind::target_r2t;
        g.in_active_life = true;
        g.active_part = *wait;
        sink.on(g);
    }
    for (std::size_t c = 0; c < connections; ++c) {
        t.streams[StreamId{c}].session = SessionId{c};
        SampleSeries &series = t.samples[{StreamId{c}, PduDirection::to_target}];
        const std::size_t each = samples / connections;
        TcpSample s;
        std::uint64_t window = 100'000;
        for (std::size_t i = 0; i < each; ++i) {
            window = next(1000) == 0 ? window / 2 : window + 14;
            s.time = start + static_cast<std::int64_t>(i) * (last / static_cast<std::int64_t>(each));
            s.frame = i + 1;
            s.flight = window - next(20'000) % window;
            s.cwnd = window;
            s.cwnd_low = window;
            s.receive_window = 4'000'000;
            s.rtt = Duration{static_cast<std::int64_t>(1'000'000 + next(500'000))};
            series.append(s);
        }
    }
    auto s = std::make_shared<Snapshot>(*makeSnapshot({}, t, std::make_shared<Report>()));
    s->complete = true;
    return s;
}

} // namespace iscsiscope::gui

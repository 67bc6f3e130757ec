// SPDX-License-Identifier: GPL-2.0-or-later
// What views show, held against the command line on every capture.
#include "analyzer/base/glossary/glossary.h"
#include "analyzer/query/cell.h"
#include "catch.h"
#include "gui/models/cycles/cycle_charts.h"
#include "gui/models/cycles/cycle_csv.h"
#include "gui/models/cycles/cycle_table_model.h"
#include "gui/models/experiment/prediction.h"
#include "gui/models/experiment/testbed_scenario.h"
#include "gui/models/ladder_model.h"
#include "gui/models/session_tree_model.h"
#include "gui/models/time_split.h"
#include "gui/models/timeline/lane_series.h"
#include "gui/models/words.h"
#include "support.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

#include <cmath>
#include <cstdio>
#include <fmt/format.h>

using namespace iscsiscope;
using namespace iscsiscope::gui;
using namespace std::chrono_literals;

namespace {

QList<QByteArray> linesOf(const QByteArray &text) {
    QList<QByteArray> lines = text.split('\n');
    for (QByteArray &l : lines)
        l = l.trimmed();
    while (!lines.isEmpty() && lines.back().isEmpty())
        lines.removeLast();
    return lines;
}

QByteArray contents(const QString &path) {
    QFile f(path);
    return f.open(QIODevice::ReadOnly) ? f.readAll() : QByteArray();
}

std::optional<QString> writtenCsv(const CycleTableModel &model, const QString &path) {
    const std::atomic<bool> go{false};
    std::atomic<double> share{0};
    return writeCyclesCsv(*model.snapshot(), *model.rows(), path, go, share);
}

QStringList allCaptures() {
    QStringList all = realCaptures();
    if (all.isEmpty())
        std::puts("SKIPPED: no real captures (ISCSISCOPE_CAPTURES)");
    return all + bundledCaptures();
}

} // namespace

TEST_CASE("Time and pixels") {
    const TimeScale s{{Time{1us}, Time{3us}}, 10, 200};
    CHECK(s.toPixel(Time{1us}) == 10);
    CHECK(s.toPixel(Time{2us}) == 110);
    CHECK(s.toTime(110) == Time{2us});
    const Interval whole{Time{}, Time{1ms}};
    const Interval view{Time{100us}, Time{300us}};
    const Interval nearer = zoomed(view, Time{150us}, 0.5, whole);
    CHECK(nearer.length() == 100us);
    CHECK(nearer.from == Time{125us}); // the time at the pointer stays where it was: a quarter in
    CHECK(zoomed(view, Time{150us}, 1e9, whole).length() <= 1'020'200ns);
    CHECK(zoomed(view, Time{150us}, 1e-9, whole).length() == shortestView);
    CHECK(panned(view, 10ms, whole).to <= Time{1010us});
}

TEST_CASE("A pyramid's nodes bound its rows") {
    MinMaxPyramid p;
    std::vector<float> values;
    for (int i = 0; i < 10'007; ++i) {
        values.push_back(static_cast<float>((i * 7919) % 1013));
        p.add(Time{i * 10ns}, i % 5 != 0, values.back());
    }
    p.finish();
    for (std::size_t level = 0; level < p.levels(); ++level) {
        const std::size_t run = static_cast<std::size_t>(std::pow(8, level + 1));
        for (std::size_t n = 0; n < p.level(level).size(); ++n) {
            float least = 1e9F, greatest = -1e9F;
            for (std::size_t i = n * run; i < std::min((n + 1) * run, values.size()); ++i) {
                if (i % 5 != 0) {
                    least = std::min(least, values[i]);
                    greatest = std::max(greatest, values[i]);
                }
            }
            REQUIRE(p.level(level)[n].least == least);
            REQUIRE(p.level(level)[n].greatest == greatest);
            REQUIRE(p.level(level)[n].start == Time{static_cast<std::int64_t>(n * run) * 10ns});
        }
    }
    const std::size_t level = p.levelFor(Time{}, Time{100'070ns}, 100);
    const auto [first, last] = p.nodesIn(level, Time{}, Time{100'070ns});
    CHECK(last - first >= 100);
    CHECK(last - first <= 100 * 8);
}

TEST_CASE("A lane's sums are those of its cycles") {
    const SnapshotPtr s = synthetic(20'000, 4, 1000);
    for (const auto &[stream, lane] : s->lanes->cycles) {
        CHECK(lane.size() == 5000);
        std::array<double, laneClasses> sums{};
        for (std::size_t i = 0; i < lane.size(); ++i) {
            if (i > 0)
                REQUIRE(s->tables.cycles.start(lane.row(i - 1)) <= s->tables.cycles.start(lane.row(i)));
            for (std::size_t p = 0; p < phaseCount; ++p)
                sums[p] += inNs(s->tables.cycles.phases(lane.row(i))[p]);
        }
        for (std::size_t level = 0; level < lane.levels(); ++level) {
            for (std::size_t p = 0; p < phaseCount; ++p) {
                double sum = 0;
                for (const LaneNode &n : lane.level(level))
                    sum += static_cast<double>(n.spent[p]);
                REQUIRE(sum == Approx(sums[p]).epsilon(1e-4));
            }
        }
    }
}

TEST_CASE("Cycles, TCP samples and the ledger equal the command line's on every capture") {
    const QTemporaryDir scratch;
    std::size_t cycles = 0, samples = 0, entries = 0, captures = 0;
    for (const QString &file : allCaptures()) {
        INFO(file.toStdString());
        Document d;
        d.setRemembers(false);
        CycleTableModel model(d);
        REQUIRE(openAndWait(d, {file}));
        const QString path = scratch.filePath("cycles.csv");
        REQUIRE_FALSE(writtenCsv(model, path).has_value());
        REQUIRE(linesOf(contents(path)) == linesOf(commandLine({"cycles", file})));
        cycles += static_cast<std::size_t>(model.rowCount());

        std::map<SeriesKey, Row> at;
        const auto rows = linesOf(commandLine(
            {"tcp", file, "--columns",
             "stream,direction,frame,time_ns,flight_bytes,cwnd_bytes,cwnd_low_bytes,cwnd_high_bytes,"
             "receive_window_bytes,rtt_ns,state,limit"}));
        for (qsizetype i = 1; i < rows.size(); ++i) {
            const auto cells = rows[i].split(',');
            const SeriesKey key{StreamId{cells[0].toULongLong()}, cells[1] == "to_target"
                                                                      ? PduDirection::to_target
                                                                      : PduDirection::to_initiator};
            const auto series = d.snapshot()->tables.samples.find(key);
            REQUIRE(series != d.snapshot()->tables.samples.end());
            const Row r = at[key]++;
            REQUIRE(r < series->second.size());
            const SampleSeries &s = series->second;
            REQUIRE(s.frame(r) == cells[2].toULongLong());
            REQUIRE(s.time(r) == time_from_ns(cells[3].toLongLong()));
            const auto same = [&](SampleFigure f, int cell) {
                const auto v = s.value(r, f);
                REQUIRE(v.has_value() == !cells[cell].isEmpty());
                if (v)
                    REQUIRE(*v == cells[cell].toLongLong());
            };
            same(SampleFigure::flight, 4);
            same(SampleFigure::cwnd, 5);
            same(SampleFigure::cwndLow, 6);
            same(SampleFigure::cwndHigh, 7);
            same(SampleFigure::receiveWindow, 8);
            same(SampleFigure::rtt, 9);
            REQUIRE(name(s.state(r)) == cells[10].toStdString());
            REQUIRE(name(s.limit(r)) == cells[11].toStdString());
        }
        for (const auto &[key, n] : at) {
            REQUIRE(d.snapshot()->tables.samples.at(key).size() == n);
            samples += n;
        }

        LedgerStore::Reader ledger(d.snapshot()->tables.ledger);
        LedgerEntry e;
        const auto told = linesOf(
            commandLine({"ledger", file, "--columns", "stream,lun,type,start_ns,length_ns,owner,trouble"}));
        for (qsizetype i = 1; i < told.size(); ++i) {
            REQUIRE(ledger.next(e));
            Scratch lun;
            REQUIRE(told[i].toStdString() == fmt::format("{},{},{},{},{},{},{}", e.stream.number,
                                                         lun_cell(e.lun, lun), name(e.type), to_ns(e.start),
                                                         to_ns(e.length), name(e.owner), e.trouble));
            ++entries;
        }
        REQUIRE_FALSE(ledger.next(e));
        ++captures;
    }
    std::printf("FIGURE: captures whose cycles, TCP samples and ledger equal the command line's: %zu (%zu "
                "cycles, %zu samples, %zu entries)\n",
                captures, cycles, samples, entries);
}

TEST_CASE("Range and filter give the command line's figures") {
    Document d;
    d.setRemembers(false);
    CycleTableModel model(d);
    const QString file = sample("tgt-qemu.pcapng.zst");
    REQUIRE(openAndWait(d, {file}));
    const Time origin = d.snapshot()->origin;
    d.setRange(Interval{origin + 30ms, origin + 90ms});
    REQUIRE_FALSE(d.addFilter("type == \"read\" and response_time > 300us").has_value());
    REQUIRE(settled(d));
    const QStringList choice{"--range", "0.03..0.09", "--filter",
                             "type == \"read\" and response_time > 300us"};
    const QTemporaryDir scratch;
    REQUIRE_FALSE(writtenCsv(model, scratch.filePath("c.csv")).has_value());
    const auto rows = linesOf(commandLine(QStringList{"cycles", file} + choice));
    CHECK(rows.size() > 10);
    CHECK(linesOf(contents(scratch.filePath("c.csv"))) == rows);

    const QJsonObject json =
        QJsonDocument::fromJson(commandLine(QStringList{"report", file, "--format", "json"} + choice))
            .object();
    const QJsonObject read = json.value("cycles").toObject().value("read").toObject();
    const TypeTally &t = d.figures()->types[static_cast<std::size_t>(TaskType::read)];
    CHECK(static_cast<std::uint64_t>(read.value("count").toDouble()) == t.count);
    CHECK(t.count == static_cast<std::uint64_t>(rows.size() - 1));
    const auto bars = timeBars(*d.figures());
    REQUIRE_FALSE(bars.empty());
    const QJsonObject shares = json.value("time_shares").toObject();
    CHECK(cutToNs(shares.value("active_ns").toDouble()) == bars.front().whole);
    Duration sum{};
    for (const TimeSlice &s : bars.front().slices)
        sum += s.spent;
    CHECK(sum == bars.front().whole);
    const QJsonObject owners = json.value("owners").toObject().value("all").toObject();
    const TimeBar whose = ownerBar(*d.figures());
    CHECK(cutToNs(owners.value("busy_ns").toDouble()) == whose.whole);
    sum = {};
    for (const TimeSlice &s : whose.slices) {
        CHECK(cutToNs(owners.value(s.name + "_ns").toDouble()) == s.spent);
        sum += s.spent;
    }
    CHECK(sum == whose.whole);

    const QString mistake = d.addFilter("respnse_time > 5ms").value_or("");
    CHECK(mistake.contains("response_time")); // did you mean
    CHECK(mistake.contains("^"));
    CHECK(d.filters().size() == 1);
    d.removeFilter(0);
    d.setRange(std::nullopt);
    REQUIRE(settled(d));
    CHECK(model.rowCount() == static_cast<int>(d.snapshot()->tables.cycles.size()));
}

TEST_CASE("Sums of sessions, connections and LUNs") {
    Document d;
    d.setRemembers(false);
    SessionTreeModel tree(d);
    const QString file = sample("mcs-unequal.initiator.pcapng.zst");
    REQUIRE(openAndWait(d, {file}));
    REQUIRE(tree.rowCount() == 1);
    const QModelIndex session = tree.index(0, 0);
    REQUIRE(tree.rowCount(session) == 4);
    qulonglong sum = 0;
    for (int i = 0; i < 4; ++i) {
        const QModelIndex c = tree.index(i, 0, session);
        const QString filter = c.data(SessionTreeModel::FilterRole).toString();
        const auto report = commandLine({"report", file, "--format", "json", "--filter", filter});
        const QJsonObject read =
            QJsonDocument::fromJson(report).object().value("cycles").toObject().value("read").toObject();
        const QJsonObject control =
            QJsonDocument::fromJson(report).object().value("cycles").toObject().value("control").toObject();
        const auto tasks =
            tree.index(i, SessionTreeModel::Tasks, session).data(SessionTreeModel::RawRole).toULongLong();
        CHECK(static_cast<double>(tasks) ==
              read.value("count").toDouble() + control.value("count").toDouble());
        sum += tasks;
    }
    CHECK(tree.index(0, SessionTreeModel::Tasks).data(SessionTreeModel::RawRole).toULongLong() == sum);
}

TEST_CASE("The lanes of throughput and its deviation are those of the report") {
    Document d;
    d.setRemembers(false);
    const QString file = sample("mcs-unequal.initiator.pcapng.zst");
    REQUIRE(openAndWait(d, {file}));
    d.setThroughputInterval(std::chrono::milliseconds(200));
    REQUIRE(settled(d));
    REQUIRE(d.throughputReport()->session_figures.has_value());
    const auto lines = laneContent(LaneKind::deviation, *d.snapshot(),
                                   &*d.throughputReport()->session_figures, d.snapshot()->whole, 1000)
                           .lines;
    REQUIRE(lines.size() == 1);
    const QJsonObject json =
        QJsonDocument::fromJson(commandLine({"report", file, "--format", "json", "--interval", "200ms"}))
            .object();
    const QJsonArray rows = json.value("session_analysis").toObject().value("throughput").toArray();
    REQUIRE_FALSE(rows.isEmpty());
    const QJsonArray intervals = rows[0].toObject().value("intervals").toArray();
    REQUIRE(lines[0].y.size() == 2 * intervals.size()); // each a step of two points
    for (qsizetype i = 0; i < intervals.size(); ++i) {
        const double deviation =
            intervals[i].toObject().value("rate").toObject().value("deviation").toDouble();
        CHECK(lines[0].y[2 * i] == Approx(deviation * 1e-6).margin(1e-9));
    }
    std::printf("FIGURE: intervals of the deviation lane that equal the JSON report: %lld\n",
                static_cast<long long>(intervals.size()));
}

TEST_CASE("Lines have a few points a pixel and keep extremes") {
    const SnapshotPtr s = synthetic(1000, 1, 500'000);
    const Interval whole = s->whole;
    const auto lines = laneContent(LaneKind::cwnd, *s, nullptr, whole, 800).lines;
    const auto &samples = s->tables.samples.begin()->second;
    double most = 0;
    for (std::size_t i = 0; i < samples.size(); ++i)
        most = std::max(most, static_cast<double>(*samples.value(static_cast<Row>(i), SampleFigure::flight)));
    for (const LaneLine &l : lines) {
        CHECK(l.x.size() <= 2 * 801);
        CHECK(std::is_sorted(l.x.begin(), l.x.end()));
        if (l.name.startsWith("flight"))
            CHECK(*std::max_element(l.y.begin(), l.y.end()) * 1e3 == Approx(most).epsilon(1e-6));
    }
}

TEST_CASE("A line is there at any number of samples") {
    for (const std::size_t samples : {10U, 900U, 1'700U, 3'000U, 6'000U, 9'000U, 40'000U}) {
        const SnapshotPtr s = synthetic(100, 1, samples);
        const auto lines = laneContent(LaneKind::rtt, *s, nullptr, s->whole, 800).lines;
        INFO(samples << " samples");
        REQUIRE(lines.size() == 1);
        CHECK(static_cast<std::size_t>(lines[0].x.size()) >= std::min<std::size_t>(samples, 700));
        CHECK(lines[0].x.size() <= 2 * 802);
    }
}

TEST_CASE("Frames of a cycle, and the cycle of a frame") {
    Document d;
    d.setRemembers(false);
    REQUIRE(openAndWait(d, {sample("r2t-ping-pong.initiator.pcapng.zst")}));
    const CycleStore &cycles = d.snapshot()->tables.cycles;
    Row write = 0;
    while (cycles.type(write) != TaskType::write)
        ++write;
    d.selectCycle(write);
    const auto steps = d.steps();
    const CycleRecord r = cycles.record(write);
    REQUIRE(steps.size() >= 2 + 2 * r.r2t_count);
    CHECK(steps.front().frame == r.command_frame);
    CHECK(steps.back().frame == r.status_frame);
    CHECK(steps[1].what.startsWith("R2T 1"));
    CHECK(steps[2].what.startsWith("Data-Out 1"));
    CHECK(std::is_sorted(steps.begin(), steps.end(),
                         [](const CycleStep &a, const CycleStep &b) { return a.time < b.time; }));
    d.moveStep(1);
    CHECK(d.selection().frame == steps[1].frame);
    d.moveStep(-5);
    CHECK(d.selection().frame == r.command_frame);
    d.selectCycle(std::nullopt);
    d.findFrame(steps[1].frame);
    REQUIRE(settled(d));
    CHECK(d.selection().cycle == write);
    CHECK(d.selection().frame == steps[1].frame);
    // The ladder of this cycle has every one of its frames, with its name.
    const std::atomic<bool> go{false};
    const LadderPage page = readLadder(*d.snapshot(), r.stream, {r.start, r.end + 1ns}, go);
    for (const CycleStep &s : steps) {
        INFO(s.what.toStdString() << " in frame " << s.frame);
        CHECK(std::any_of(page.packets.begin(), page.packets.end(),
                          [&](const LadderPacket &p) { return p.frame == s.frame; }));
    }
    const auto r2ts = std::count_if(page.packets.begin(), page.packets.end(),
                                    [](const LadderPacket &p) { return p.pdus.contains("R2T"); });
    CHECK(r2ts == static_cast<std::ptrdiff_t>(r.r2t_count));
}

TEST_CASE("Charts count every cycle once") {
    Document d;
    d.setRemembers(false);
    REQUIRE(openAndWait(d, {sample("tgt-qemu.pcapng.zst")}));
    const std::atomic<bool> go{false};
    for (const auto kind : {ChartKind::heatMap, ChartKind::histogram}) {
        const ChartData c = makeChart(kind, *d.snapshot(), *d.matches(), d.snapshot()->whole, go);
        double sum = 0;
        for (const auto &y : c.y)
            for (const double v : y)
                sum += v;
        for (const std::uint32_t n : c.grid.counts)
            sum += n;
        CHECK(sum == Approx(static_cast<double>(c.cycles)));
        CHECK(c.cycles == 338);
    }
}

TEST_CASE("The model's sliders move the prediction") {
    Document d;
    d.setRemembers(false);
    PredictionModel model(d);
    REQUIRE(openAndWait(d, {sample("read-16ms-two-gaps.initiator.pcapng.zst")}));
    REQUIRE(model.prediction().has_value());
    const double before = model.prediction()->predicted;
    const ModelRow &row = d.snapshot()->report->models.front();
    CHECK(model.prediction()->measured == row.input.measured_throughput);
    for (std::size_t i = 0; i < model.settings().size(); ++i) {
        if (model.settings()[i].setting == SettingName::depth) {
            REQUIRE(model.settings()[i].values.size() > model.settings()[i].present + 2);
            model.setStep(i, model.settings()[i].present + 2);
        }
    }
    CHECK(model.prediction()->predicted > 2 * before);
    const auto list = model.changes();
    REQUIRE(list.size() == 1);
    CHECK(model.prediction()->predicted == predict(row.input, list).predicted);
}

TEST_CASE("Tips are the glossary's sentences") {
    Document d;
    d.setRemembers(false);
    const CycleTableModel cycles(d);
    const auto tip = [](const QAbstractItemModel &model, int column) {
        return model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString();
    };
    CHECK(tip(cycles, cycles.columnOf(u"response_time_ns")).toStdString() == meaning_of("response_time_ns"));
    for (int i = 0; i < cycles.columnCount(); ++i)
        CHECK_FALSE(tip(cycles, i).isEmpty());
    const SessionTreeModel tree(d);
    CHECK(tip(tree, SessionTreeModel::Iops).startsWith(meaningOf("iops")));
    for (std::size_t i = 0; i < laneKindCount; ++i)
        CHECK_FALSE(laneMeaning(static_cast<LaneKind>(i)).isEmpty());
    REQUIRE(openAndWait(d, {sample("read-16ms-two-gaps.initiator.pcapng.zst")}));
    for (const TimeBar &bar : timeBars(*d.snapshot()->report))
        for (const TimeSlice &s : bar.slices)
            CHECK_FALSE(s.explanation.isEmpty());
    for (const TimeSlice &s : ownerBar(*d.snapshot()->report).slices)
        CHECK_FALSE(s.explanation.isEmpty());
    REQUIRE(tree.rowCount() == 1);
    CHECK(tree.index(0, SessionTreeModel::Idle).data(Qt::ToolTipRole).toString() ==
          busyWords(d.snapshot()->report->time));
}

TEST_CASE("Fields of the testbed refuse wrong values") {
    for (const FieldInfo &f : testbedFields()) {
        INFO(f.name.toStdString());
        CHECK_FALSE(mistakeIn(f.field, f.preset).has_value());
    }
    CHECK(mistakeIn(Field::delay, "5"));
    CHECK(mistakeIn(Field::delay, "-1ms"));
    CHECK(mistakeIn(Field::loss, "120%"));
    CHECK(mistakeIn(Field::rate, "fast"));
    CHECK(mistakeIn(Field::block, "1000"));
    CHECK(mistakeIn(Field::connections, "0"));
    CHECK(mistakeIn(Field::maxBurstLength, "100"));
    CHECK(mistakeIn(Field::maxBurstLength, "16MiB")); // 2^24 is one too many
    CHECK(mistakeIn(Field::initialR2t, "Maybe"));
}

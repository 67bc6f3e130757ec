// SPDX-License-Identifier: GPL-2.0-or-later
// Aggregates of a selection: what a box, a histogram's classes or "cycles like this one" select has the
// figures that the command line gives for the same expression.
#include "analyzer/figures/tallies.h"
#include "catch.h"
#include "gui/models/aggregates/aggregates_model.h"
#include "gui/models/aggregates/response_classes.h"
#include "gui/models/cycles/cycle_charts.h"
#include "gui/models/cycles/cycle_table_model.h"
#include "gui/models/histogram_times.h"
#include "gui/models/words.h"
#include "gui/views/cycles/aggregates_panel.h"
#include "gui/views/cycles/chart_plot.h"
#include "gui/views/cycles/cycle_grid.h"
#include "gui/views/cycles/cycles_view.h"
#include "gui/window/main_window.h"
#include "support.h"
#include "tests/support/live.h"

#include <QComboBox>
#include <QElapsedTimer>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTest>
#include <QToolButton>

#include <cstdio>
#include <set>

using namespace iscsiscope;
using namespace iscsiscope::gui;
using namespace std::chrono_literals;

namespace {

const std::atomic<bool> going{false};

QJsonObject reportOf(const QString &file, const QString &filter, const QStringList &more = {}) {
    return QJsonDocument::fromJson(
               commandLine(QStringList{"report", file, "--format", "json", "--filter", filter} + more))
        .object();
}

void sameTime(const std::optional<Duration> &here, const QJsonValue &there) {
    REQUIRE(here.has_value() == !there.isNull());
    if (here)
        CHECK(to_ns(*here) == there.toInteger());
}

// The line of the aggregates against the report of the same cycles.
void sameFigures(const AggregateRow &row, const QJsonObject &report) {
    const QJsonObject cycles = report.value("cycles").toObject().value(words(name(row.type))).toObject();
    CHECK(static_cast<qint64>(row.count) == cycles.value("count").toInteger());
    CHECK(static_cast<qint64>(row.bytes) == cycles.value("bytes").toInteger());
    const QJsonObject time = cycles.value("times").toObject().value("response_time").toObject();
    const QJsonObject quantiles = time.value("quantiles_ns").toObject();
    CHECK(static_cast<qint64>(row.answered) == time.value("count").toInteger());
    CHECK(to_ns(row.time) == time.value("sum_ns").toInteger());
    sameTime(row.quantiles[0], time.value("min_ns"));
    sameTime(row.quantiles[1], quantiles.value("0.5"));
    sameTime(row.quantiles[2], quantiles.value("0.9"));
    sameTime(row.quantiles[3], quantiles.value("0.99"));
    sameTime(row.quantiles[4], time.value("max_ns"));
}

std::vector<Row> allRows(const Snapshot &s) {
    std::vector<Row> rows(s.tables.cycles.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i] = static_cast<Row>(i);
    return rows;
}

bool passes(const QString &expression, const CycleRecord &r) {
    const auto compiled = Expression::compile(expression.toStdString(), ColumnNames(cycle_table()));
    REQUIRE(compiled.ok());
    return compiled.value().holds(&r);
}

struct Window {
    MainWindow w;
    explicit Window(const QString &file) {
        w.document().setRemembers(false);
        w.resize(1200, 800);
        w.show();
        w.open({file});
        REQUIRE(settled(w.document()));
        w.showView("cycles");
        REQUIRE(settled(w.document()));
    }
    CyclesView &view() { return w.cycles(); }
    ChartPlot &chart() { return w.cycles().chart(); }
    void drag(QPoint from, QPoint to, Qt::KeyboardModifiers held = Qt::NoModifier) {
        QTest::mousePress(&chart(), Qt::LeftButton, held, from);
        const auto move = [&](const QPoint &at) {
            QMouseEvent e(QEvent::MouseMove, at, chart().mapToGlobal(at), Qt::NoButton, Qt::LeftButton, held);
            QCoreApplication::sendEvent(&chart(), &e);
        };
        move((from + to) / 2);
        move(to);
        QTest::mouseRelease(&chart(), Qt::LeftButton, held, to);
        REQUIRE(settled(w.document()));
    }
};

} // namespace

TEST_CASE("The classes of response times have whole edges and no holes") {
    CHECK(lowerEdgeOf(0) == 0ns);
    CHECK(lowerEdgeOf(480) == 1ms);
    CHECK(lowerEdgeOf(720) == 1s);
    for (int c = 0; c < responseClasses; ++c) {
        const Duration from = lowerEdgeOf(c), to = lowerEdgeOf(c + 1);
        REQUIRE(from <= to);
        if (from == to)
            continue; // below 35 ns classes are narrower than a nanosecond
        REQUIRE(responseClassOf(from) == c);
        REQUIRE(responseClassOf(to - 1ns) == c);
    }
    CHECK(responseClassOf(-5ns) == 0);
    CHECK(responseClassOf(Duration::max()) == responseClasses - 1);
}

TEST_CASE("The filter of a box holds for the cycles of the box") {
    CHECK(durationLiteral(17ns) == "17ns");
    CHECK(durationLiteral(2100us) == "2.1ms");
    CHECK(durationLiteral(2'238'722ns) == "2.238722ms");
    CHECK(durationLiteral(3s) == "3s");
    CHECK(roundedDown(2'238'722ns) == 2230us);
    CHECK(roundedUp(2'238'722ns) == 2240us);
    CHECK(roundedUp(2240us) == 2240us);
    const SnapshotPtr s = synthetic(3000, 3, 10);
    const CycleStore &c = s->tables.cycles;
    std::size_t inside = 0;
    for (const Row edge : {Row{10}, Row{500}, Row{2900}}) {
        // Limits that are response times themselves: the lower one is included, the upper one is not.
        const Duration one = c.responseTime(edge).value(), other = c.responseTime(edge + 7).value();
        CycleBox box;
        box.response = ResponseRange{std::min(one, other), std::max(one, other)};
        box.lba = {c.lba(edge) / 2, c.lba(edge) * 2};
        const QString expression = box.expression();
        for (Row r = 0; r < c.size(); ++r) {
            REQUIRE(box.holds(c, r) == passes(expression, c.record(r)));
            inside += box.holds(c, r) ? 1 : 0;
        }
    }
    CHECK(inside > 0);
    CycleBox time;
    time.time = Interval{c.end(100), c.end(100) + 1ns};
    CHECK(time.expression().isEmpty());
    CHECK(time.holds(c, 100));
}

TEST_CASE("The class of a histogram is the cycles of the filter that names its edges") {
    const SnapshotPtr s = synthetic(20'000, 4, 10);
    const auto rows = allRows(*s);
    const ChartData d = makeChart(ChartKind::histogram, *s, rows, spanOfNothing, going); // whatever the view
    std::size_t classes = 0;
    for (qsizetype i = 0; i < d.x[0].size(); ++i) {
        CycleBox box;
        const int responseClass = d.firstClass + d.classStep * static_cast<int>(i);
        box.response = ResponseRange{lowerEdgeOf(responseClass), lowerEdgeOf(responseClass + d.classStep)};
        double drawn = 0;
        for (const auto &y : d.y)
            drawn += y.isEmpty() ? 0 : y[i];
        CHECK(static_cast<double>(aggregate(*s, rows, box, Grouping::type, going).count) == drawn);
        classes += drawn > 0 ? 1 : 0;
    }
    CHECK(classes > 3);
}

TEST_CASE("Aggregates of a box equal the command line's of its filter, by every grouping") {
    std::size_t lines = 0, captures = 0;
    QStringList files = bundledCaptures();
    for (const QString &real : realCaptures())
        if (real.contains("i_randread") || real.contains("g_4sessions") || real.contains("z13_lun_reset"))
            files << real;
    for (const QString &file : files) {
        INFO(file.toStdString());
        Document d;
        d.setRemembers(false);
        CycleBrush brush(d);
        AggregatesModel model(d, brush);
        REQUIRE(openAndWait(d, {file}));
        if (d.matches()->empty())
            continue;
        ++captures;
        // The middle of the response times.
        Histogram all;
        for (const Row r : *d.matches())
            if (const auto t = d.snapshot()->tables.cycles.responseTime(r))
                all.add(to_ns(*t));
        if (all.count() == 0)
            continue;
        CycleBox box;
        box.response = ResponseRange{roundedDown(Duration{*all.quantile(0.2)}),
                                     roundedUp(Duration{*all.quantile(0.9)}) + 1ns};
        brush.setBox(box);
        for (const Grouping g : {Grouping::type, Grouping::lun, Grouping::connection, Grouping::session,
                                 Grouping::size, Grouping::outcome}) {
            model.setGrouping(g);
            REQUIRE(waitFor([&] { return !model.pending(); }));
            std::uint64_t sum = 0;
            for (std::size_t i = 0; i < model.aggregates().rows.size(); ++i) {
                const AggregateRow &row = model.aggregates().rows[i];
                sum += row.count;
                if (i >= 4) // each is a run of the program
                    continue;
                const QString filter = box.expression() + " and " + expressionOf(g, row);
                INFO(filter.toStdString());
                sameFigures(row, reportOf(file, filter));
                ++lines;
            }
            CHECK(sum == model.aggregates().count);
        }
    }
    std::printf("FIGURE: lines of aggregates that equal `report --filter`: %zu of %zu captures\n", lines,
                captures);
    CHECK(lines > 20);
}

TEST_CASE("A box that is kept becomes one filter and the range") {
    const QString file = sample("tgt-qemu.pcapng.zst");
    Document d;
    d.setRemembers(false);
    CycleBrush brush(d);
    AggregatesModel model(d, brush);
    REQUIRE(openAndWait(d, {file}));
    const Interval whole = d.snapshot()->whole;
    CycleBox box;
    box.time = Interval{whole.from, whole.from + whole.length() * 3 / 4};
    box.response = ResponseRange{1ms, 2s};
    brush.setBox(box);
    REQUIRE(waitFor([&] { return !model.pending(); }));
    const std::uint64_t inBox = model.aggregates().count;
    CHECK(inBox > 0);
    CHECK(inBox < d.matches()->size());
    CHECK(d.filters().isEmpty()); // it is provisional
    brush.keep();
    CHECK_FALSE(brush.box().has_value());
    CHECK(d.filters() == QStringList{"response_time >= 1ms and response_time < 2s"});
    CHECK(d.range() == box.time);
    REQUIRE(settled(d));
    CHECK(d.matches()->size() == inBox);
    CHECK(model.aggregates().count == inBox);
    // The window's figures, which come from the file, are the same; so are the command line's.
    const QStringList range{
        "--range", QString("%1s..%2s").arg(0).arg(inSeconds(box.time->to - d.snapshot()->origin), 0, 'f', 9)};
    const QJsonObject report = reportOf(file, d.filters().front(), range);
    for (const AggregateRow &row : model.aggregates().rows) {
        sameFigures(row, report);
        CHECK(asDuration(d.figures()->of(row.type).of(CycleFigure::response_time).quantile(0.99)) ==
              row.quantiles[3]);
    }
}

TEST_CASE("Cycles like this one: type, LUN and size class") {
    Document d;
    d.setRemembers(false);
    REQUIRE(openAndWait(d, {sample("tgt-qemu.pcapng.zst")}));
    const CycleStore &c = d.snapshot()->tables.cycles;
    std::set<SessionId> sessions; // with a LUN 0, which is another one in each
    for (const auto &[key, lun] : d.snapshot()->tables.luns)
        sessions.insert(key.first);
    const bool several = sessions.size() > 1;
    for (Row r = 0; r < c.size(); r += 37) {
        const QString like = likeExpression(d.snapshot()->tables, r);
        const CycleRecord one = c.record(r);
        CHECK(passes(like, one));
        std::size_t others = 0;
        for (Row o = 0; o < c.size(); ++o) {
            const CycleRecord other = c.record(o);
            const bool same = other.type == one.type && other.lun == one.lun &&
                              (other.session == one.session || !several) && other.bytes_expected &&
                              one.bytes_expected &&
                              size_class(*other.bytes_expected) == size_class(*one.bytes_expected);
            if (one.bytes_expected)
                REQUIRE(passes(like, other) == same);
            others += same ? 0 : 1;
        }
        CHECK(others > 0);
    }
}

TEST_CASE("Sorting the aggregates keeps what is not known last") {
    Document d;
    d.setRemembers(false);
    CycleBrush brush(d);
    AggregatesModel model(d, brush);
    REQUIRE(openAndWait(d, {sample("tgt-qemu.pcapng.zst")}));
    model.setGrouping(Grouping::size);
    REQUIRE(waitFor([&] { return !model.pending() && model.rowCount() > 2; }));
    for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
        model.sort(AggregatesModel::P99, order);
        bool unknown = false;
        for (int row = 0; row < model.rowCount(); ++row) {
            const QVariant v = model.index(row, AggregatesModel::P99).data(AggregatesModel::RawRole);
            CHECK((!unknown || !v.isValid()));
            unknown = !v.isValid();
            if (row > 0 && v.isValid()) {
                const qlonglong before =
                    model.index(row - 1, AggregatesModel::P99).data(AggregatesModel::RawRole).toLongLong();
                CHECK((order == Qt::AscendingOrder ? before <= v.toLongLong() : before >= v.toLongLong()));
            }
        }
    }
    for (int column = 0; column < model.columnCount(); ++column)
        CHECK_FALSE(model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty());
}

TEST_CASE("A drag over the histogram selects the cycles under it") {
    Window window(sample("tgt-qemu.pcapng.zst"));
    window.view().kinds().setCurrentIndex(static_cast<int>(ChartKind::histogram));
    REQUIRE(settled(window.w.document()));
    const QRect inside = window.chart().axisRect()->rect();
    const int y = inside.center().y();
    window.drag({inside.left() + inside.width() / 2, y}, {inside.right() - 2, y});
    CHECK_FALSE(window.w.document().range().has_value()); // a distribution has no time axis
    REQUIRE(window.view().brush().box().has_value());
    CHECK(window.view().brush().box()->response.has_value());
    CHECK_FALSE(window.view().brush().box()->time.has_value());
    const AggregatesModel &model = window.view().aggregates().model();
    const std::uint64_t inBox = model.aggregates().count;
    CHECK(inBox > 0);
    CHECK(inBox < model.aggregates().of);
    CHECK(window.view().aggregates().heading().contains(countWords(inBox)));
    CHECK(window.view().aggregates().keepButton().isVisible());
    // A class whose bar has cycles says so.
    const ChartData &data = window.chart().data();
    bool said = false;
    for (qsizetype i = 0; i + 1 < data.x[1].size() && !said; ++i) {
        if (data.y[1][i] == 0)
            continue;
        const double middle = std::sqrt(data.x[1][i] * data.x[1][i + 1]);
        const QString tip =
            window.chart().tipAt({static_cast<int>(window.chart().xAxis->coordToPixel(middle)), y});
        CHECK(tip.contains(QString("write: %1 cycles").arg(static_cast<int>(data.y[1][i]))));
        said = true;
    }
    CHECK(said);
    // Escape takes the box away, and nothing else.
    REQUIRE_FALSE(window.w.document().addFilter("cycle >= 0").has_value());
    window.chart().setFocus();
    QTest::keyClick(&window.chart(), Qt::Key_Escape);
    CHECK_FALSE(window.view().brush().box().has_value());
    CHECK(window.w.document().filters().size() == 1);
    // A drag again, kept: the chip's filter selects these very cycles.
    window.w.document().removeFilter(0);
    REQUIRE(settled(window.w.document()));
    window.drag({inside.left() + inside.width() / 2, y}, {inside.right() - 2, y});
    window.view().aggregates().keepButton().click();
    REQUIRE(settled(window.w.document()));
    CHECK(window.w.document().filters().size() == 1);
    CHECK(window.w.document().matches()->size() == inBox);
}

TEST_CASE("A drag with Ctrl draws a box of time and response time, a plain one the range") {
    Window window(sample("tgt-qemu.pcapng.zst"));
    const QRect inside = window.chart().axisRect()->rect();
    const QPoint from(inside.left() + 5, inside.top() + inside.height() / 4),
        to(inside.center().x(), inside.bottom() - 5);
    window.drag(from, to, Qt::ControlModifier);
    const auto box = window.view().brush().box();
    REQUIRE(box.has_value());
    CHECK((box->time && box->response));
    CHECK_FALSE(window.w.document().range().has_value());
    const AggregatesModel &model = window.view().aggregates().model();
    std::uint64_t inside2 = 0;
    for (const Row r : *window.w.document().matches())
        inside2 += box->holds(window.w.document().snapshot()->tables.cycles, r) ? 1 : 0;
    CHECK(model.aggregates().count == inside2);
    CHECK(inside2 > 0);
    window.view().brush().clear();
    window.drag(from, to);
    CHECK(window.w.document().range().has_value());
    CHECK_FALSE(window.view().brush().box().has_value());
    window.w.document().setRange(std::nullopt);
    window.view().boxButton().click();
    REQUIRE(settled(window.w.document()));
    window.drag(from, to);
    CHECK(window.view().brush().box().has_value());
    CHECK_FALSE(window.w.document().range().has_value());
    // Over LBAs the box is one of LBAs.
    window.view().kinds().setCurrentIndex(static_cast<int>(ChartKind::lba));
    REQUIRE(settled(window.w.document()));
    const QRect ofLbas = window.chart().axisRect()->rect();
    window.drag(ofLbas.center(), ofLbas.bottomRight() - QPoint(3, 3));
    REQUIRE(window.view().brush().box().has_value());
    CHECK(window.view().brush().box()->lba.has_value());
}

TEST_CASE("A click on a point selects its cycle, whose tip says what it is") {
    Window window(sample("tgt-qemu.pcapng.zst"));
    const ChartData &data = window.chart().data();
    REQUIRE(data.asPoints);
    const qsizetype i = data.x[1].size() / 2;
    const QPoint at(static_cast<int>(std::lround(window.chart().xAxis->coordToPixel(data.x[1][i]))),
                    static_cast<int>(std::lround(window.chart().yAxis->coordToPixel(data.y[1][i]))));
    const auto row = window.chart().cycleAt(at);
    REQUIRE(row.has_value());
    CHECK(window.chart().tipAt(at).contains("response time"));
    QTest::mouseClick(&window.chart(), Qt::LeftButton, Qt::NoModifier, at);
    CHECK(window.w.document().selection().cycle == row);
    QTest::keyClick(&window.chart(), Qt::Key_L);
    REQUIRE(window.w.document().filters().size() == 1);
    CHECK(window.w.document().filters().front() ==
          likeExpression(window.w.document().snapshot()->tables, *row));
    // A double click on a line of the aggregates filters its cycles.
    REQUIRE(settled(window.w.document()));
    AggregatesModel &model = window.view().aggregates().model();
    const std::uint64_t count = model.aggregates().rows.front().count;
    model.filterGroup(0);
    REQUIRE(settled(window.w.document()));
    CHECK(window.w.document().filters().size() == 2);
    CHECK(window.w.document().matches()->size() == count);
}

TEST_CASE("A right click on a cycle offers the cycles like it") {
    Window window(sample("tgt-qemu.pcapng.zst"));
    QWidget &viewport = *window.view().grid().viewport();
    const QPoint at(40, window.view().grid().rowHeight() * 3 + 2);
    QTest::mousePress(&viewport, Qt::RightButton, Qt::NoModifier, at);
    REQUIRE(window.w.document().selection().cycle == window.view().model().cycleAt(3));
    QContextMenuEvent asked(QContextMenuEvent::Mouse, at, viewport.mapToGlobal(at));
    QCoreApplication::sendEvent(&viewport, &asked);
    auto *menu = window.view().findChild<QMenu *>("cycleMenu");
    REQUIRE(menu != nullptr);
    const QString like =
        likeExpression(window.w.document().snapshot()->tables, window.view().model().cycleAt(3));
    REQUIRE(menu->actions().front()->text().contains(like));
    menu->actions().front()->trigger();
    menu->close();
    CHECK(window.w.document().filters() == QStringList{like});
}

TEST_CASE("Aggregates of a million cycles do not hold up the window") {
    Document d;
    CycleBrush brush(d);
    AggregatesModel model(d, brush);
    d.show(synthetic(1'000'000, 8, 10));
    REQUIRE(settled(d));
    CycleBox box;
    box.response = ResponseRange{0ns, Duration::max()};
    QElapsedTimer clock;
    clock.start();
    double longest = 0;
    for (int i = 1; i < 60; ++i) { // as a drag of the brush does
        box.response->from = Duration{i};
        const double before = iscsiscope::test::thread_seconds();
        brush.setBox(box);
        longest = std::max(longest, iscsiscope::test::thread_seconds() - before);
        REQUIRE(model.pending()); // nothing was waited for
    }
    REQUIRE(waitFor([&] { return !model.pending(); }));
    CHECK(longest < 0.016);
    std::printf("FIGURE: 60 boxes over a million cycles: longest hold %.1f ms of processor, all aggregated "
                "after %lld ms\n",
                longest * 1e3, static_cast<long long>(clock.elapsed()));
}

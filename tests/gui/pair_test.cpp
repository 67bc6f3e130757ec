// SPDX-License-Identifier: GPL-2.0-or-later
// Two ends of one run in the view Compare, against `iscsiscope compare --ends`.
#include "catch.h"
#include "gui/views/compare/compare_view.h"
#include "gui/views/compare/ends_panel.h"
#include "gui/window/main_window.h"
#include "support.h"

#include <QCheckBox>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <QTreeWidget>

#include <cstdio>
#include <map>

using namespace iscsiscope;
using namespace iscsiscope::gui;

namespace {

bool calm(MainWindow &w) {
    int quiet = 0;
    return settled(w.document()) && waitFor([&] {
               quiet = w.compareView().pending() || workers().activeThreadCount() > 0 ? 0 : quiet + 1;
               return quiet > 3;
           });
}

// Integers of JSON in full: a double holds 2^53.
void sameTime(const QVariant &shown, const QJsonValue &told) {
    REQUIRE(shown.isValid() == !told.isNull());
    if (shown.isValid())
        CHECK(shown.toLongLong() == told.toInteger());
}

void compareWays(const EndsModel &m, const QJsonObject &json) {
    const QJsonArray connections = json.value("connections").toArray();
    REQUIRE(m.rowCount() == 2 * connections.size());
    for (int row = 0; row < m.rowCount(); ++row) {
        const EndsWay &w = m.ends()->ways[static_cast<std::size_t>(row)];
        const QJsonObject c = connections[row / 2].toObject();
        REQUIRE(c.value("stream_first").toInteger() == static_cast<qint64>(w.stream.number));
        const QJsonObject way = c.value(w.fromInitiator ? "to_target" : "to_initiator").toObject();
        const auto raw = [&](EndsModel::Column column) {
            return m.index(row, column).data(EndsModel::RawRole);
        };
        CHECK(raw(EndsModel::Segments).toLongLong() ==
              way.value(w.lostInFirst ? "segments_first" : "segments_second").toInteger());
        CHECK(raw(EndsModel::Matched).toLongLong() == way.value("matched").toInteger());
        CHECK(raw(EndsModel::Lost).toLongLong() == way.value("lost").toInteger());
        CHECK(raw(EndsModel::Overtaken).toLongLong() == way.value("overtaken").toInteger());
        const QJsonObject delay = way.value("delay").toObject();
        sameTime(raw(EndsModel::Least), delay.value("min_ns"));
        sameTime(raw(EndsModel::Median), delay.value("median_ns"));
        sameTime(raw(EndsModel::P99), delay.value("p99_ns"));
        sameTime(raw(EndsModel::Most), delay.value("max_ns"));
        const QJsonArray lost = way.value("lost_frames").toArray();
        REQUIRE(static_cast<std::size_t>(lost.size()) >= w.lostFrames.size());
        for (std::size_t i = 0; i < w.lostFrames.size(); ++i)
            CHECK(lost[static_cast<qsizetype>(i)].toInteger() == static_cast<qint64>(w.lostFrames[i]));
    }
}

} // namespace

TEST_CASE("Both ends of a run are found to be a pair and give the command line's figures") {
    MainWindow w;
    w.document().setRemembers(false);
    w.show();
    w.showView("compare");
    int pairs = 0;
    for (const QString &name : {QString("loss-timeout"), QString("speed-step"), QString("mcs-unequal")}) {
        const QString a = sample(name + ".initiator.pcapng.zst"), b = sample(name + ".target.pcapng.zst");
        INFO(name.toStdString());
        w.compare(a, b);
        REQUIRE(calm(w));
        const PairedEndsPtr ends = w.compareView().ends();
        REQUIRE(ends != nullptr);
        const QJsonObject json =
            QJsonDocument::fromJson(commandLine({"compare", a, b, "--ends", "--format", "json"})).object();
        CHECK(ends->firstIsInitiator == json.value("first_is_at_initiator").toBool());
        compareWays(w.compareView().endsPanel().model(), json);
        const QJsonObject clock = json.value("clock").toObject();
        REQUIRE(ends->clock.has_value() == !clock.isEmpty());
        if (ends->clock) {
            CHECK(to_ns(ends->clock->offset) == clock.value("offset_ns").toInteger());
            CHECK(to_ns(ends->clock->asymmetry) == clock.value("uncertainty_ns").toInteger());
            CHECK(ends->clock->segments == static_cast<std::uint64_t>(clock.value("segments").toInteger()));
            if (ends->clock->drift_known)
                CHECK(ends->clock->drift_ppm == Approx(clock.value("drift_ppm").toDouble()));
        }
        // The picture's bands enclose the figures of the table.
        for (std::size_t band = 0; band < 2; ++band) {
            double least = 1e300, most = 0;
            for (const EndsWay &way : ends->ways) {
                if (way.fromInitiator == (band == 0) && way.delay.minimum) {
                    least = std::min(least, static_cast<double>(to_ns(*way.delay.minimum)) / 1e6);
                    most = std::max(most, static_cast<double>(to_ns(*way.delay.maximum)) / 1e6);
                }
            }
            const DelayBand &d = ends->bands[band];
            REQUIRE_FALSE(d.least.isEmpty());
            CHECK(*std::min_element(d.least.begin(), d.least.end()) == Approx(least).epsilon(0.01));
            CHECK(*std::max_element(d.greatest.begin(), d.greatest.end()) == Approx(most).epsilon(0.01));
        }
        CHECK(w.compareView().model().rowCount() > 10); // the plain comparison stands beside it
        CHECK(w.findChild<QLabel *>("endsWords")->isVisible());
        ++pairs;
    }
    std::printf("FIGURE: pairs in the view Compare that equal `compare --ends`: %d\n", pairs);

    // The other way round the clock stands the other way.
    const auto forward = w.compareView().ends()->clock;
    w.compare(sample("mcs-unequal.target.pcapng.zst"), sample("mcs-unequal.initiator.pcapng.zst"));
    REQUIRE(calm(w));
    REQUIRE(w.compareView().ends() != nullptr);
    CHECK_FALSE(w.compareView().ends()->firstIsInitiator);
    REQUIRE((forward && w.compareView().ends()->clock));
    CHECK(w.compareView().ends()->clock->segments == forward->segments);

    // Captures of different runs are before and after.
    w.compare(sample("read-16ms-four-gaps.initiator.pcapng.zst"),
              sample("read-16ms-two-gaps.initiator.pcapng.zst"));
    REQUIRE(calm(w));
    CHECK(w.compareView().ends() == nullptr);
    CHECK_FALSE(w.findChild<QLabel *>("endsWords")->isVisible());
    CHECK(w.compareView().model().rowCount() > 10);
}

TEST_CASE("What the view Compare shows is what `iscsiscope compare` says, for any range and filter") {
    MainWindow w;
    w.document().setRemembers(false);
    w.show();
    w.showView("compare");
    const QString a = sample("read-16ms-four-gaps.initiator.pcapng.zst"),
                  b = sample("read-16ms-two-gaps.initiator.pcapng.zst");
    w.compare(a, b);
    REQUIRE(calm(w));
    const Interval whole = w.document().snapshot()->whole;
    int figures = 0;
    const auto check = [&](const QStringList &scope) {
        REQUIRE(calm(w));
        const QJsonObject json =
            QJsonDocument::fromJson(commandLine(QStringList{"compare", a, b, "--format", "json"} + scope))
                .object();
        const CompareModel &m = w.compareView().model();
        CHECK(w.findChild<QLabel *>("comparison")->text() == json["sentence"].toString());
        std::map<QString, QJsonObject> told;
        for (const auto &d : json["differences"].toArray())
            told[d.toObject()["group"].toString() + "." + d.toObject()["name"].toString()] = d.toObject();
        REQUIRE(m.rowCount() > 5);
        for (int row = 0; row < m.rowCount(); ++row) {
            const auto raw = [&](CompareModel::Column c) {
                return m.index(row, c).data(CompareModel::RawRole);
            };
            const QString name = raw(CompareModel::Of).toString() + "." + raw(CompareModel::Name).toString();
            INFO(name.toStdString());
            REQUIRE(told.contains(name));
            for (const auto &[column, key] :
                 {std::pair{CompareModel::First, "before"}, std::pair{CompareModel::Second, "after"}}) {
                REQUIRE(raw(column).isValid() == told[name][key].isDouble());
                if (raw(column).isValid())
                    CHECK(raw(column).toDouble() == Approx(told[name][key].toDouble()));
            }
            ++figures;
        }
        const auto *lists = w.findChild<QTreeWidget *>("changedFindings");
        const auto found = json["findings"].toArray().size();
        CHECK(lists->topLevelItem(0)->childCount() == std::max<qsizetype>(found, 1));
    };
    check({});
    const Interval part{whole.from + whole.length() / 5, whole.from + whole.length() / 2};
    w.document().setRange(part);
    const QString range =
        QString::fromStdString(rangeWords(part.from, part.to, w.document().snapshot()->origin));
    check({"--range", range});
    REQUIRE_FALSE(w.document().addFilter("type == \"read\" and response_time > 1ms"));
    check({"--range", range, "--filter", "type == \"read\" and response_time > 1ms"});
    w.document().setRange(std::nullopt);
    w.document().removeFilter(0);
    check({});
    std::printf("FIGURE: figures of the view Compare that equal the command line's: %d\n", figures);
}

TEST_CASE("Compare: what changed most first, what hardly changed hidden, sides swapped") {
    MainWindow w;
    w.document().setRemembers(false);
    w.show();
    w.showView("compare");
    const QString a = sample("read-16ms-four-gaps.initiator.pcapng.zst"),
                  b = sample("read-16ms-two-gaps.initiator.pcapng.zst");
    w.compare(a, b);
    REQUIRE(calm(w));
    const auto *shown = w.findChild<QTableView *>("differences")->model();
    const int few = shown->rowCount();
    REQUIRE(few > 3);
    double before = 2;
    for (int row = 0; row < few; ++row) {
        const double size = shown->index(row, 0).data(CompareModel::SizeRole).toDouble();
        CHECK(size <= before);
        before = size;
        CHECK(shown->index(row, 0).data(CompareModel::DiffersRole).toBool());
    }
    w.findChild<QCheckBox *>("allFigures")->setChecked(true);
    CHECK(shown->rowCount() == w.compareView().model().rowCount());
    CHECK(shown->rowCount() > few);
    const Comparison forth = w.compareView().model().comparison();
    QTest::mouseClick(w.findChild<QPushButton *>("swapSides"), Qt::LeftButton);
    REQUIRE(calm(w));
    CHECK(w.document().snapshot()->files == QStringList{b});
    const Comparison back = w.compareView().model().comparison();
    REQUIRE(back.differences.size() == forth.differences.size());
    for (std::size_t i = 0; i < forth.differences.size(); ++i) {
        CHECK(back.differences[i].before == forth.differences[i].after);
        CHECK(back.differences[i].after == forth.differences[i].before);
    }
}

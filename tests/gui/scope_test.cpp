// SPDX-License-Identifier: GPL-2.0-or-later
// One scope: for any range and filter, every figure in sight is that of the command line for the same range
// and filter, or says of what else it is.
#include "catch.h"
#include "gui/models/findings_model.h"
#include "gui/models/session_tree_model.h"
#include "gui/models/time_split.h"
#include "gui/models/words.h"
#include "gui/views/overview/overview_view.h"
#include "gui/window/main_window.h"
#include "support.h"

#include <QFile>
#include <QFileInfo>
#include <QGroupBox>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QListView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTextDocument>
#include <QTreeView>

#include <cmath>
#include <cstdio>
#include <random>

using namespace iscsiscope;
using namespace iscsiscope::gui;

namespace {

// The first captures of other programs whose names have these, or bundled ones where there are none.
QStringList fiveCaptures() {
    const QStringList real = realCaptures();
    QStringList list;
    for (const char *part : {"d_write_4MiB_loss0.5_reno.ini", "g_4sessions_write", "i_randread_4K_qd8",
                             "f_raid1_write", "l_blackout"})
        for (const QString &file : real)
            if (file.contains(part))
                list << file;
    if (list.size() < 5) {
        std::printf("SKIPPED: captures of other programs are not there; bundled ones are taken\n");
        list = bundledCaptures().mid(0, 5);
    }
    return list.mid(0, 5);
}

QString withoutSpace(QString text) {
    return text.remove(QRegularExpression("\\s"));
}

QString plain(const QLabel &label) {
    QTextDocument document;
    document.setHtml(label.text());
    return withoutSpace(document.toPlainText());
}

// What the text report says between two headings.
QString section(const QString &text, const QString &from, const QString &to) {
    return text.section(from, 1, 1).section(to, 0, 0);
}

QStringList titlesOf(const MainWindow &w) {
    QStringList titles;
    for (const QGroupBox *box : const_cast<MainWindow &>(w).overview().findChildren<QGroupBox *>())
        titles << box->title();
    return titles;
}

struct Scope {
    QStringList options; // of the command line
    bool ranged = false, filtered = false;
    bool fileGone = false; // then what only the file holds is not in sight
};

// Verdict, headline numbers and findings.
int compareFindings(MainWindow &w, const QJsonObject &json, const QString &head) {
    int figures = 0;
    const auto same = [&figures](const QString &shown, const QString &told) {
        CHECK(shown.toStdString() == told.toStdString());
        ++figures;
    };
    same(w.findChild<QLabel *>("verdict")->text(), json["verdict"]["sentence"].toString());
    same(withoutSpace(w.findChild<QLabel *>("verdict")->text()) + plain(*w.findChild<QLabel *>("headline")),
         withoutSpace(head));
    figures += 5;

    const QAbstractItemModel &found = *w.findChild<QListView *>("findings")->model();
    const QJsonArray told = json["findings"].toArray();
    REQUIRE(found.rowCount() == told.size());
    for (int i = 0; i < found.rowCount(); ++i) {
        const QModelIndex at = found.index(i, 0);
        same(at.data().toString(), told[i]["title"].toString());
        same(at.data(FindingsModel::SentenceRole).toString(), told[i]["sentence"].toString());
        CHECK(at.data(FindingsModel::LostRole).toLongLong() == told[i]["lost_time_ns"].toInteger());
        CHECK(at.data(FindingsModel::ShareRole).toDouble() == Approx(told[i]["share"].toDouble()));
        figures += 2;
    }
    CHECK(w.findChild<QLabel *>("findingsCover")->text().contains(json["findings_cover"].toString()));
    return figures;
}

// Compares what the overview and the panel show with the command line's reports. Returns the figures
// compared.
int compareAll(MainWindow &w, const QString &file, const Scope &scope) {
    int figures = 0;
    const QString text = QString::fromUtf8(commandLine(QStringList{"report", file} + scope.options));
    const QJsonObject json =
        QJsonDocument::fromJson(commandLine(QStringList{"report", file, "--format", "json"} + scope.options))
            .object();
    REQUIRE_FALSE(json.isEmpty());
    const auto same = [&figures](const QString &shown, const QString &told) {
        CHECK(shown.toStdString() == told.toStdString());
        ++figures;
    };

    // Verdict and headline numbers.
    const QAbstractItemModel &found = *w.findChild<QListView *>("findings")->model();
    const QString head = section(text, "VERDICT\n", "\n\nFINDINGS");
    if (scope.fileGone) {
        CHECK(w.findChild<QLabel *>("verdict")->isHidden());
        CHECK(found.rowCount() == 0);
        // The entries in memory have no task: with a filter nobody can say whose the time is.
        const QString shown = plain(*w.findChild<QLabel *>("headline"));
        CHECK(withoutSpace(head).contains(scope.filtered ? shown.section("Busytime", 0, 0) : shown));
        CHECK(shown.contains("Busytimenotknown") <= scope.filtered);
        figures += scope.filtered ? 4 : 5;
    } else {
        figures += compareFindings(w, json, head);
    }

    // The table of cycles, and the panel beside.
    const auto *cycles = w.findChild<QTableWidget *>("cycleFigures");
    const QString panel = plain(*w.findChild<QLabel *>("rangeFigures"));
    int row = 0;
    for (const char *type : {"read", "write", "control"}) {
        const QJsonObject of = json["cycles"][type].toObject();
        if (of["count"].toInteger() == 0)
            continue;
        const QJsonObject times = of["times"]["response_time"].toObject();
        const auto duration = [](const QJsonValue &v) {
            return v.isNull() ? durationWords(std::nullopt) : durationWords(Duration{v.toInteger()});
        };
        const QJsonValue quantiles = times["quantiles_ns"];
        same(cycles->item(row, 0)->text(), type);
        same(cycles->item(row, 1)->text(), countWords(static_cast<std::uint64_t>(of["count"].toInteger())));
        same(cycles->item(row, 2)->text(), byteWords(static_cast<std::uint64_t>(of["bytes"].toInteger())));
        same(cycles->item(row, 5)->text(), duration(quantiles["0.5"]));
        same(cycles->item(row, 6)->text(), duration(quantiles["0.9"]));
        same(cycles->item(row, 7)->text(), duration(quantiles["0.99"]));
        same(cycles->item(row, 8)->text(), duration(times["max_ns"]));
        for (const QString &one :
             {QString(type) + countWords(static_cast<std::uint64_t>(of["count"].toInteger())),
              "p50" + duration(quantiles["0.5"]), "p99" + duration(quantiles["0.99"]),
              "max" + duration(times["max_ns"])}) {
            INFO(panel.toStdString());
            CHECK(panel.contains(withoutSpace(one)));
            ++figures;
        }
        ++row;
    }
    CHECK(cycles->rowCount() == row);

    // The tree: rates of sessions; tasks of every row, which is a filter itself; what TCP sent again.
    const QAbstractItemModel &tree = *w.findChild<QTreeView *>("sessions")->model();
    const auto raw = [&](int r, SessionTreeModel::Column c, const QModelIndex &in) {
        return tree.index(r, c, in).data(SessionTreeModel::RawRole);
    };
    std::map<qint64, QJsonObject> rates;
    for (const auto &r : json["rates"]["sessions"].toArray())
        if (r.toObject()["type"] == "both")
            rates[r.toObject()["session"].toInteger()] = r.toObject();
    std::map<qint64, qint64> again;
    for (const auto &d : json["tcp"].toArray())
        for (const char *kind : {"fast", "timeout", "tail_probe", "spurious", "unknown"})
            again[d.toObject()["stream"].toInteger()] +=
                d.toObject()[QString("retransmissions_") + kind].toInteger();
    qint64 tasks = 0;
    for (int s = 0; s < tree.rowCount(); ++s) {
        const QModelIndex session = tree.index(s, 0);
        tasks += raw(s, SessionTreeModel::Tasks, {}).toLongLong();
        const QString filter = session.data(SessionTreeModel::FilterRole).toString(); // "session == 3"
        const auto rate = rates.find(filter.section(' ', 2, 2).toLongLong());
        const QVariant shown = raw(s, SessionTreeModel::Rate, {}), iops = raw(s, SessionTreeModel::Iops, {});
        if (rate != rates.end() && rate->second["throughput"].isDouble()) {
            CHECK(shown.toDouble() == Approx(rate->second["throughput"].toDouble()));
            CHECK(iops.toDouble() == Approx(rate->second["iops"].toDouble()));
            figures += 2;
        } else {
            CHECK_FALSE(shown.isValid());
        }
        for (int c = 0; c < tree.rowCount(session); ++c) {
            const QString only = tree.index(c, 0, session).data(SessionTreeModel::FilterRole).toString();
            const qint64 stream = only.section(' ', 2, 2).toLongLong();
            CHECK(raw(c, SessionTreeModel::SentAgain, session).toLongLong() == again[stream]);
            ++figures;
        }
    }
    CHECK(tasks == json["tasks"]["count"].toInteger());

    // The bars.
    const QJsonObject owners = json["owners"]["all"].toObject();
    for (const TimeSlice &slice : ownerBar(*w.document().figures()).slices) {
        CHECK(owners[slice.name + "_ns"].toInteger() == to_ns(slice.spent));
        ++figures;
    }
    const QString spoken = w.findChild<QWidget *>("timeBars")->accessibleDescription();
    for (const TimeBar &bar : timeBars(*w.document().figures()))
        for (const TimeSlice &slice : bar.slices) {
            CHECK(spoken.contains(slice.name + " " + shareWords(slice.share)));
            ++figures;
        }

    // What each figure is of.
    const QString all = titlesOf(w).join('\n');
    CHECK(all.contains("of the range") == scope.ranged);
    CHECK(all.contains("of the filtered cycles") == scope.filtered);
    CHECK_FALSE(all.contains("counting"));
    return figures;
}

} // namespace

TEST_CASE("Every figure in sight is of the range and the filters, or says of what it is") {
    std::mt19937 random(20'261'125);
    MainWindow w;
    w.document().setRemembers(false);
    w.show();
    const QStringList filters{"type == \"read\"",     "type == \"write\"",
                              "response_time > 1ms",  "response_time < 20ms and bytes_moved > 0",
                              "stream == 0",          "lun == 0",
                              "type == \"control\"",  "session == 0 and type != \"control\"",
                              "bytes_moved >= 64KiB", "outcome == \"good\""};
    int figures = 0, scopes = 0;
    const QTemporaryDir scratch;
    for (const QString &file : fiveCaptures()) {
        INFO(file.toStdString());
        const QString copy = scratch.filePath(QFileInfo(file).fileName());
        REQUIRE(QFile::copy(file, copy));
        w.open({copy});
        REQUIRE(settled(w.document()));
        figures += compareAll(w, file, {});
        const Snapshot &s = *w.document().snapshot();
        for (int i = 0; i < 30; ++i) {
            Scope scope;
            scope.ranged = i % 3 != 0;
            scope.fileGone = i >= 20;
            if (i == 20)
                REQUIRE(QFile::remove(copy));
            scope.filtered = i % 3 != 1;
            w.document().setRange(std::nullopt);
            while (!w.document().filters().isEmpty())
                w.document().removeFilter(0);
            if (scope.ranged) {
                std::uniform_real_distribution<double> place(0, 1);
                const double a = place(random), b = place(random);
                const auto at = [&](double share) {
                    return s.whole.from + Duration{std::llround(share * inNs(s.whole.length()))};
                };
                const Interval part{at(std::min(a, b)), at(std::max(a, b)) + std::chrono::milliseconds{1}};
                w.document().setRange(part);
                scope.options << "--range"
                              << QString::fromStdString(rangeWords(part.from, part.to, s.origin));
            }
            if (scope.filtered) {
                const QString filter = filters[static_cast<qsizetype>(random() % 10)];
                REQUIRE_FALSE(w.document().addFilter(filter));
                scope.options << "--filter" << filter;
            }
            // Until they are counted, nothing passes for current.
            CHECK(w.document().figuresPending());
            CHECK(titlesOf(w).join('\n').contains("counting"));
            REQUIRE(settled(w.document()));
            INFO(scope.options.join(' ').toStdString());
            figures += compareAll(w, file, scope);
            ++scopes;
        }
    }
    std::printf(
        "FIGURE: ranges and filters whose figures in sight equal the command line's: %d (%d figures)\n",
        scopes, figures);
}

TEST_CASE("A range of a capture whose reading was cancelled has the findings and owners of what was read") {
    Document d;
    d.setRemembers(false);
    d.open({sample("speed-step.target.pcapng.zst")});
    d.cancelLoading();
    REQUIRE(settled(d));
    const Snapshot &s = *d.snapshot();
    REQUIRE(s.cancelled);
    d.setRange(s.whole);
    REQUIRE(settled(d));
    const Report &of = *d.figures(), &whole = *s.report;
    CHECK(of.capture.info.frames == whole.capture.info.frames);
    CHECK(of.tasks() == whole.tasks());
    CHECK(of.time.owners.parts == whole.time.owners.parts);
    REQUIRE(of.findings);
    REQUIRE(of.findings->findings.size() == whole.findings->findings.size());
    for (std::size_t i = 0; i < of.findings->findings.size(); ++i) {
        CHECK(of.findings->findings[i].kind == whole.findings->findings[i].kind);
        CHECK(of.findings->findings[i].lost_time == whole.findings->findings[i].lost_time);
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Captures of trouble: links lead to the packet that they name, and what is harmless is not marked.
#include "analyzer/words/outcome_sentence.h"
#include "catch.h"
#include "gui/views/details/details_view.h"
#include "gui/views/timeline/timeline_plot.h"
#include "gui/views/timeline/timeline_view.h"
#include "gui/window/main_window.h"
#include "support.h"

#include <QDir>
#include <QFileInfo>
#include <QLineEdit>
#include <QListView>
#include <QListWidget>
#include <QTest>
#include <QTextBrowser>

#include <cstdio>

using namespace iscsiscope;
using namespace iscsiscope::gui;

namespace {

// Captures of other programs by a pattern of their names; empty: they are not there, which is said.
QStringList zoo(const QString &pattern) {
    const QStringList real = realCaptures();
    QStringList list;
    if (real.isEmpty())
        std::printf("SKIPPED: captures of other programs are not there\n");
    else
        for (const QFileInfo &f :
             QDir(QFileInfo(real.front()).path() + "/zoo").entryInfoList({pattern}, QDir::Files, QDir::Name))
            list << f.filePath();
    return list;
}

// A window with a capture, in one of its views.
struct Shown {
    MainWindow w;
    Shown(const QString &file, const char *view) {
        w.document().setRemembers(false);
        w.resize(1200, 800);
        w.show();
        w.open({file});
        REQUIRE(settled(w.document()));
        REQUIRE(w.showView(view));
    }
};

std::size_t marks(const Snapshot &s, IncidentKind kind) {
    std::size_t n = 0;
    for (const auto &[stream, incidents] : s.lanes->incidents)
        n += incidents[static_cast<std::size_t>(kind)].size();
    return n;
}

} // namespace

TEST_CASE("A link to a packet of a finding selects that packet at its time, between cycles too") {
    for (const QString &file : zoo("z22_*.zst") + zoo("z07_*.ini.pcap.zst") + zoo("z13_*.ini.pcap.zst")) {
        INFO(file.toStdString());
        Document d;
        d.setRemembers(false);
        REQUIRE(openAndWait(d, {file}));
        int links = 0, ofCycles = 0;
        for (const Finding &f : d.figures()->findings->findings) {
            for (const EvidenceFrame &e : f.evidence) {
                d.clear();
                d.fitAll();
                d.findFrame(e.frame);
                REQUIRE(settled(d));
                INFO("frame " << e.frame << " of " << f.title);
                if (d.selection().frame != e.frame)
                    continue; // of a packet of which nothing is kept, as the window then says
                ++links;
                CHECK(d.view().contains(d.selection().time));
                if (d.selection().cycle) {
                    ++ofCycles;
                    const CycleStore &c = d.snapshot()->tables.cycles;
                    CHECK(c.firstFrame(*d.selection().cycle) <= e.frame);
                    CHECK(c.lastFrame(*d.selection().cycle) >= e.frame);
                }
            }
        }
        std::printf("FIGURE: %s: %d packets of findings found, %d in a cycle\n",
                    qPrintable(QFileInfo(file).fileName()), links, ofCycles);
        CHECK(links > 0);
    }
}

TEST_CASE("Failed tasks are marked where the report says that tasks failed, and nowhere else") {
    int harmless = 0, failed = 0;
    for (const QString &file : zoo("z*.ini.pcap.zst")) {
        INFO(file.toStdString());
        Document d;
        d.setRemembers(false);
        REQUIRE(openAndWait(d, {file}));
        const OutcomeSentence said = outcome_sentence(*d.figures());
        const std::size_t marked = marks(*d.snapshot(), IncidentKind::failedTask);
        if (said.harmless) {
            CHECK(marked == 0);
            ++harmless;
        } else if (said.text.find("failed") != std::string::npos) {
            CHECK(marked > 0);
            ++failed;
        }
        // An outage is a path that answers no repeats; a session that ends by a reset is none.
        if (d.figures()->findings->find(FindingKind::connection_reset) != nullptr ||
            file.contains("discovery"))
            CHECK(marks(*d.snapshot(), IncidentKind::outage) == 0);
    }
    std::printf("FIGURE: captures without a mark of a failed task: %d, with: %d\n", harmless, failed);
}

TEST_CASE("A capture without an iSCSI connection says so where the cycles would be") {
    for (const QString &file : zoo("z14_portal_refused.ini.pcap.zst")) {
        Shown shown(file, "timeline");
        MainWindow &w = shown.w;
        CHECK(w.document().snapshot()->note.isEmpty()); // the verdict is that of the portal
        CHECK(no_command_sentence(*w.document().figures()).find("carries iSCSI") != std::string_view::npos);
        TimelinePlot &plot = w.timeline().plot();
        plot.render();
        const QImage picture = plot.grab().toImage();
        const QRect r = plot.tracksRect().adjusted(4, 4, -4, -4);
        QSet<QRgb> colors;
        for (int y = r.top(); y < r.bottom(); ++y)
            for (int x = r.left(); x < r.right(); ++x)
                colors.insert(picture.pixel(x, y));
        CHECK(colors.size() > 1); // words, not an empty lane
    }
}

TEST_CASE("Details finds words from their beginning and marks them") {
    for (const QString &file : zoo("z22_connection_reset.ini.pcap.zst")) {
        Shown shown(file, "details");
        MainWindow &w = shown.w;
        auto *view = w.findChild<DetailsView *>();
        auto *find = view->findChild<QLineEdit *>("detailsFind");
        auto *list = view->findChild<QListWidget *>("detailsSections");
        auto *text = view->findChild<QTextBrowser *>("detailsText");
        const int all = list->count();
        CHECK(text->extraSelections().isEmpty());
        find->setText("rst");
        REQUIRE(list->count() > 0);
        CHECK(list->count() < all / 2);
        for (int i = 0; i < list->count(); ++i) {
            list->setCurrentRow(i);
            INFO(list->item(i)->text().toStdString());
            REQUIRE_FALSE(text->extraSelections().isEmpty());
            for (const auto &found : text->extraSelections())
                CHECK(found.cursor.selectedText().compare("rst", Qt::CaseInsensitive) == 0);
        }
        find->clear();
        CHECK(list->count() == all);
        CHECK(text->extraSelections().isEmpty());
    }
}

TEST_CASE("A finding that is opened leads to its first packet in the timeline") {
    for (const QString &file : zoo("z22_connection_reset.ini.pcap.zst")) {
        Shown shown(file, "overview");
        MainWindow &w = shown.w;
        auto *list = w.findChild<QListView *>("findings");
        list->setFocus();
        list->setCurrentIndex(list->model()->index(0, 0));
        QTest::keyClick(list, Qt::Key_Return);
        REQUIRE(settled(w.document()));
        const Finding &first = w.document().figures()->findings->findings.front();
        CHECK(w.document().selection().frame == first.evidence.front().frame);
    }
}

TEST_CASE("A verdict is of the commands that a filter picks") {
    for (const QString &file : zoo("z02_*.ini.pcap.zst")) {
        CHECK(commandLine({"report", file, "--filter", "cycle < 3"}).contains("VERDICT"));
        CHECK_FALSE(
            commandLine({"report", file, "--filter", "cycle >= 0"}).contains("fewer than 20 commands"));
        CHECK(commandLine({"report", file, "--filter", "cycle < 0"})
                  .simplified()
                  .contains("no command with an answer is among these"));
    }
    for (const QString &file : zoo("z22_connection_reset.ini.pcap.zst"))
        CHECK(commandLine({"report", file})
                  .simplified()
                  .contains("One session was without a connection for 8.09 s."));
}

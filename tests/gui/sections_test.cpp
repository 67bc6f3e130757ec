// SPDX-License-Identifier: GPL-2.0-or-later
// All that the text report says is in the window: the headings that the program really prints, each with the
// words below it, are sections of the view Details. The layout of their tables is not compared.
#include "catch.h"
#include "gui/views/details/details_view.h"
#include "gui/window/main_window.h"
#include "support.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTextBrowser>

#include <cstdio>

using namespace iscsiscope;
using namespace iscsiscope::gui;

namespace {

QStringList someCaptures() {
    QStringList list = bundledCaptures().mid(0, 6);
    const QStringList real = realCaptures();
    if (real.isEmpty())
        std::printf("SKIPPED: captures of other programs are not there; bundled ones alone\n");
    else
        for (const QFileInfo &f : QDir(QFileInfo(real.front()).path() + "/zoo")
                                      .entryInfoList({"z*.ini.pcap.zst"}, QDir::Files, QDir::Name))
            list << f.filePath();
    for (const QString &file : real)
        if (file.contains("l_blackout") || file.contains("g_4sessions") || file.contains("tgt_iscsi"))
            list << file;
    return list;
}

// The words of a text without spaces and signs that lay it out.
QString letters(QString text) {
    return text.remove(QRegularExpression("[^\\p{L}\\p{N}]"));
}

} // namespace

TEST_CASE("Every section of the fullest text report stands in the view Details with its words") {
    MainWindow w;
    w.document().setRemembers(false);
    w.resize(1200, 800);
    w.show();
    int captures = 0, sections = 0;
    QSet<QString> kinds;
    for (const QString &file : someCaptures()) {
        INFO(file.toStdString());
        w.open({file});
        REQUIRE(settled(w.document()));
        REQUIRE(w.showView("details"));
        const auto *view = w.findChild<DetailsView *>();
        REQUIRE(waitFor([&] { return !view->sections().empty(); }));
        const QString text = QString::fromUtf8(commandLine({"report", file, "--all"}));
        // A heading begins in the first column; what is below it is indented.
        QStringList headings, bodies;
        for (const QString &line : text.split('\n')) {
            if (!line.isEmpty() && !line.startsWith(' ')) {
                headings << line;
                bodies << QString();
            } else if (!bodies.isEmpty()) {
                bodies.back() += line + '\n';
            }
        }
        REQUIRE(headings.size() == static_cast<qsizetype>(view->sections().size()));
        for (qsizetype i = 0; i < headings.size(); ++i) {
            const DetailsSection &s = view->sections()[static_cast<std::size_t>(i)];
            INFO(headings[i].toStdString());
            CHECK(headings[i].startsWith(s.heading));
            REQUIRE(w.findChild<DetailsView *>()->showSection(s.heading));
            // Two sections may have one heading; the list then has both.
            const QString shown = letters(s.plain);
            for (const QString &word : bodies[i].split(QRegularExpression("\\s+"), Qt::SkipEmptyParts)) {
                if (letters(word).isEmpty() || word.endsWith('%'))
                    continue; // bars are drawn
                const bool there = shown.contains(letters(word));
                if (!there)
                    UNSCOPED_INFO(word.toStdString());
                CHECK(there);
            }
            kinds.insert(s.heading);
            ++sections;
        }
        ++captures;
    }
    std::printf("FIGURE: sections of text reports found in the window: %d (%lld headings) of %d captures\n",
                sections, static_cast<long long>(kinds.size()), captures);
}

TEST_CASE("Details: search, links to frames, another range") {
    MainWindow w;
    w.document().setRemembers(false);
    w.show();
    w.open({sample("loss-timeout.initiator.pcapng.zst")});
    REQUIRE(settled(w.document()));
    w.showView("details");
    auto *view = w.findChild<DetailsView *>();
    auto *list = w.findChild<QListWidget *>("detailsSections");
    REQUIRE(waitFor([&] { return list->count() > 5; }));
    const int all = list->count();
    w.findChild<QLineEdit *>("detailsFind")->setText("retransmission");
    CHECK(list->count() > 0);
    CHECK(list->count() < all);
    w.findChild<QLineEdit *>("detailsFind")->clear();
    CHECK(list->count() == all);
    bool links = false;
    for (const DetailsSection &s : view->sections())
        links |= s.html.contains("href=\"frame:");
    CHECK(links);
    quint64 wanted = 0;
    QObject::connect(view, &DetailsView::frameWanted, [&](quint64 f) { wanted = f; });
    emit w.findChild<QTextBrowser *>("detailsText")->anchorClicked(QUrl("frame:12"));
    CHECK(wanted == 12);
    w.showView("details");
    const Interval whole = w.document().snapshot()->whole;
    const QString before = view->sections()[0].plain + view->sections()[3].plain;
    w.document().setRange(Interval{whole.from, whole.from + whole.length() / 3});
    CHECK_FALSE(w.findChild<QTextBrowser *>("detailsText")->isEnabled());
    REQUIRE(settled(w.document()));
    CHECK(w.findChild<QTextBrowser *>("detailsText")->isEnabled());
    CHECK(view->sections()[0].plain + view->sections()[3].plain != before);
}

TEST_CASE("Details of a range say nothing of a file that is gone") {
    const QTemporaryDir scratch;
    const QString file = scratch.filePath("gone.pcapng.zst");
    REQUIRE(QFile::copy(sample("plain-write.initiator.pcapng.zst"), file));
    MainWindow w;
    w.document().setRemembers(false);
    w.show();
    w.open({file});
    REQUIRE(settled(w.document()));
    w.showView("details");
    const auto *view = w.findChild<DetailsView *>();
    REQUIRE(waitFor([&] { return !view->sections().empty(); }));
    REQUIRE(QFile::remove(file));
    const Interval whole = w.document().snapshot()->whole;
    w.document().setRange(Interval{whole.from, whole.from + whole.length() / 2});
    REQUIRE(settled(w.document()));
    CHECK(w.document().figures()->tasks() > 0); // from memory
    CHECK(view->sections().empty());            // not "no iSCSI in this capture"
    CHECK(w.findChild<QLabel *>("detailsScope")->text().contains("cannot be read"));
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Two files opened together: what their packets say of how they belong together, the question, and the two
// halves of a capture read as one.
#include "catch.h"
#include "gui/document/together.h"
#include "gui/window/main_window.h"
#include "gui/window/together_dialog.h"
#include "support.h"

#include "analyzer/capture/decode/frame_decoder.h"
#include "analyzer/capture/files/capture_reader.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QProcess>
#include <QRadioButton>
#include <QTemporaryDir>
#include <QTest>

#include <cstdio>
#include <fstream>
#include <map>
#include <set>

using namespace iscsiscope;
using namespace iscsiscope::gui;

namespace {

class Ignored final : public AnomalySink {
public:
    void on_anomaly(const Anomaly &) override {}
};

// A pcap file of whole nanoseconds.
class PcapFile {
public:
    explicit PcapFile(const QString &path) : out_(path.toStdString(), std::ios::binary) {}
    void write(const Frame &f) {
        if (!begun_) {
            put(0xa1b23c4d);
            put(0x00040002);
            put(0);
            put(0);
            put(262144);
            put(f.link_type);
            begun_ = true;
        }
        const auto ns = static_cast<std::uint64_t>(to_ns(f.time));
        put(static_cast<std::uint32_t>(ns / 1'000'000'000));
        put(static_cast<std::uint32_t>(ns % 1'000'000'000));
        put(static_cast<std::uint32_t>(f.bytes.size()));
        put(f.original_length);
        out_.write(reinterpret_cast<const char *>(f.bytes.data()),
                   static_cast<std::streamsize>(f.bytes.size()));
    }

private:
    void put(std::uint32_t v) { out_.write(reinterpret_cast<const char *>(&v), sizeof v); }
    std::ofstream out_;
    bool begun_ = false;
};

// Calls take(frame, number of frames, whether it goes the way of its connection's first segment).
template <class Take>
void eachFrame(const QString &path, Take take) {
    Ignored ignored;
    const auto reader = std::move(CaptureReader::open(path.toStdString(), ignored).value());
    FrameDecoder decoder(ignored);
    std::set<std::pair<Endpoint, Endpoint>> ways;
    Frame frame;
    Segment s;
    while (reader->next(frame)) {
        bool forward = true;
        if (decoder.decode(frame, s)) {
            forward = !ways.contains({s.destination, s.source});
            if (forward)
                ways.insert({s.source, s.destination});
        }
        take(frame, forward);
    }
}

QStringList inTime(const QString &path, const QString &folder) {
    std::uint64_t frames = 0;
    eachFrame(path, [&](const Frame &, bool) { ++frames; });
    const QStringList parts{folder + "/part1.pcap", folder + "/part2.pcap"};
    PcapFile first(parts[0]), second(parts[1]);
    std::uint64_t n = 0;
    eachFrame(path, [&](const Frame &f, bool) { (n++ < frames / 2 ? first : second).write(f); });
    return parts;
}

QStringList byDirection(const QString &path, const QString &folder) {
    const QStringList halves{folder + "/out.pcap", folder + "/back.pcap"};
    PcapFile out(halves[0]), back(halves[1]);
    eachFrame(path, [&](const Frame &f, bool forward) { (forward ? out : back).write(f); });
    return halves;
}

CaptureRelation relationOf(const QString &a, const QString &b) {
    const auto said = suggestTogether(a, b, std::atomic<bool>{false});
    INFO(a.toStdString() << " " << b.toStdString());
    REQUIRE(std::holds_alternative<Suggestion>(said));
    INFO(std::get<Suggestion>(said).reason.toStdString());
    CHECK_FALSE(std::get<Suggestion>(said).reason.isEmpty());
    return std::get<Suggestion>(said).relation;
}

// The captures of other programs that are there, or the bundled ones.
QStringList wholeCaptures() {
    QStringList list;
    for (const QString &file : realCaptures()) {
        list << file;
        for (const QFileInfo &f :
             QDir(QFileInfo(file).path() + "/zoo").entryInfoList({"*.pcap*.zst"}, QDir::Files, QDir::Name))
            if (!list.contains(f.filePath()))
                list << f.filePath();
    }
    list.removeDuplicates();
    if (list.isEmpty()) {
        std::printf("SKIPPED: captures of other programs are not there; the bundled ones are taken\n");
        list = bundledCaptures();
    }
    return list;
}

bool atInitiator(const QString &file) {
    return file.contains(".ini.") || file.contains(".initiator.");
}

} // namespace

TEST_CASE("Of two files the packets say how they belong together") {
    const QStringList files = wholeCaptures();
    std::map<CaptureRelation, std::pair<int, int>> tally; // right, all
    const auto judge = [&tally](CaptureRelation truth, const QString &a, const QString &b) {
        auto &[right, all] = tally[truth];
        const CaptureRelation said = relationOf(a, b);
        right += said == truth ? 1 : 0;
        ++all;
        if (said != truth)
            std::printf("not as made (%d for %d): %s %s\n", static_cast<int>(said), static_cast<int>(truth),
                        qPrintable(QFileInfo(a).fileName()), qPrintable(QFileInfo(b).fileName()));
        // Whichever is named first.
        CHECK(relationOf(b, a) == said);
    };
    QString before;
    int n = 0;
    for (const QString &file : files) {
        if (!atInitiator(file))
            continue;
        QString other = file;
        other.replace(".ini.", ".tgt.").replace(".initiator.", ".target.");
        if (!QFileInfo::exists(other))
            other = QFileInfo(file).path() + "/zoo/" + QFileInfo(other).fileName();
        if (QFileInfo::exists(other))
            judge(CaptureRelation::ends, file, other);
        if (!before.isEmpty())
            judge(CaptureRelation::before_after, before, file);
        before = file;
        if (++n % 3 == 0) { // files are written for these
            const QTemporaryDir scratch;
            const QStringList parts = inTime(file, scratch.path());
            judge(CaptureRelation::parts, parts[0], parts[1]);
            const QStringList halves = byDirection(file, scratch.path());
            judge(CaptureRelation::halves, halves[0], halves[1]);
        }
    }
    REQUIRE(tally.size() == 4);
    for (const auto &[relation, count] : tally) {
        static const char *const names[] = {"parts", "halves", "ends", "before and after"};
        std::printf("FIGURE: two files, %s: suggested rightly %d of %d\n",
                    names[static_cast<std::size_t>(relation)], count.first, count.second);
        // A few packets, cut between two connections, tell nothing.
        CHECK(count.first >= 0.95 * count.second);
    }
}

TEST_CASE("Two files are asked about; the suggestion is preselected, the user's choice stays") {
    const QString a = sample("mcs-unequal.initiator.pcapng.zst"), b = sample("mcs-unequal.target.pcapng.zst");
    MainWindow w;
    w.document().setRemembers(false);
    w.show();
    w.openOrAsk({a, b});
    auto *dialog = w.findChild<TogetherDialog *>("twoFiles");
    REQUIRE(dialog != nullptr);
    REQUIRE(waitFor([&] { return !dialog->looking(); }));
    CHECK(dialog->choice() == CaptureRelation::ends);
    CHECK(dialog->findChild<QLabel *>("reason")->text().contains("same bytes"));
    CHECK_FALSE(w.document().loading()); // nothing before the answer
    dialog->reject();
    REQUIRE(waitFor([&] { return w.findChild<TogetherDialog *>("twoFiles") == nullptr; }));
    CHECK(w.document().empty());

    w.openOrAsk({a, b});
    dialog = w.findChild<TogetherDialog *>("twoFiles");
    REQUIRE(dialog != nullptr);
    QTest::keyClick(dialog->findChild<QRadioButton *>(), Qt::Key_Space); // the first: parts
    REQUIRE(waitFor([&] { return !dialog->looking(); }));
    CHECK(dialog->choice() == CaptureRelation::parts);
    dialog->accept();
    REQUIRE(settled(w.document()));
    CHECK(w.document().snapshot()->files == QStringList{a, b});
    CHECK(w.document().snapshot()->filesAre == FileUnion::joined);

    // One that cannot be read says so in the question.
    w.openOrAsk({a, "/nowhere/at-all.pcap"});
    dialog = w.findChild<TogetherDialog *>("twoFiles");
    REQUIRE(dialog != nullptr);
    REQUIRE(waitFor([&] { return !dialog->looking(); }));
    CHECK(dialog->findChild<QLabel *>("reason")->text().contains("/nowhere/at-all.pcap"));
    dialog->reject();
}

TEST_CASE("Two directions in files of their own are read as one, as --merge reads them") {
    const QTemporaryDir scratch;
    const QStringList halves = byDirection(sample("plain-write.initiator.pcapng.zst"), scratch.path());
    Document d;
    d.setRemembers(false);
    d.open(halves, FileUnion::merged);
    REQUIRE(settled(d));
    const auto told = [&](const QStringList &more) {
        return QJsonDocument::fromJson(
                   commandLine(QStringList{"report", "--merge", "--format", "json"} + halves + more))
            .object();
    };
    const auto tasks = [](const Report &r) {
        return static_cast<qint64>(r.of(TaskType::read).count + r.of(TaskType::write).count +
                                   r.of(TaskType::control).count);
    };
    const auto toldTasks = [](const QJsonObject &json) { return json["coverage"]["tasks"].toInteger(); };
    const QJsonObject whole = told({});
    REQUIRE(toldTasks(whole) > 0);
    CHECK(static_cast<qint64>(d.snapshot()->tables.cycles.size()) == toldTasks(whole));
    CHECK(tasks(*d.figures()) == toldTasks(whole));
    // A filter's figures come from the files again.
    REQUIRE_FALSE(d.addFilter("type == \"write\""));
    REQUIRE(settled(d));
    CHECK(d.figures()->of(TaskType::write).count == d.snapshot()->report->of(TaskType::write).count);
    CHECK(d.figures()->of(TaskType::read).count == 0);
    CHECK(d.figures()->capture.info.frames == d.snapshot()->report->capture.info.frames);
}

TEST_CASE("Without a window the suggestion is taken and said") {
    const QTemporaryDir scratch;
    const QStringList halves = byDirection(sample("plain-write.initiator.pcapng.zst"), scratch.path());
    const auto run = [&](const QStringList &options) {
        QProcess p;
        p.start(ISCSISCOPE_GUI_PROGRAM,
                halves + options + QStringList{"--screenshot", scratch.filePath("x.png")});
        REQUIRE(p.waitForFinished(300'000));
        return std::pair{p.exitCode(), QString::fromUtf8(p.readAllStandardError())};
    };
    const auto [code, said] = run({});
    CHECK(code == 0);
    CHECK(said.contains("merged by time"));
    const auto [merged, silent] = run({"--merge"});
    CHECK(merged == 0);
    CHECK(silent.isEmpty());
    const auto [both, complaint] = run({"--merge", "--parts"});
    CHECK(both == 2);
    CHECK(complaint.contains("exclude each other"));
}

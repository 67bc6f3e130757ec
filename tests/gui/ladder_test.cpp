// SPDX-License-Identifier: GPL-2.0-or-later
// The ladder: what its arrows are called, whose they are, and what stays in sight.
#include "catch.h"
#include "gui/models/ladder_model.h"
#include "gui/models/words.h"
#include "gui/views/ladder_view.h"
#include "gui/window/main_window.h"
#include "support.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QScrollBar>
#include <QTest>

#include <algorithm>
#include <cstdio>
#include <set>

using namespace iscsiscope;
using namespace iscsiscope::gui;

namespace {

const std::atomic<bool> going{false};
const char *const pingPong = "r2t-ping-pong.initiator.pcapng.zst";

LadderPage ladderOf(const Snapshot &s, const CycleRecord &r) {
    return readLadder(s, r.stream, {r.start, r.end + Duration{1}}, going);
}

const LadderPacket *packetOf(const LadderPage &page, FrameNumber frame) {
    const auto at = std::find_if(page.packets.begin(), page.packets.end(),
                                 [frame](const LadderPacket &k) { return k.frame == frame; });
    return at != page.packets.end() ? &*at : nullptr;
}

struct Window {
    MainWindow w;
    explicit Window(const QString &file, QSize size = {1200, 800}) {
        w.document().setRemembers(false);
        w.resize(size);
        w.show();
        w.showView("ladder");
        w.open({file});
        REQUIRE(settled(w.document()));
    }
    LadderView &ladder() { return w.ladder(); }
};

} // namespace

TEST_CASE("Arrows of commands have the command's name, LBA and size") {
    std::size_t commands = 0;
    for (const QString &name :
         {QString(pingPong), QString("tgt-qemu.pcapng.zst"), QString("plain-read.initiator.pcapng.zst")}) {
        const QString file = sample(name);
        if (file.isEmpty())
            continue;
        INFO(file.toStdString());
        Document d;
        d.setRemembers(false);
        REQUIRE(openAndWait(d, {file}));
        const CycleStore &cycles = d.snapshot()->tables.cycles;
        std::set<TaskType> seen;
        for (Row row = 0; row < cycles.size(); ++row) {
            const CycleRecord r = cycles.record(row);
            if (!r.command_frame || r.type == TaskType::control || !seen.insert(r.type).second)
                continue;
            const LadderPage page = ladderOf(*d.snapshot(), r);
            const LadderPacket *command = packetOf(page, *r.command_frame);
            REQUIRE(command != nullptr);
            INFO(command->pdus.toStdString());
            CHECK(command->pdus.contains(r.type == TaskType::read ? "READ" : "WRITE"));
            CHECK(command->pdus.contains(QString("LBA %1").arg(*r.lba)));
            CHECK(carries(*command, r.cycle));
            CHECK(packetWords(*command, d.snapshot()->origin)
                      .contains(QString("Frame %1,").arg(*r.command_frame)));
            const LadderPacket *status = packetOf(page, *r.status_frame);
            REQUIRE(status != nullptr);
            CHECK((status->pdus + status->continues).contains("GOOD")); // it may begin in a frame before
            ++commands;
        }
    }
    CHECK(commands >= 3);
}

TEST_CASE("The packets of a cycle are those that carry its PDUs") {
    Document d;
    d.setRemembers(false);
    REQUIRE(openAndWait(d, {sample(pingPong)}));
    const CycleStore &cycles = d.snapshot()->tables.cycles;
    Row write = 0;
    while (cycles.type(write) != TaskType::write)
        ++write;
    const CycleRecord r = cycles.record(write);
    const LadderPage page = ladderOf(*d.snapshot(), r);
    // What the command line says of the PDUs of this task.
    const QByteArray rows =
        commandLine({"pdus", sample(pingPong), "--format", "jsonl", "--filter",
                     QString("stream == %1 and itt == %2").arg(r.stream.number).arg(r.itt)});
    std::set<FrameNumber> begins;
    std::set<FrameNumber> inside;
    for (const QByteArray &line : rows.split('\n')) {
        const QJsonObject pdu = QJsonDocument::fromJson(line).object();
        const auto first = static_cast<FrameNumber>(pdu.value("frame").toInteger());
        if (first < *r.command_frame || first > *r.status_frame || first == 0)
            continue;
        begins.insert(first);
        inside.insert(first);
        inside.insert(static_cast<FrameNumber>(pdu.value("last_frame").toInteger()));
    }
    REQUIRE(begins.size() >= 3);
    for (const FrameNumber f : inside) {
        INFO("frame " << f);
        const LadderPacket *k = packetOf(page, f);
        REQUIRE(k != nullptr);
        CHECK(carries(*k, r.cycle));
        CHECK(k->pdus.isEmpty() == (begins.count(f) == 0));
    }
    for (const LadderPacket &k : page.packets)
        if (k.payload == 0)
            CHECK(k.cycles.empty()); // an acknowledgment
        else if (carries(k, r.cycle))
            CHECK((!k.pdus.isEmpty() || !k.continues.isEmpty()));
}

TEST_CASE("Retransmissions are named in the ladder's tips") {
    QString file;
    for (const QString &f : realCaptures())
        if (f.contains("d_write_4MiB_loss0.5_reno.ini"))
            file = f;
    if (file.isEmpty()) {
        std::puts("SKIPPED: no capture with losses (ISCSISCOPE_CAPTURES)");
        return;
    }
    Document d;
    d.setRemembers(false);
    REQUIRE(openAndWait(d, {file}));
    const CycleStore &cycles = d.snapshot()->tables.cycles;
    std::size_t repeats = 0;
    for (Row row = 0; row < cycles.size() && repeats == 0; ++row) {
        const CycleRecord r = cycles.record(row);
        if (r.retransmitted_segments == 0)
            continue;
        for (const LadderPacket &k : ladderOf(*d.snapshot(), r).packets) {
            if (!k.repeat)
                continue;
            ++repeats;
            const QString tip = packetWords(k, d.snapshot()->origin);
            CHECK(tip.contains("Retransmission"));
            if (carries(k, r.cycle))
                CHECK(tip.contains(QString("cycle %1").arg(r.cycle.number)));
        }
    }
    CHECK(repeats > 0);
}

TEST_CASE("The ladder's header stays when it scrolls, and its arrows have tips") {
    Window window(sample(pingPong), {1024, 600});
    const LadderPage &page = window.ladder().model().page();
    REQUIRE(page.packets.size() > 20);
    QScrollBar &bar = *window.ladder().verticalScrollBar();
    REQUIRE(bar.maximum() > 0);
    const auto header = [&] { return window.ladder().viewport()->grab(QRect(0, 0, 600, 40)).toImage(); };
    const QImage before = header();
    const QImage body = window.ladder().viewport()->grab(QRect(0, 60, 600, 200)).toImage();
    bar.setValue(bar.maximum() / 2);
    CHECK(header() == before);
    CHECK(window.ladder().viewport()->grab(QRect(0, 60, 600, 200)).toImage() != body);
    CHECK(window.ladder().tipAt({10, 10}).contains(page.initiator));
    CHECK(window.ladder().tipAt({window.ladder().viewport()->width() - 10, 10}).contains(page.target));
    std::size_t tips = 0;
    for (std::size_t i = 0; i < page.packets.size(); ++i) {
        const QPoint at = window.ladder().placeOf(i);
        if (at.y() < 60 || at.y() > window.ladder().viewport()->height() - 40)
            continue;
        CHECK(window.ladder().tipAt(at).contains("Frame"));
        tips += window.ladder().tipAt(at).contains(QString("Frame %1,").arg(page.packets[i].frame)) ? 1 : 0;
    }
    CHECK(tips > 0);
}

TEST_CASE("The ladder marks the range and says that filters hide nothing") {
    Window window(sample(pingPong));
    const auto picture = [&] { return window.ladder().viewport()->grab().toImage(); };
    const QImage without = picture();
    const Interval shown = window.ladder().model().page().interval;
    window.w.document().setRange(Interval{shown.from + shown.length() / 4, shown.from + shown.length() / 2});
    REQUIRE(settled(window.w.document()));
    const QImage ranged = picture();
    CHECK(ranged != without);
    REQUIRE_FALSE(window.w.document().addFilter("type == \"read\"").has_value());
    REQUIRE(settled(window.w.document()));
    CHECK(picture() != ranged);
    CHECK(window.ladder().accessibleDescription().contains("filters hide none"));
}

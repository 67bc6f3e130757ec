// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/start/capture_entries.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QHash>
#include <QStandardPaths>

namespace iscsiscope::gui {
namespace {

struct About {
    const char *text;
    const char *end; // of the two captures, the one that shows it
};

// What each sample shows, in the order in which one learns from them.
const std::vector<std::pair<QString, About>> &known() {
    static const std::vector<std::pair<QString, About>> list{
        {"plain-read", {QT_TRANSLATE_NOOP("samples", "64 KiB Reads, one at a time"), "initiator"}},
        {"plain-write", {QT_TRANSLATE_NOOP("samples", "8 KiB Writes with immediate data"), "initiator"}},
        {"r2t-ping-pong",
         {QT_TRANSLATE_NOOP("samples", "128 KiB Writes that wait for sixteen R2Ts each"), "initiator"}},
        {"unsolicited-data", {QT_TRANSLATE_NOOP("samples", "Writes whose data needs no R2T"), "initiator"}},
        {"eight-writes", {QT_TRANSLATE_NOOP("samples", "Eight Writes outstanding"), "initiator"}},
        {"read-16ms-four-gaps",
         {QT_TRANSLATE_NOOP("samples", "Reads with two waits each, by Nagle's algorithm"), "initiator"}},
        {"read-16ms-two-gaps",
         {QT_TRANSLATE_NOOP("samples", "The same Reads with one wait each"), "initiator"}},
        {"delayed-ack", {QT_TRANSLATE_NOOP("samples", "Reads held by a delayed ACK"), "initiator"}},
        {"loss-timeout",
         {QT_TRANSLATE_NOOP("samples", "Lost segments: timeouts and fast retransmissions"), "target"}},
        {"command-window", {QT_TRANSLATE_NOOP("samples", "A command window of two"), "target"}},
        {"slow-target", {QT_TRANSLATE_NOOP("samples", "A target with a slow disk"), "initiator"}},
        {"speed-step",
         {QT_TRANSLATE_NOOP("samples", "Four guests through a step down to 50 Mbit/s"), "target"}},
        {"mcs-unequal", {QT_TRANSLATE_NOOP("samples", "One session of four unequal connections"), "target"}},
        {"mirror-unequal",
         {QT_TRANSLATE_NOOP("samples", "Mirrored Writes, one member far away"), "initiator"}},
        {"digests", {QT_TRANSLATE_NOOP("samples", "Header and data digests"), "initiator"}},
        {"tgt-qemu", {QT_TRANSLATE_NOOP("samples", "A tgtd target and QEMU's initiator"), ""}},
    };
    return list;
}

} // namespace

std::vector<CaptureEntry> recentEntries(const QStringList &files) {
    std::vector<CaptureEntry> list;
    for (const QString &path : files) {
        const QFileInfo info(path);
        list.push_back({path, info.fileName(), QDir::toNativeSeparators(info.path()), info.exists(),
                        info.size(), info.lastModified()});
    }
    return list;
}

std::vector<CaptureEntry> samplesIn(const QString &folder) {
    std::vector<CaptureEntry> list;
    const auto take = [&](const QString &name, const About &about) {
        const QDir dir(folder + "/" + name);
        const QStringList files =
            dir.entryList({"*.pcapng.zst", "*.pcap.zst", "*.pcapng", "*.pcap"}, QDir::Files, QDir::Name);
        if (files.isEmpty())
            return;
        const QStringList end = files.filter(QString(".%1.").arg(about.end));
        const QFileInfo info(dir.filePath(end.isEmpty() ? files.front() : end.front()));
        list.push_back({info.filePath(), name, QCoreApplication::translate("samples", about.text), true,
                        info.size(), info.lastModified()});
    };
    QStringList names = QDir(folder).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name);
    for (const auto &[name, about] : known())
        if (names.removeOne(name))
            take(name, about);
    for (const QString &name : names) // not known here: by name only
        take(name, {"", "initiator"});
    return list;
}

std::vector<CaptureEntry> sampleEntries() {
    QStringList folders = QStandardPaths::locateAll(
        QStandardPaths::GenericDataLocation, "iscsiscope/sample-captures", QStandardPaths::LocateDirectory);
    QDir up(QCoreApplication::applicationDirPath());
    folders.prepend(up.filePath("../share/iscsiscope/sample-captures"));
    constexpr int levels = 6;
    for (int i = 0; i < levels && !up.isRoot(); ++i) {
        folders << up.filePath("sample-captures/bundle");
        if (!up.cdUp())
            break;
    }
    for (const QString &folder : folders) {
        auto list = samplesIn(QDir::cleanPath(folder));
        if (!list.empty())
            return list;
    }
    return {};
}

} // namespace iscsiscope::gui

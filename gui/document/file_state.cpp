// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/document/file_state.h"

#include "gui/document/document.h"

#include <QCryptographicHash>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QSettings>

namespace iscsiscope::gui {
namespace {

constexpr int recentKept = 10, viewsKept = 100;

QString keyOf(const QString &file) {
    const QByteArray path = QFileInfo(file).absoluteFilePath().toUtf8();
    return "files/" +
           QString::fromLatin1(QCryptographicHash::hash(path, QCryptographicHash::Sha1).toHex().left(16));
}

QString marksFile(const QString &file) {
    return file + ".marks.json";
}

} // namespace

void saveView(const QString &file, Interval view) {
    QSettings settings;
    settings.beginGroup("files");
    const QStringList groups = settings.childGroups();
    settings.endGroup();
    if (groups.size() > viewsKept)
        settings.remove("files/" + groups.front());
    settings.beginGroup(keyOf(file));
    settings.setValue("changed", QFileInfo(file).lastModified().toMSecsSinceEpoch());
    settings.setValue("view",
                      QStringList{QString::number(to_ns(view.from)), QString::number(to_ns(view.to))});
    settings.endGroup();
}

std::optional<Interval> loadView(const QString &file) {
    QSettings settings;
    settings.beginGroup(keyOf(file));
    // Another capture under the same name has nothing to do with what was remembered.
    const QStringList parts = settings.value("view").toStringList();
    if (settings.value("changed").toLongLong() != QFileInfo(file).lastModified().toMSecsSinceEpoch() ||
        parts.size() != 2)
        return std::nullopt;
    const Interval i{time_from_ns(parts[0].toLongLong()), time_from_ns(parts[1].toLongLong())};
    return i.empty() ? std::nullopt : std::optional(i);
}

std::optional<QString> saveMarks(const QString &file, const std::vector<Mark> &marks) {
    const QString path = marksFile(file);
    if (marks.empty()) {
        QFile::remove(path);
        return std::nullopt;
    }
    QJsonArray list;
    for (const Mark &m : marks) {
        // Times as text: a JSON number does not hold nanoseconds since 1970.
        list.append(QJsonObject{{"time_ns", QString::number(to_ns(m.time))}, {"text", m.text}});
    }
    QSaveFile out(path);
    if (!out.open(QIODevice::WriteOnly) ||
        out.write(QJsonDocument(QJsonObject{{"marks", list}}).toJson()) < 0 || !out.commit())
        return Document::tr("The marks could not be saved in %1: %2").arg(path, out.errorString());
    return std::nullopt;
}

std::vector<Mark> loadMarks(const QString &file) {
    QFile in(marksFile(file));
    std::vector<Mark> marks;
    if (!in.open(QIODevice::ReadOnly))
        return marks;
    const QJsonArray list = QJsonDocument::fromJson(in.readAll()).object().value("marks").toArray();
    for (const auto &v : list) {
        bool good = false;
        const Time time = time_from_ns(v.toObject().value("time_ns").toString().toLongLong(&good));
        if (good)
            marks.push_back({time, v.toObject().value("text").toString()});
    }
    return marks;
}

QStringList recentFiles() {
    return QSettings().value("recent").toStringList();
}

void removeRecentFile(const QString &file) {
    QStringList list = recentFiles();
    list.removeAll(file);
    QSettings().setValue("recent", list);
}

void addRecentFile(const QString &file) {
    QStringList list = recentFiles();
    const QString path = QFileInfo(file).absoluteFilePath();
    list.removeAll(path);
    list.prepend(path);
    while (list.size() > recentKept)
        list.removeLast();
    QSettings().setValue("recent", list);
}

} // namespace iscsiscope::gui

// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/window/wireshark.h"

#include "analyzer/query/cell.h"
#include "gui/models/words.h"

#include <QCoreApplication>
#include <QProcess>

namespace iscsiscope::gui {

QStringList wiresharkArguments(const QString &file, FrameNumber frame, const QString &filter) {
    QStringList arguments{"-r", file, "-g", QString::number(frame)};
    if (!filter.isEmpty())
        arguments << "-Y" << filter;
    return arguments;
}

QString cycleFilter(const Tables &t, Row cycle, FrameNumber frame, FrameNumber before) {
    const FrameNumber first = t.cycles.firstFrame(cycle), last = t.cycles.lastFrame(cycle);
    const auto connection = t.streams.find(t.cycles.stream(cycle));
    if (connection == t.streams.end() || frame < first || frame > last || first <= before)
        return {};
    const Endpoint &a = connection->second.initiator, &b = connection->second.target;
    const auto address = [](const Endpoint &e) {
        Scratch scratch;
        return QString(e.address.is_v4() ? "ip.addr == %1" : "ipv6.addr == %1")
            .arg(words(address_cell(e.address, scratch)));
    };
    return QString("frame.number == %1 or (frame.number >= %2 and frame.number <= %3 and tcp.port == %4 and "
                   "tcp.port == %5 and %6 and %7)")
        .arg(frame - before)
        .arg(first - before)
        .arg(last - before)
        .arg(a.port)
        .arg(b.port)
        .arg(address(a), address(b));
}

std::optional<QString> openInWireshark(const QString &file, FrameNumber frame, const QString &filter) {
    if (!QProcess::startDetached("wireshark", wiresharkArguments(file, frame, filter))) {
        return QCoreApplication::translate(
            "Wireshark", "Wireshark could not be started: is it installed and on the PATH?");
    }
    return std::nullopt;
}

} // namespace iscsiscope::gui

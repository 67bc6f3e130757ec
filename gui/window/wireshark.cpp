// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/window/wireshark.h"

#include <QCoreApplication>
#include <QProcess>

namespace iscsiscope::gui {

QStringList wiresharkArguments(const QString &file, FrameNumber frame, const QString &filter) {
    QStringList arguments{"-r", file, "-g", QString::number(frame)};
    if (!filter.isEmpty()) {
        arguments << "-Y" << filter;
    }
    return arguments;
}

std::optional<QString> openInWireshark(const QString &file, FrameNumber frame, const QString &filter) {
    if (!QProcess::startDetached("wireshark", wiresharkArguments(file, frame, filter))) {
        return QCoreApplication::translate(
            "Wireshark", "Wireshark could not be started: is it installed and on the PATH?");
    }
    return std::nullopt;
}

} // namespace iscsiscope::gui

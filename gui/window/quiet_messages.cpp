// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/window/quiet_messages.h"

#include <QString>

#include <cstdio>

namespace iscsiscope::gui {
namespace {

// The off-screen platform has no window manager for size hints, and a service or container has no folder for
// sockets (XDG_RUNTIME_DIR); a picture needs neither.
bool ofSurroundings(const QString &text) {
    return text.startsWith("This plugin does not support ") || text.startsWith("QStandardPaths: ");
}

void handle(QtMsgType, const QMessageLogContext &, const QString &text) {
    if (!ofSurroundings(text))
        std::fprintf(stderr, "iscsiscope-gui: %s\n", qPrintable(text));
}

} // namespace

void quietPlatformMessages() {
    qInstallMessageHandler(handle);
}

} // namespace iscsiscope::gui

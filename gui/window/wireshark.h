// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/capture/time.h"

#include <QStringList>

#include <optional>

namespace iscsiscope::gui {

// -r FILE -g FRAME, and a display filter when there is one.
QStringList wiresharkArguments(const QString &file, FrameNumber frame, const QString &filter = {});
// Starts `wireshark` with an argument list, never through a shell. A sentence if it could not be.
std::optional<QString> openInWireshark(const QString &file, FrameNumber frame, const QString &filter = {});

} // namespace iscsiscope::gui

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "gui/document/stores/record_stores.h"

#include <QStringList>

#include <optional>

namespace iscsiscope::gui {

// Returns the arguments -r FILE -g FRAME, and -Y with the display filter unless it is empty.
QStringList wiresharkArguments(const QString &file, FrameNumber frame, const QString &filter = {});
// Returns a display filter for the packets of a cycle and for the frame. before: frames of the capture before
// the file that Wireshark reads. Empty if the frame lies outside the time of the cycle.
QString cycleFilter(const Tables &, Row cycle, FrameNumber frame, FrameNumber before);
// Starts `wireshark` with an argument list, never through a shell. Returns a sentence if that failed.
std::optional<QString> openInWireshark(const QString &file, FrameNumber frame, const QString &filter = {});

} // namespace iscsiscope::gui

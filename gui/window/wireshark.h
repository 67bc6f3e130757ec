// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "gui/document/stores/record_stores.h"

#include <QStringList>

#include <optional>

namespace iscsiscope::gui {

// -r FILE -g FRAME, and a display filter when there is one.
QStringList wiresharkArguments(const QString &file, FrameNumber frame, const QString &filter = {});
// A display filter for the packets of a cycle, and for that frame whatever it is. before: frames of the
// capture before the file that Wireshark reads. Empty where the frame is none of the cycle's time: no filter.
QString cycleFilter(const Tables &, Row cycle, FrameNumber frame, FrameNumber before);
// Starts `wireshark` with an argument list, never through a shell. A sentence if it could not be.
std::optional<QString> openInWireshark(const QString &file, FrameNumber frame, const QString &filter = {});

} // namespace iscsiscope::gui

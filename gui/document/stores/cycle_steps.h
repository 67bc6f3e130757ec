// SPDX-License-Identifier: GPL-2.0-or-later
// The steps of a cycle, that is, its frames from the command through R2Ts and data to the status.
#pragma once

#include "gui/document/stores/record_stores.h"

#include <QString>

#include <vector>

namespace iscsiscope::gui {

struct CycleStep {
    FrameNumber frame = 0;
    Time time;
    QString what; // "R2T 2 (64 KiB)"
};

// Returns the steps in order of time, only those that are in the capture.
std::vector<CycleStep> stepsOf(const Tables &, Row cycle);

} // namespace iscsiscope::gui

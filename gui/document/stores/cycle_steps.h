// SPDX-License-Identifier: GPL-2.0-or-later
// The frames of a cycle that one walks through: command → R2T → Data-Out → … → status.
#pragma once

#include "gui/document/stores/record_stores.h"

#include <QString>

#include <vector>

namespace iscsiscope::gui {

struct CycleStep {
    FrameNumber frame = 0;
    std::int64_t time = 0; // ns
    QString what;          // "R2T 2 (64 KiB)"
};

// In order of time; only those that are in the capture.
std::vector<CycleStep> stepsOf(const Tables &, Row cycle);

} // namespace iscsiscope::gui

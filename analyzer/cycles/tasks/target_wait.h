// SPDX-License-Identifier: GPL-2.0-or-later
// TargetWait: one wait of a task for its target, as it passed the tap.
#pragma once

#include "analyzer/base/time.h"

namespace iscsiscope {

struct TargetWait {
    Time from{};                // the last byte that the target needed for its answer passed
    Time to{};                  // first_seen of the answer
    FrameNumber last_asked = 0; // the frame of `from`
    FrameNumber answer = 0;     // the frame of `to`
    // It begins with an R2T that was never answered: the target did not wait for the initiator, and no round
    // trip lies in it.
    bool r2t_unanswered = false;
};

} // namespace iscsiscope

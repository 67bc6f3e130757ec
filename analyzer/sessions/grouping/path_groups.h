// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/sessions/figures/grouping_figures.h"
#include "analyzer/sessions/grouping/task_tally.h"

#include <vector>

namespace iscsiscope {

// Sessions of one initiator that reach the same LUN while both are alive (MPIO): by VPD page 83h designator,
// else by 80h serial number, else by target name and LUN, which is a guess.
std::vector<PathGroup> path_groups(const MemberTable &, const std::vector<TaskTally::Cell> &,
                                   const std::vector<LunRecord> &);

} // namespace iscsiscope

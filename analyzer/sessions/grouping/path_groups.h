// SPDX-License-Identifier: GPL-2.0-or-later
// Finds multiple paths (MPIO) to one LUN among the sessions of an initiator.
#pragma once

#include "analyzer/sessions/figures/grouping_figures.h"
#include "analyzer/sessions/grouping/task_tally.h"

#include <vector>

namespace iscsiscope {

// Returns the groups of sessions of one initiator that have tasks on the same LUN at the same time. A LUN is
// identified by its designator (VPD page 83h), else by its serial number (VPD page 80h), else by target name
// and LUN, which is a guess.
std::vector<PathGroup> path_groups(const MemberTable &, const std::vector<TaskTally::Cell> &, const Luns &);

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// DueTasks: the tasks of one connection to which HeldTasks::settle() turns after the segment at hand, when
// its gaps are known. In: those that begin or end in it, and those of which an end or a wait has changed.
// Out: the same, to settle(), which empties both lists.
#pragma once

#include "analyzer/cycles/tasks/task.h"

#include <cstdint>
#include <vector>

namespace iscsiscope {

struct DueTasks {
    std::vector<TaskRef> begun;       // open tasks whose idle_mark is set
    std::vector<std::uint32_t> ended; // indices of HeldTasks: their idle time and target_service are measured
};

} // namespace iscsiscope

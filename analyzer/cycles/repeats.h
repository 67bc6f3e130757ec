// SPDX-License-Identifier: GPL-2.0-or-later
// Bytes that pass a second time, and the tasks they belong to.
#pragma once

#include "analyzer/cycles/cycle_connection.h"

namespace iscsiscope {

// A segment that repeats bytes: counted for each task that has some of them.
void note_repeat(TaskTable &, CycleConnection &, const Connection &, const SegmentReport &);
// A header of this sender has been told: repeats that lie in PDUs known now find their tasks.
void place_repeats(TaskTable &, CycleConnection &, Side sender);

} // namespace iscsiscope

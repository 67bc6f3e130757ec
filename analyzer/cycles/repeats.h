// SPDX-License-Identifier: GPL-2.0-or-later
// Assigns retransmitted bytes to tasks (docs/figures.md, "Task and cycle": retransmitted_segments).
#pragma once

#include "analyzer/cycles/cycle_connection.h"

namespace iscsiscope {

// Counts a segment with repeated bytes for each of their tasks. Bytes of unknown PDUs wait in `unplaced`.
void note_repeat(TaskTable &, CycleConnection &, const Connection &, const SegmentReport &);
// Called after a header of this sender: counts the waiting repeats whose PDU is known now.
void place_repeats(TaskTable &, CycleConnection &, Side sender);

} // namespace iscsiscope

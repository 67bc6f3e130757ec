// SPDX-License-Identifier: GPL-2.0-or-later
// HeldWork: which end of a connection has the work of the open tasks in hand, and since when
// (docs/figures.md, "Whose time it is").
//
// A task awaits the target from its command, or from the last byte of its data, until its status; it awaits
// the initiator while data is due that an R2T, or the F bit of the command, has announced, and while a
// command with a lower number has not been sent (CommandHole). The end has the work in hand from one loop tap
// -> end -> tap after the cause passed the tap: then at the earliest could something that the end did pass
// the tap. That moment is the same on the time line of every tap, shifted by the way between the taps. All
// times are those of the tap.
#pragma once

#include "analyzer/cycles/bursts/burst_tracker.h"
#include "analyzer/cycles/tasks/command_hole.h"
#include "analyzer/cycles/tasks/task_table.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

// The loops tap -> end -> tap as they are at the time; empty: not known.
struct Loops {
    std::optional<Duration> to_target, to_initiator;
};

struct HeldWork {
    bool open = false;                 // a task is open
    bool oldest_awaits_target = false; // the oldest open task awaits the target, else the initiator
    bool loop_known = true;            // of the ends that are awaited
    TaskType type{};                   // of the oldest open task
    std::uint64_t lun = 0;             // of the oldest open task
    // When the work of the open tasks came to this end's hands; Time::max(): no task awaits it.
    Time at_target = Time::max(), at_initiator = Time::max();
};

// What else decides who has the work in hand.
struct WorkContext {
    Loops loops;
    CommandHole left_out; // the commands that the initiator has left out
    bool sending = false; // a PDU towards the target has passed in part: the initiator has the rest in hand
};

// The state of a connection's open tasks, of which the oldest ones are looked at.
HeldWork held_work(const TaskTable &, const Slab<BurstTracker> &, const OpenTasks &, const WorkContext &);

} // namespace iscsiscope

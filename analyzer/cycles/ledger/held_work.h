// SPDX-License-Identifier: GPL-2.0-or-later
// HeldWork: which end of a connection has work of the open tasks outstanding, and since when
// (docs/figures.md, "Whose time it is").
//
// A task awaits the target from its command, or from the last byte of its data, until its status; it awaits
// the initiator while data is due that an R2T, or the F bit of the command, has announced, and while a
// command with a lower number has not been sent (CommandHole). The end has work outstanding from one tap-side
// round trip after the cause passed the tap: then at the earliest could something that the end did pass the
// tap. That moment is the same on the time line of every tap, shifted by the delay between the taps. All
// times are those of the tap. A cause that was lost behind the tap, or stood behind such a hole, counts from
// the repeat that fills it.
#pragma once

#include "analyzer/cycles/bursts/burst_tracker.h"
#include "analyzer/cycles/service/repeated_from.h"
#include "analyzer/cycles/tasks/command_hole.h"
#include "analyzer/cycles/tasks/task_table.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

// The round trips tap -> end -> tap as they are at the time; empty: not known.
struct TapRtts {
    std::optional<Duration> to_target, to_initiator;
};

struct HeldWork {
    bool open = false;                 // a task is open
    bool oldest_awaits_target = false; // the oldest open task awaits the target, else the initiator
    bool tap_rtt_known = true;         // of the ends that are awaited
    TaskType type{};                   // of the oldest open task
    std::uint64_t lun = 0;             // of the oldest open task
    std::optional<CycleId> oldest;     // that task
    // Since when this end has had work of the open tasks outstanding; Time::max(): no task awaits it.
    Time at_target = Time::max(), at_initiator = Time::max();
};

// What else decides which end has work outstanding.
struct WorkContext {
    TapRtts tap_rtts;
    CommandHole left_out;                         // the commands that the initiator has left out
    const RepeatedFrom &to_target, &to_initiator; // what was sent again in either direction
    bool sending =
        false; // a PDU towards the target has passed in part: its rest is outstanding at the initiator
};

// The state of a connection's open tasks, of which the oldest ones are looked at.
HeldWork held_work(const TaskTable &, const Slab<BurstTracker> &, const OpenTasks &, const WorkContext &);

} // namespace iscsiscope

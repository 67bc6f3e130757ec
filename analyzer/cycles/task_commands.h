// SPDX-License-Identifier: GPL-2.0-or-later
// TaskCommands: begins tasks, and reads their commands.
//
// In: SCSI Command PDUs, and of a task whose command is not in the capture its first PDU. Out: an open task,
// counted on its connection and in its session, with what its command states and the tasks outstanding then.
// It keeps nothing itself.
#pragma once

#include "analyzer/cycles/cycle_state.h"
#include "analyzer/cycles/held_tasks.h"

#include <cstdint>

namespace iscsiscope {

class TaskCommands {
public:
    TaskCommands(CycleState &shared, HeldTasks &held) : shared_(shared), held_(held) {}

    // Begins the task of a SCSI Command whose tag no open task has.
    TaskIndex begin(CycleConnection &, const Pdu &);
    // Begins a task whose first PDU in the capture is not its command.
    TaskIndex begin_orphan(CycleConnection &, const Pdu &);
    // Takes a SCSI Command that has the tag of this task. Returns true if it is the command of the task,
    // which was sent again within the connection (RFC 7143 section 7.2.1, the same CmdSN), or delivered after
    // its own answer because its bytes waited for a hole; false, without effect, if another task begins.
    bool take_over(CycleConnection &, TaskIndex, const Pdu &);

private:
    // Adds an open task, whose first PDU this is.
    TaskIndex add(CycleConnection &, std::uint32_t itt, const Pdu &);
    void note_begin(CycleConnection &, Time first_seen);
    void read_command(CycleConnection &, Task &, const Pdu &);
    void count_depths(CycleConnection &, Task &, const Pdu &);

    CycleState &shared_;
    HeldTasks &held_;
};

} // namespace iscsiscope

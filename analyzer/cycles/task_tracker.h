// SPDX-License-Identifier: GPL-2.0-or-later
// TaskTracker: builds tasks from SCSI Command, Data-In, Data-Out, R2T and SCSI Response PDUs. A task begins
// with its command, or with another PDU if the command is not in the capture (TaskCommands), and ends with
// its status or through end(). Ended tasks go to HeldTasks.
#pragma once

#include "analyzer/cycles/cycle_state.h"
#include "analyzer/cycles/held_tasks.h"
#include "analyzer/cycles/task_commands.h"

#include <cstdint>

namespace iscsiscope {

class TaskTracker {
public:
    TaskTracker(CycleState &shared, HeldTasks &held)
        : shared_(shared), held_(held), commands_(shared, held) {}

    // The connection has a session, and the PDU is one of those above. Fills `under_way` with the task and
    // the PDU's role. Returns how many bytes of the data segment on_pdu() needs.
    std::uint32_t on_header(CycleConnection &, const Pdu &, OpenPdu &under_way);
    // `under_way` is as the PDU's on_header() filled it.
    void on_pdu(CycleConnection &, const Pdu &, const OpenPdu &under_way);

    // The capture's clock was set: no time across that is known.
    void clock_set(CycleConnection &);
    // Ends the open tasks whose answers were among PDUs that were not found (MissedAnswers), as far as it is
    // known which ones.
    void end_missed(CycleConnection &);
    // Ends all open tasks of the connection. The frame is empty where the end of the capture ends them.
    void end_all(CycleConnection &, TaskOutcome, Time at, OptionalFrame);
    // Ends one open task. The outcome of a task without a command becomes no_command.
    void end(CycleConnection &, TaskIndex, TaskOutcome, Time at, OptionalFrame);
    // Moves an open task to this connection (RFC 7143 section 11.5.1, TASK REASSIGN).
    void move_here(CycleConnection &, TaskIndex);

private:
    // Returns the task of a SCSI Command: a known one, or one that begins. That ends an open one with its
    // tag.
    TaskIndex task_of_command(CycleConnection &, const Pdu &);
    void report_burst_progress(const CycleConnection &, const Task &);
    void report_r2t_response(const CycleConnection &, const Task &, const Pdu &data_out);

    void on_data_in(CycleConnection &, TaskIndex, const Pdu &);
    void on_data_out(CycleConnection &, TaskIndex, const Pdu &);
    void on_r2t(CycleConnection &, TaskIndex, const Pdu &);
    void on_response(CycleConnection &, TaskIndex, const Pdu &);
    void end_with_status(CycleConnection &, TaskIndex, const Pdu &, TaskEnd);

    CycleState &shared_;
    HeldTasks &held_;
    TaskCommands commands_;
};

} // namespace iscsiscope

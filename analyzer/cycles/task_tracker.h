// SPDX-License-Identifier: GPL-2.0-or-later
// SCSI Command, Data-In, Data-Out, R2T and SCSI Response PDUs → tasks.
#pragma once

#include "analyzer/cycles/cycle_state.h"
#include "analyzer/cycles/held_tasks.h"

#include <cstdint>

namespace iscsiscope {

class TaskTracker {
public:
    TaskTracker(CycleState &shared, HeldTasks &held) : shared_(shared), held_(held) {}

    // The connection has a session. The PDU is one of those above.
    // Fills `under_way` with the task and the PDU's role; returns the data bytes wanted.
    std::uint32_t on_header(CycleConnection &, const Pdu &, PduUnderWay &under_way);
    // `under_way` as filled by its on_header().
    void on_pdu(CycleConnection &, const Connection &, const Pdu &, const PduUnderWay &under_way);

    // Ends all open tasks of the connection.
    void end_all(CycleConnection &, TaskOutcome, Time at, FrameNumber);
    // Ends one of them; a task without a command is no_command whatever ends it.
    void end(CycleConnection &, TaskIndex, TaskOutcome, Time at, FrameNumber);
    // The task goes on over this connection (RFC 7143 section 11.5.1, TASK REASSIGN).
    void move_here(CycleConnection &, TaskIndex);

private:
    TaskIndex begin_command(CycleConnection &, const Pdu &);
    // A task met by something else than its command.
    TaskIndex begin_orphan(CycleConnection &, const Pdu &);
    TaskIndex begin(CycleConnection &, std::uint32_t itt, const Pdu &);
    bool take_over(CycleConnection &, TaskIndex, const Pdu &);
    void read_command(CycleConnection &, Task &, const Pdu &);
    void count_depths(CycleConnection &, Task &, const Pdu &);
    BurstTracker &writing(Task &);
    void tell_burst(const CycleConnection &, const Task &);
    void tell_half_loop(const CycleConnection &, const Task &, const Pdu &data_out);

    void on_data_in(CycleConnection &, const Connection &, TaskIndex, const Pdu &);
    void on_data_out(CycleConnection &, TaskIndex, const Pdu &);
    void on_r2t(CycleConnection &, TaskIndex, const Pdu &);
    void on_response(CycleConnection &, const Connection &, TaskIndex, const Pdu &);
    void end_with_status(CycleConnection &, const Connection &, TaskIndex, const Pdu &, TaskEnd);

    CycleState &shared_;
    HeldTasks &held_;
};

} // namespace iscsiscope

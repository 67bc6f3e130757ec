// SPDX-License-Identifier: GPL-2.0-or-later
// HeldTasks: keeps the record of a task from its end until the record is final. The late members
// (docs/figures.md, "Task and cycle": next_command_wait, idle time, retransmissions) depend on later frames.
#pragma once

#include "analyzer/cycles/cycle_state.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace iscsiscope {

// How a task ended.
struct TaskEnd {
    TaskOutcome outcome{};
    Time at{};
    OptionalFrame frame;        // the frame that ended the task; empty: the end of the capture did
    OptionalFrame status_frame; // the frame that first carried the status's last byte; empty: no status
    bool has_status = false;    // a SCSI Response or a Data-In with S ended it
    bool seen = true; // of that at least one byte is in a frame; else `at` is that of a frame before
    std::optional<std::uint8_t> status, response;
    std::optional<std::uint32_t> sense;
    std::optional<std::int64_t> residual; // of a status whose header shows it
    Time status_seen{};                   // first_seen of the status
    FrameNumber status_seen_frame = 0;    // the frame of that time, with has_status
    std::uint64_t status_end_offset = 0;  // stream offset in the direction to the initiator
    // PDUs that the initiator sent before the status may not be delivered yet, among them data of the task.
    bool data_may_follow = false;
};

// Fills the members that are known from the SCSI Command and from the tasks outstanding at that time.
void fill_command(const CycleConnection &, const Task &, CycleRecord &);

class HeldTasks {
public:
    // Most records of a connection held at once; beyond it the oldest becomes final early. They wait for ACKs
    // and for the next command: about as many as tasks are outstanding at a time, of which a session rarely
    // has more than some hundred. Where one direction is not in the capture they wait in vain, 0.7 MB a
    // connection.
    static constexpr std::size_t max_held = 1024;

    explicit HeldTasks(CycleState &shared) : shared_(shared) {}

    // Ends an open task: puts a CycleEnded and keeps the record until its late members are known.
    void end(CycleConnection &, TaskIndex, const TaskEnd &);
    // The command or a Data-Out of an ended task was delivered after the task's own status (its bytes waited
    // for a hole, or for a header behind them), and the caller has counted it. Builds the record again; calls
    // Another CycleEnded; amended, unless the task had no command when it ended. A task that ended
    // with its command and without data_may_follow does not change.
    void amend(CycleConnection &, TaskIndex);
    // The task has ended, and its record still takes write data that is delivered after the status.
    bool takes_data(TaskIndex) const;
    // A SCSI Command begins on the connection: sets next_command_wait of the tasks before it. Empty: when it
    // began is not known, or the capture's clock was set since these ended, and so they will have none.
    void next_command(CycleConnection &, std::optional<Time> first_seen);
    // Called after each segment with PDUs, ACKs or gaps: computes idle times and emits final records.
    void settle(CycleConnection &, const Connection &, Time now);
    // Number of tasks of the connection that began at or before t and ended after t.
    std::uint32_t ended_after(const CycleConnection &, Time t) const;
    // The connection has ended: emits all held records.
    void release_all(CycleConnection &);

private:
    struct Held {
        CycleRecord record;
        // Of a task without command, or with data_may_follow: what builds the record again.
        std::unique_ptr<TaskEnd> end;
        TaskIndex task = no_task;
        SessionId session;
        std::uint64_t end_offset[2] = {0, 0}; // by PduDirection: end of the task's bytes
        // The task's command or write data may still come below this offset, in the direction to the target.
        std::uint64_t late_below = 0;
        std::optional<TargetWait>
            service_due;   // command to status; target_service is computed after this segment
        Time release_at{}; // set once all bytes are acknowledged
        bool wait_known = false;
        bool command_missing = false; // when the task ended
    };

    void correct_depths(const CycleConnection &, CycleId ending, Time ended);
    void fill_record(const CycleConnection &, const Task &, const TaskEnd &, Held &) const;
    void fill_phases(const Task &, Held &) const;
    void measure_idle(CycleConnection &, Held &);
    void measure_service(const CycleConnection &, Held &) const;
    void note_acknowledged(CycleConnection &, const Connection &, Time now);
    void release_front(CycleConnection &);

    CycleState &shared_;
    Slab<Held> held_;
};

} // namespace iscsiscope

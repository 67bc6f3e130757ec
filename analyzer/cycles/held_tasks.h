// SPDX-License-Identifier: GPL-2.0-or-later
// From the end of a task to its final record: the late members (definitions.md: next_command_wait,
// idle time, repeats) need frames that follow.
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
    FrameNumber frame = 0;        // that told it; 0: the end of the capture
    FrameNumber status_frame = 0; // first carried the status's last byte; 0: no status
    bool has_status = false;      // a SCSI Response or a Data-In with S ended it
    std::optional<std::uint8_t> status, response;
    std::optional<std::uint32_t> sense;
    std::int64_t residual = 0;
    std::uint64_t status_end_offset = 0;   // in the target's stream
    std::optional<Duration> rtt_to_target; // running minimum
};

// The members that the command, and how much was outstanding at it, decide.
void fill_command(const CycleConnection &, const Task &, CycleRecord &);

class HeldTasks {
public:
    // Held beyond the first one of each connection; then the oldest become final early.
    static constexpr std::size_t max_held = 32768;

    explicit HeldTasks(CycleState &shared) : shared_(shared) {}

    // Closes an open task: tells on_cycle_end and keeps the record for its late members.
    void end(CycleConnection &, TaskIndex, const TaskEnd &);
    // The command of an ended task comes behind its own answer (its bytes waited for a hole); the task
    // has been given the command's facts. The record is made anew, and on_cycle_end told again.
    void amend(CycleConnection &, TaskIndex);
    // A SCSI Command begins on the connection: the wait of those before it is known.
    void next_command(CycleConnection &, Time first_seen);
    // After each segment with PDUs, ACKs or gaps: takes idle times, lets go of what is final.
    void settle(CycleConnection &, const Connection &, Time now);
    // Tasks of the connection that ended after t.
    std::uint32_t ended_after(const CycleConnection &, Time t) const;
    // The connection has ended: everything becomes final.
    void release_all(CycleConnection &);

private:
    struct Held {
        CycleRecord record;
        std::unique_ptr<TaskEnd> end; // of a task without command: to make the record anew
        TaskIndex task = no_task;
        std::uint64_t session = 0;
        std::uint64_t end_offset[2] = {0, 0}; // by PduDirection: where its bytes end
        std::uint64_t command_below = 0;      // of a task without command: offset below which it may yet come
        std::optional<Duration> service_wait; // target_service before the network's share is taken off
        Time release_at{};                    // of one that is acknowledged
        bool wait_known = false;
    };

    void fill_record(const CycleConnection &, const Task &, const TaskEnd &, Held &) const;
    void fill_phases(const Task &, Held &) const;
    void measure_idle(CycleConnection &, Held &);
    void note_acknowledged(CycleConnection &, const Connection &, Time now);
    void release_front(CycleConnection &);

    CycleState &shared_;
    Slab<Held> held_;
    std::size_t beyond_first_ = 0;
};

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// Why a connection stood still: the gap's kind, refined by the task it belongs to and by how much of
// the wait the network alone takes. Each gap has exactly one.
#pragma once

#include "analyzer/cycles/records/records.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace iscsiscope {

enum class WaitCause : std::uint8_t {
    capture_loss,
    path_down,
    timeout,
    recovery,
    window_closed,
    delayed_ack,
    nagle,
    congestion_window,
    send_buffer,
    command_window,
    blocked,            // behind a long command that moves no data of its own
    task_ended,         // the task was aborted or reset: nobody answered it
    target_time,        // the target took longer than the network, and than a millisecond
    target_behind_data, // the same, for the answer to data: on its way it may have stood in a queue
    target_pause,       // the target paused within its data
    round_trip,         // Reads and Writes: nothing else was to be done during a round trip
    r2t_chain,          // the same, for an R2T of a Write that needs several
    r2t_single,         // the same, for the only one
    r2t_answer,         // the initiator took longer than the network to answer an R2T
    data_pause,         // the initiator paused within its data
    host_idle,          // no task open, longer than the network explains
    host_pause,         // tasks open, next command not sent
    other_commands,     // round trips of commands that are neither Read nor Write
    management,         // NOPs, task management, texts
    unexplained,
};
inline constexpr std::size_t wait_cause_count = static_cast<std::size_t>(WaitCause::unexplained) + 1;

// task: final record of the task that the gap names; null: none known. blocked: it ran beside a long
// command (BlockingCommands).
WaitCause cause_of(const GapRecord &, const CycleRecord *task, bool blocked);

// What a capture at this tap shows of the awaited end's own time: the wait less the loop to that end.
Duration own_time(const GapRecord &);

} // namespace iscsiscope

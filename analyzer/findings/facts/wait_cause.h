// SPDX-License-Identifier: GPL-2.0-or-later
// The cause of an idle gap: its kind, refined by the task that it belongs to and by the part of the wait that
// the round trip explains. Each gap has exactly one cause.
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
    outage, // of gaps of kind path_down or retransmission_timeout: those of an OutageInterval
    timeout,
    recovery,
    window_closed,
    delayed_ack,
    nagle,
    congestion_window,
    send_buffer,
    command_window,
    blocked,            // at the same time as a long command without data transfer
    task_ended,         // the task was aborted or reset without a response
    target_time,        // the target took longer than the round trip, and than a millisecond
    target_behind_data, // the same, after data that may have waited in a queue
    target_pause,       // the target paused within its data
    round_trip,         // a round trip of a Read or Write in which nothing else was transferred
    r2t_chain,          // the same, for an R2T of a Write with several
    r2t_single,         // the same, for the only R2T of a Write
    r2t_answer,         // the initiator took longer than the round trip to answer an R2T
    data_pause,         // the initiator paused within its data
    host_idle,          // no task open, for longer than the round trip
    host_pause,         // tasks open, the next command not sent
    other_commands,     // round trips of commands that are neither Read nor Write
    management,         // NOPs, task management, Text Requests
    unexplained,
};
inline constexpr std::size_t wait_cause_count = static_cast<std::size_t>(WaitCause::unexplained) + 1;

// task: the final record of the task that the gap names; null: not known. blocked: the task ran at the same
// time as a long command (BlockingCommands).
WaitCause cause_of(const GapRecord &, const CycleRecord *task, bool blocked);

// Returns the time of the awaited end itself: the wait less the round trip from the tap to that end. Of a
// wait for the first data, an R2T or the status it is at most the task's target_service, and zero where that
// is hidden.
Duration own_time(const GapRecord &, const CycleRecord *task);

} // namespace iscsiscope

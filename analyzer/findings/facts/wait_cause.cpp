// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/facts/wait_cause.h"

#include <algorithm>
#include <chrono>

namespace iscsiscope {
namespace {

using namespace std::chrono_literals;

bool ended_early(const CycleRecord &task) {
    return task.outcome == TaskOutcome::aborted || task.outcome == TaskOutcome::reset;
}

// True if the awaited end took longer than the whole round trip and than a millisecond, which a healthy array
// does not exceed. Otherwise the round trip is the cause of the wait.
bool takes_long(const GapRecord &gap, Duration own) {
    const Duration round_trip =
        gap.rtt_to_awaited.value_or(Duration{}) + gap.rtt_to_other.value_or(Duration{});
    return own > std::max<Duration>(round_trip, 1ms);
}

// True if the wait is one of those that target_service counts. The status after Data-In is not.
bool part_of_service(const GapRecord &gap, const CycleRecord &task) {
    return gap.kind == GapKind::target_first_data || gap.kind == GapKind::target_r2t ||
           (gap.kind == GapKind::target_status && (task.type == TaskType::write || task.data_pdus == 0));
}

// True if the task was answered, but losses, repairs or closed windows hide how long the target took.
bool service_hidden(const GapRecord &gap, const CycleRecord *task) {
    return task != nullptr && task->has_phases && gap.rtt_to_awaited && !task->target_service;
}

WaitCause answer_of_target(const GapRecord &gap, const CycleRecord *task) {
    if (task != nullptr && ended_early(*task))
        return WaitCause::task_ended;
    const bool behind_data = gap.kind != GapKind::target_first_data && task != nullptr &&
                             task->type == TaskType::write && task->bytes_moved > 0;
    if (takes_long(gap, own_time(gap, task)))
        return behind_data ? WaitCause::target_behind_data : WaitCause::target_time;
    if (service_hidden(gap, task) && takes_long(gap, own_time(gap, nullptr)))
        return task->target_window_closed ? WaitCause::window_closed : WaitCause::unexplained;
    return task != nullptr && task->type == TaskType::control ? WaitCause::other_commands
                                                              : WaitCause::round_trip;
}

WaitCause r2t_round_trip(const CycleRecord *task) {
    return task != nullptr && task->r2t_count > 1 ? WaitCause::r2t_chain : WaitCause::r2t_single;
}

} // namespace

Duration own_time(const GapRecord &gap, const CycleRecord *task) {
    const Duration beyond_rtt = std::max(Duration{}, gap.length - gap.rtt_to_awaited.value_or(Duration{}));
    if (task == nullptr || !part_of_service(gap, *task))
        return beyond_rtt;
    if (service_hidden(gap, task))
        return Duration{};
    return task->target_service ? std::min(beyond_rtt, *task->target_service) : beyond_rtt;
}

WaitCause cause_of(const GapRecord &gap, const CycleRecord *task, bool blocked) {
    const Duration own = own_time(gap, task);
    const bool long_wait = takes_long(gap, own);
    switch (gap.kind) {
    case GapKind::capture_loss:
        return WaitCause::capture_loss;
    case GapKind::path_down:
        return WaitCause::path_down;
    case GapKind::retransmission_timeout:
        return WaitCause::timeout;
    case GapKind::fast_retransmit:
        return WaitCause::recovery;
    case GapKind::window_closed:
        return WaitCause::window_closed;
    case GapKind::delayed_ack:
        return WaitCause::delayed_ack;
    case GapKind::ack_held_status:
    case GapKind::ack_held_data:
        return WaitCause::nagle;
    case GapKind::cwnd_limited:
        return WaitCause::congestion_window;
    case GapKind::send_buffer:
        return WaitCause::send_buffer;
    case GapKind::command_window:
        return WaitCause::command_window;
    case GapKind::target_first_data:
    case GapKind::target_status:
        return blocked && long_wait ? WaitCause::blocked : answer_of_target(gap, task);
    case GapKind::target_data:
        return blocked && long_wait ? WaitCause::blocked
               : long_wait          ? WaitCause::target_pause
                                    : WaitCause::unexplained;
    case GapKind::target_r2t: {
        const WaitCause cause = blocked && long_wait ? WaitCause::blocked : answer_of_target(gap, task);
        return cause == WaitCause::round_trip ? r2t_round_trip(task) : cause;
    }
    case GapKind::initiator_burst:
        // Captured near the target, this wait includes the round trip to the initiator.
        return long_wait ? WaitCause::r2t_answer : r2t_round_trip(task);
    case GapKind::initiator_data:
        return long_wait ? WaitCause::data_pause : WaitCause::unexplained;
    case GapKind::initiator_idle:
        // The round trip from the status to the next command is not idle time of the host.
        return own > gap.rtt_to_awaited.value_or(Duration{}) ? WaitCause::host_idle : WaitCause::round_trip;
    case GapKind::initiator_pause:
        return own > gap.rtt_to_awaited.value_or(Duration{}) ? WaitCause::host_pause : WaitCause::round_trip;
    case GapKind::control:
        return WaitCause::management;
    default:
        break;
    }
    return task != nullptr && ended_early(*task) ? WaitCause::task_ended : WaitCause::unexplained;
}

} // namespace iscsiscope

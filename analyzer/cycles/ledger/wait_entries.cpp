// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/ledger/wait_entries.h"

#include "analyzer/cycles/ledger/gap_owner.h"

#include <algorithm>
#include <chrono>

namespace iscsiscope {
namespace {

bool on_the_target(GapKind kind) {
    return kind >= GapKind::target_first_data && kind <= GapKind::target_data;
}

Cause round_trip(const GapRecord &gap, const CycleRecord *task) {
    const bool of_r2t = gap.kind == GapKind::target_r2t || gap.kind == GapKind::initiator_burst;
    if (of_r2t)
        return task != nullptr && task->r2t_count > 1 ? Cause::r2t_chain : Cause::r2t_single;
    const bool other = task != nullptr && task->type == TaskType::control;
    return other || gap.kind == GapKind::control ? Cause::other_round_trip : Cause::round_trip;
}

// True if the wait is one of those that target_service counts. The status after Data-In is not.
bool part_of_service(const GapRecord &gap, const CycleRecord &task) {
    return gap.kind == GapKind::target_first_data || gap.kind == GapKind::target_r2t ||
           (gap.kind == GapKind::target_status && (task.type == TaskType::write || task.data_pdus == 0));
}

// A disk answers a random access in about 10 ms. A target that takes longer would with an open command window
// as well.
constexpr Duration slow_answer = std::chrono::milliseconds(10);

Cause of_the_end(const GapRecord &gap, const CycleRecord *task, Duration length, TaskType type,
                 WaitBeside beside) {
    const bool ended_early =
        task != nullptr && (task->outcome == TaskOutcome::aborted || task->outcome == TaskOutcome::reset);
    if (beside == WaitBeside::long_command && on_the_target(gap.kind))
        return Cause::blocked;
    if (ended_early && (on_the_target(gap.kind) || gap.kind == GapKind::unclassified))
        return Cause::task_ended;
    // The task was answered, but losses, repairs or closed windows hide how long the target took.
    const bool hidden = task != nullptr && task->has_phases && gap.rtt_to_awaited && !task->target_service &&
                        part_of_service(gap, *task);
    if (hidden)
        return task->target_window_closed ? Cause::window_closed : Cause::unclassified;
    // Of several open tasks each wait is a part of what one takes.
    const Duration service = task != nullptr ? task->target_service.value_or(length) : length;
    if (gap.kind == GapKind::command_window && std::max(length, service) >= slow_answer)
        return type == TaskType::write ? Cause::target_status : Cause::target_first_data;
    return gap.kind;
}

} // namespace

bool LedgerEntry::is_long() const {
    return length > std::max<Duration>(distance, std::chrono::milliseconds(1));
}

WaitEntries entries_of(const Wait &w, const CycleRecord *task, WaitBeside beside) {
    WaitEntries all;
    const GapRecord &gap = w.gap;
    LedgerEntry e;
    e.stream = gap.stream;
    e.session = w.session;
    // A command that ended the wait was not awaited.
    const bool awaited =
        gap.cycle && gap.kind != GapKind::initiator_idle && gap.kind != GapKind::initiator_pause;
    const bool known = awaited && task != nullptr;
    e.cycle = awaited ? gap.cycle : w.oldest;
    e.lun = known ? task->lun : w.lun;
    e.type = known ? task->type : w.type;
    e.depth = task != nullptr ? task->queue_depth : 0;
    e.gap = gap.kind;
    e.wait = gap.length;
    e.distance = w.distance();
    e.before_frame = gap.before_frame;
    e.after_frame = gap.after_frame;
    e.proof = gap.proof;
    if (w.gap.active_part <= Duration{})
        return all;
    Time at = gap.start;
    const auto add = [&](Duration length, Owner owner, Cause cause, bool trouble) {
        if (length <= Duration{})
            return;
        e.start = at;
        e.length = length;
        e.owner = owner;
        e.cause = cause;
        e.trouble = trouble;
        all.entries[all.count++] = e;
        at += length;
    };
    const bool layer = is_of_iscsi(gap.kind);
    const Cause of_tcp = beside == WaitBeside::outage ? Cause::outage
                         : gap.window_grows           ? Cause::slow_start
                                                      : gap.kind;
    // An answer that Nagle's algorithm held for a round trip waited for no distance of its own.
    const Duration way = w.path() - w.beyond(), held = layer ? std::min(way, w.by_nagle) : Duration{};
    add(held, Owner::network, e.type == TaskType::read ? Cause::ack_held_data : Cause::ack_held_status,
        false);
    add(way - held, Owner::network, layer ? round_trip(gap, task) : of_tcp, false);
    add(w.beyond(), Owner::network, layer ? Cause::queueing : of_tcp, true);
    add(w.end_part(), gap.end_owner, of_the_end(gap, task, w.end_part(), e.type, beside), false);
    return all;
}

} // namespace iscsiscope

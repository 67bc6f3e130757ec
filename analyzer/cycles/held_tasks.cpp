// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/held_tasks.h"

#include "analyzer/cycles/service/target_service.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace iscsiscope {

namespace {

bool both_ends_seen(const CycleConnection &c) {
    return c.tcp.ends[0].seen && c.tcp.ends[1].seen;
}

} // namespace

void fill_command(const CycleConnection &c, const Task &task, CycleRecord &r) {
    r.cycle = task.cycle;
    r.session = c.session->id;
    r.stream = c.tcp.stream;
    r.cid = c.cid;
    r.itt = task.itt;
    r.tag_known = task.tag_known;
    if (task.has_command) {
        r.cmd_sn = task.cmd_sn;
        if (task.cdb_known)
            r.opcode = task.opcode;
        if (task.expected_known)
            r.bytes_expected = task.bytes_expected;
    }
    r.immediate = task.immediate;
    r.type = task.type;
    if (task.has_service_action)
        r.service_action = task.service_action;
    r.lun = task.lun;
    if (task.has_lba)
        r.lba = task.lba;
    if (task.has_blocks)
        r.blocks = task.blocks;
    r.command_frame = task.command_frame;
    r.queue_depth = task.queue_depth;
    r.session_depth = task.session_depth;
}

void HeldTasks::end(CycleConnection &c, TaskIndex i, const TaskEnd &end) {
    Task &task = shared_.tasks[i];
    shared_.tasks.unlink(c.open, i);
    --c.session->open_tasks;
    task.ended = true;

    const std::uint32_t h = held_.take();
    Held &held = held_[h];
    std::construct_at(&held); // in place: a Held is too large to copy
    held.task = i;
    held.command_missing = !task.has_command;
    const bool amendable = held.command_missing || end.data_may_follow;
    if (amendable)
        held.end = std::make_unique<TaskEnd>(end);
    task.previous = h;
    held.session = c.session->id;
    correct_depths(c, task.cycle, end.at);
    fill_record(c, task, end, held);
    held.end_offset[0] = c.ranges_of(PduDirection::to_target).end();
    held.end_offset[1] = std::max(end.status_end_offset, c.ranges_of(PduDirection::to_initiator).end());
    if (amendable)
        held.late_below = c.gaps.passed(c.initiator);
    c.life.task_end(held.record.end);
    c.note_end();
    shared_.records.put(CycleEnded{held.record});

    if (c.open.count > 0) {
        held.record.next_command_wait = Duration{};
        held.wait_known = true;
    }
    c.due.ended.push_back(h);
    c.held.push(h, !held.wait_known);
    if (c.held.size() > max_held)
        release_front(c);
}

// Commands that passed after the end of this task, but were delivered before that, had counted it as open.
void HeldTasks::correct_depths(const CycleConnection &c, CycleId ending, Time ended) {
    if (c.session->latest_start <= ended)
        return;                  // as nearly always
    std::size_t left = max_held; // further ones keep a depth that is too large
    for (const CycleConnection *member : c.session->members)
        for (TaskIndex i = member->open.last; i != no_task && shared_.tasks[i].start > ended && left > 0;
             i = shared_.tasks[i].previous, --left) {
            Task &later = shared_.tasks[i];
            if (later.cycle < ending)
                continue; // it was delivered before the command of this one
            later.session_depth -= std::min(later.session_depth, 1U);
            if (member == &c)
                later.queue_depth -= std::min(later.queue_depth, 1U);
        }
}

void HeldTasks::amend(CycleConnection &c, TaskIndex i) {
    Held &held = held_[shared_.tasks[i].previous];
    if (!held.end)
        return;
    if (!held.end->data_may_follow)
        held.late_below = 0;
    const std::optional<Duration> wait = held.record.next_command_wait;
    held.record = CycleRecord{};
    held.record.next_command_wait = wait;
    fill_record(c, shared_.tasks[i], *held.end, held);
    c.due.ended.push_back(shared_.tasks[i].previous);
    CycleEnded amended{held.record, !held.command_missing};
    amended.cycle.next_command_wait.reset(); // late
    shared_.records.put(amended);
}

bool HeldTasks::takes_data(TaskIndex i) const {
    const Task &task = shared_.tasks[i];
    if (!task.ended)
        return false;
    const Held &held = held_[task.previous];
    return held.end && held.end->data_may_follow;
}

void HeldTasks::fill_record(const CycleConnection &c, const Task &task, const TaskEnd &end,
                            Held &held) const {
    CycleRecord &r = held.record;
    fill_command(c, task, r);
    r.bytes_moved = task.bytes_moved;
    r.inferred = task.inferred;
    r.first_data_frame = task.first_data_frame;
    r.last_data_frame = task.last_data_frame;
    r.status_frame = end.status_frame;
    r.end_frame = end.frame;
    r.start = task.start;
    r.end = std::max(end.at, task.start);
    r.rtt_to_initiator = c.tcp.end(c.initiator).rtt.minimum;
    r.r2t_count = task.r2t_count;
    r.data_pdus = task.data_pdus;
    r.outcome = task.has_command ? end.outcome : TaskOutcome::no_command;
    r.status = end.status;
    r.residual = end.residual.value_or(0);
    r.residual_known = end.status.has_value() && end.residual.has_value();
    r.response = end.response;
    r.sense = end.sense;
    r.cut_bytes = task.cut_bytes;
    r.unseen_bytes = task.unseen_bytes;
    // Only unseen bytes make a task incomplete (docs/figures.md, "Bytes that are not in the file"), not a
    // missing status. PDUs may have been missed where boundaries were lost, answers in a one-sided capture.
    const BurstTracker *writing = task.writing == no_task ? nullptr : &shared_.bursts[task.writing];
    const bool all_moved = task.expected_known
                               ? static_cast<std::int64_t>(task.bytes_moved) + end.residual.value_or(0) ==
                                     static_cast<std::int64_t>(task.bytes_expected)
                               : writing != nullptr && writing->asked_to() == task.bytes_moved;
    const bool unnoticed =
        end.has_status ? task.sync_lost && !all_moved : task.sync_lost || !both_ends_seen(c);
    const bool data_missed = end.has_status && end.outcome == TaskOutcome::good &&
                             end.residual.value_or(0) == 0 && writing != nullptr &&
                             writing->asked_to() > task.bytes_moved;
    r.complete = task.has_command && task.unseen_bytes == 0 && !unnoticed && !data_missed;
    if (!task.has_command || !end.has_status || !end.seen || task.response_unknown)
        return;
    r.response_time = r.end - r.start;
    fill_phases(task, held);
    held.service_due = {task.command_delivered, end.status_seen, *task.command_frame, end.status_seen_frame};
}

void HeldTasks::fill_phases(const Task &task, Held &held) const {
    CycleRecord &r = held.record;
    r.has_phases = true;
    const BurstTracker *writing = task.writing == no_task ? nullptr : &shared_.bursts[task.writing];
    if (writing != nullptr && writing->any()) {
        const WriteTimes times{task.start, task.command_delivered, {}, r.end};
        WritePhases scratch;
        r.phases = writing->phases(times, scratch);
        return;
    }
    ReadTimes times{task.start, task.command_delivered, {}, task.last_data, r.end};
    if (task.data_begun && task.data_ended)
        times.first_data = task.first_data;
    r.phases = read_phases(times);
}

void HeldTasks::next_command(CycleConnection &c, std::optional<Time> first_seen) {
    while (const std::optional<std::uint32_t> h = c.held.next_awaiting_command()) {
        Held &held = held_[*h];
        if (first_seen)
            held.record.next_command_wait = std::max(Duration{}, *first_seen - held.record.end);
        held.wait_known = true;
        c.due.ended.push_back(*h);
    }
}

std::uint32_t HeldTasks::ended_after(const CycleConnection &c, Time t) const {
    std::uint32_t count = 0;
    for (std::size_t i = c.held.size(); i > 0; --i) {
        const CycleRecord &record = held_[c.held[i - 1]].record;
        if (record.end <= t)
            break;
        if (shared_.tasks[held_[c.held[i - 1]].task].start <= t)
            ++count;
    }
    return count;
}

void HeldTasks::measure_idle(CycleConnection &c, Held &held) {
    const Task &task = shared_.tasks[held.task];
    const GapHistory &gaps = c.gaps.history();
    const Time end = held.record.end + held.record.next_command_wait.value_or(Duration{});
    held.record.idle = std::max(Duration{}, gaps.time_before(end) - task.idle_mark);
    const std::uint64_t begun = gaps.begun_before(end);
    held.record.idle_gaps = static_cast<std::uint32_t>(begun) - task.idle_gaps_mark;
}

// The answers that passed before the status are all known; the target's segments up to it are as well.
void HeldTasks::measure_service(const CycleConnection &c, Held &held) const {
    const std::optional<TargetWait> status = std::exchange(held.service_due, std::nullopt);
    const std::optional<Duration> rtt = c.tcp.end(other(c.initiator)).rtt.minimum;
    const Task &task = shared_.tasks[held.task];
    // Where boundaries were lost, R2Ts, data or a first answer may have been missed.
    if (!status || !rtt || task.sync_lost || task.wait_unseen)
        return;
    const BurstTracker *writing = task.writing == no_task ? nullptr : &shared_.bursts[task.writing];
    const OwnTime own = target_service(c.service, task, writing, *status, *rtt);
    held.record.target_service = own.time;
    held.record.target_window_closed = own.window_closed;
}

// Records from when on the bytes of each task are acknowledged. Tasks are in the order of their ends, which
// is nearly always that of their bytes, so the scan stops at the first task that is not acknowledged.
void HeldTasks::note_acknowledged(CycleConnection &c, const Connection &tcp, Time now) {
    while (const std::optional<std::uint32_t> h = c.held.first_unacknowledged()) {
        Held &held = held_[*h];
        Duration tap_rtt{};
        for (const PduDirection d : {PduDirection::to_target, PduDirection::to_initiator}) {
            const Side sender = c.side_of(d);
            // In a one-sided capture no ACK will ever come.
            if (tcp.end(other(sender)).seen && tcp.end(sender).acked_offset < held.end_offset[index(d)])
                return;
            tap_rtt = std::max(tap_rtt, tcp.end(sender).rtt.latest_answer);
        }
        // A repeat sent before the ACK reached the sender may still pass the tap.
        held.release_at = now + tap_rtt;
        c.held.acknowledge_first();
    }
}

void HeldTasks::settle(CycleConnection &c, const Connection &tcp, Time now) {
    for (const TaskRef ref : c.due.begun)
        if (Task *task = shared_.tasks.get(ref)) {
            task->idle_mark = c.gaps.history().time_before(task->start);
            task->idle_gaps_mark = static_cast<std::uint32_t>(c.gaps.history().ended_by(task->start));
        }
    c.due.begun.clear();
    for (const std::uint32_t h : c.due.ended) {
        measure_idle(c, held_[h]);
        measure_service(c, held_[h]);
    }
    c.due.ended.clear();
    c.service.answers.forget_before(c.open.first == no_task ? now : shared_.tasks[c.open.first].start);
    note_acknowledged(c, tcp, now);
    c.held.set_next_release(Time::max());
    const Time unsettled_from = c.gaps.pending().unsettled_from();
    const std::uint64_t framed = c.ranges_of(PduDirection::to_target).end();
    while (c.held.oldest_acknowledged()) {
        const Held &front = held_[c.held[0]];
        // The gaps inside the cycle are emitted before its record.
        const Time over = front.record.end + front.record.next_command_wait.value_or(Duration{});
        if (!front.wait_known || framed < front.late_below || over > unsettled_from)
            break;
        if (now < front.release_at) {
            c.held.set_next_release(front.release_at);
            break;
        }
        release_front(c);
    }
}

void HeldTasks::release_front(CycleConnection &c) {
    const std::uint32_t h = c.held.take_oldest();
    Held &held = held_[h];
    if (!c.due.ended.empty())
        std::erase(c.due.ended, h);
    const Task &task = shared_.tasks[held.task];
    CycleRecord &r = held.record;
    if (!r.idle)
        measure_idle(c, held);
    measure_service(c, held);
    r.retransmitted_segments = task.retransmitted_segments;
    r.lost_beyond_tap = task.lost_beyond_tap;
    if (r.next_command_wait && r.response_time)
        r.cycle_time = *r.response_time + *r.next_command_wait;
    if (shared_.ledger.wanted()) {
        r.beside_long_command = c.session->long_commands.take(r);
        shared_.ledger.task(r, r.beside_long_command);
    }
    if (task.writing != no_task) {
        shared_.bursts[task.writing].rows(r.cycle, r.stream, task.delivered(),
                                          [this](const BurstRecord &row) { shared_.records.put(row); });
        shared_.bursts.give_back(task.writing);
    }
    shared_.records.put(r);
    shared_.tasks.forget(held.session, held.task);
    held.end.reset();
    held_.give_back(h);
}

void HeldTasks::release_all(CycleConnection &c) {
    while (!c.held.empty())
        release_front(c);
}

} // namespace iscsiscope

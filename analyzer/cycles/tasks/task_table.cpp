// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/tasks/task_table.h"

#include <memory>

namespace iscsiscope {

TaskIndex TaskTable::begin(OpenTasks &open, SessionId session, std::uint32_t itt) {
    const TaskIndex i = places_.take();
    Task &task = *std::construct_at(&places_[i].task); // in place: no copy
    task.cycle = CycleId{next_cycle_.fetch_add(1, std::memory_order_relaxed)};
    places_[i].cycle.store(task.cycle.number, std::memory_order_relaxed);
    task.itt = itt;
    link(open, i);
    tags_.set(session.number, key(session, itt), i);
    return i;
}

void TaskTable::link(OpenTasks &open, TaskIndex i) {
    Task &task = places_[i].task;
    task.previous = open.last;
    task.next = no_task;
    (open.last == no_task ? open.first : places_[open.last].task.next) = i;
    open.last = i;
    ++open.count;
}

void TaskTable::unlink(OpenTasks &open, TaskIndex i) {
    Task &task = places_[i].task;
    (task.previous == no_task ? open.first : places_[task.previous].task.next) = task.next;
    (task.next == no_task ? open.last : places_[task.next].task.previous) = task.previous;
    task.previous = task.next = no_task;
    --open.count;
}

void TaskTable::forget(SessionId session, TaskIndex i) {
    tags_.erase(session.number, key(session, places_[i].task.itt), i);
    places_[i].task.cycle = no_cycle;
    places_[i].cycle.store(no_cycle.number, std::memory_order_relaxed); // matches no TaskRef
    places_.give_back(i);
}

void TaskTable::move_to_session(TaskIndex i, SessionId from, SessionId to) {
    const std::uint32_t itt = places_[i].task.itt;
    tags_.erase(from.number, key(from, itt), i);
    tags_.set(to.number, key(to, itt), i);
}

} // namespace iscsiscope

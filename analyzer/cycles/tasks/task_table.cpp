// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/tasks/task_table.h"

#include <memory>

namespace iscsiscope {

TaskIndex TaskTable::begin(OpenTasks &open, SessionId session, std::uint32_t itt) {
    const TaskIndex i = tasks_.take();
    Task &task = *std::construct_at(&tasks_[i]); // in place: no copy
    task.cycle = CycleId{next_cycle_++};
    task.itt = itt;
    link(open, i);
    tags_.set(key(session, itt), i);
    return i;
}

void TaskTable::link(OpenTasks &open, TaskIndex i) {
    Task &task = tasks_[i];
    task.previous = open.last;
    task.next = no_task;
    (open.last == no_task ? open.first : tasks_[open.last].next) = i;
    open.last = i;
    ++open.count;
}

void TaskTable::unlink(OpenTasks &open, TaskIndex i) {
    Task &task = tasks_[i];
    (task.previous == no_task ? open.first : tasks_[task.previous].next) = task.next;
    (task.next == no_task ? open.last : tasks_[task.next].previous) = task.previous;
    task.previous = task.next = no_task;
    --open.count;
}

void TaskTable::forget(SessionId session, TaskIndex i) {
    const std::uint64_t k = key(session, tasks_[i].itt);
    if (tags_.find(k) == i)
        tags_.erase(k);
    tasks_[i].cycle = no_cycle; // matches no TaskRef
    tasks_.give_back(i);
}

void TaskTable::move_to_session(TaskIndex i, SessionId from, SessionId to) {
    const std::uint32_t itt = tasks_[i].itt;
    if (tags_.find(key(from, itt)) == i)
        tags_.erase(key(from, itt));
    tags_.set(key(to, itt), i);
}

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/expectation/ledger/target_habits.h"

#include <algorithm>

namespace iscsiscope {

void TargetHabits::note_order(const TaskProgress &task, const TaskList &tasks) {
    const auto waits = [&](const TaskProgress &t) {
        return t.reads == task.reads && t.writes == task.writes && t.unanswered() &&
               (!t.doubtful || &t == &task);
    };
    const auto end = tasks.all().end();
    const auto oldest = std::find_if(tasks.all().begin(), end, waits);
    if (oldest == end || std::find_if(oldest + 1, end, waits) == end)
        return; // there was no choice
    in_order_.add(&*oldest == &task, 256);
}

} // namespace iscsiscope

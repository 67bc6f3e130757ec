// SPDX-License-Identifier: GPL-2.0-or-later
// TaskTable: owns all tasks that are open or whose records are not final yet, and finds them by session and
// Initiator Task Tag. Indices stay valid until forget(). Several threads may use it at a time, each for other
// sessions.
#pragma once

#include "analyzer/base/containers/slab.h"
#include "analyzer/base/containers/striped_map.h"
#include "analyzer/cycles/records/oldest_cycle.h"
#include "analyzer/cycles/tasks/task.h"

#include <atomic>
#include <cstdint>

namespace iscsiscope {

// The open tasks of one connection, oldest first. RFC 7143 section 4.2.5.1: all PDUs of a task go over
// the connection of its command (allegiance).
struct OpenTasks {
    TaskIndex first = no_task, last = no_task;
    std::uint32_t count = 0;
};

class TaskTable {
public:
    // Adds a task with this tag at the end of the list. An earlier task with the tag is no longer found.
    TaskIndex begin(OpenTasks &, SessionId session, std::uint32_t itt);
    // no_task if there is none. Also finds tasks that have ended and are not forgotten yet.
    TaskIndex find(SessionId session, std::uint32_t itt) const {
        return tags_.find(session.number, key(session, itt));
    }

    void unlink(OpenTasks &, TaskIndex);
    void link(OpenTasks &, TaskIndex);
    // Removes a task that is unlinked and whose record is final.
    void forget(SessionId session, TaskIndex);
    // Moves a task's tag to another session, when a login shows the session of its connection.
    void move_to_session(TaskIndex, SessionId from, SessionId to);

    Task &operator[](TaskIndex i) { return places_[i].task; }
    const Task &operator[](TaskIndex i) const { return places_[i].task; }
    // Null if the task has been forgotten.
    Task *get(TaskRef ref) {
        if (ref.index == no_task ||
            places_[ref.index].cycle.load(std::memory_order_relaxed) != ref.cycle.number)
            return nullptr;
        return &places_[ref.index].task;
    }
    void show(OldestCycle &oldest) const {
        places_.each([&](const Place &p) { oldest.see(CycleId{p.cycle.load(std::memory_order_relaxed)}); });
    }
    TaskRef ref(TaskIndex i) const { return {i, places_[i].task.cycle}; }
    std::uint64_t cycles() const { return next_cycle_; } // tasks begun so far

private:
    static std::uint64_t key(SessionId session, std::uint32_t itt) { return session.number << 32 | itt; }

    // A task, and its number, at which those may look who do not know that the place has got another task.
    struct Place {
        Task task;
        std::atomic<std::uint64_t> cycle{no_cycle.number};
    };

    Slab<Place> places_;
    StripedMap tags_; // of sessions
    std::atomic<std::uint64_t> next_cycle_{0};
};

} // namespace iscsiscope

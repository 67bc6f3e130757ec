// SPDX-License-Identifier: GPL-2.0-or-later
// TaskList: the tasks that are open on one connection, oldest first, and the bursts that they wait for. In:
// tags of tasks to open, name and close, and the headers that begin a burst. Out: the tasks, by tag or in
// order. A task has a tag, which no other open task has, or none: then it is tagless until give_tag(). Of too
// many tasks (1,024) the oldest is forgotten, and of a task's bursts those beyond 64 are not kept.
#pragma once

#include "analyzer/iscsi/expectation/ledger/task_progress.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace iscsiscope {

class TaskList {
public:
    // Tasks that have no answer are forgotten beyond this, the oldest first.
    static constexpr std::size_t max_open_tasks = 1024;

    const std::vector<TaskProgress> &all() const { return tasks_; }
    // The tags of all(), in the same order; the reserved tag for a task that has none.
    const std::vector<std::uint32_t> &tags() const { return tags_; }
    const TaskProgress *find(std::uint32_t itt) const;
    TaskProgress *find(std::uint32_t itt);
    std::size_t tagless_count() const;

    // A command, or an answer to one that was not found, is there: ends what has this tag, unless that still
    // waits for its command. Valid until the next call that is not const, as is what find() returns.
    TaskProgress &open(std::uint32_t itt);
    TaskProgress &open_tagless();
    void close(std::uint32_t itt);
    // Ends the oldest task without a tag. Returns false if there is none.
    bool close_tagless();
    // The oldest task without a tag has this one, if no other task does.
    void give_tag(std::uint32_t itt);

    // The command of a task, with the unsolicited data that must follow it, if any.
    void note_command(TaskProgress &, const Pdu &);
    void note_r2t(TaskProgress &, const Pdu &);
    // The burst that a Data-Out belongs to, which begins here if its R2T was not found. Null if that is not
    // known.
    DataBurst *burst_of(TaskProgress &, const Pdu &);

    // PDUs were lost: the task may have gone on unseen; with `answers`, so may the target's answer to it.
    void doubt(std::uint32_t itt, bool answers);
    // PDUs to the initiator were lost before one of this task, where the target answers commands of a kind in
    // order: so have been older tasks, and those of another kind.
    void doubt_before(const TaskProgress &);
    // The other list has the same tasks in the same state: of each place in a stream takes the earlier one of
    // both.
    void take_earlier(const TaskList &other);

private:
    void erase(std::size_t index);
    std::size_t first_tagless() const; // the number of tasks if there is none
    DataBurst &begin_burst(TaskProgress &, const DataBurst &);

    std::vector<std::uint32_t> tags_; // of tasks_, in the same order, for find()
    std::vector<TaskProgress> tasks_;
    std::uint64_t bursts_begun_ = 0;
};

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
// TargetHabits: what a target keeps to, learned from its answers that are in the file. In: answers to tasks.
// Out: the order of its answers, and where it puts the status of a Read.
#pragma once

#include "analyzer/iscsi/expectation/ledger/recent_counts.h"
#include "analyzer/iscsi/expectation/ledger/task_list.h"

#include <optional>

namespace iscsiscope {

class TargetHabits {
public:
    // The first answer to a task is in the file, and the task has not noted it: counts whether it went to the
    // oldest task of its kind.
    void note_order(const TaskProgress &, const TaskList &);
    // The status of a good Read, or the end of its data, is in the file.
    void note_status_place(bool with_data) { with_data_.add(with_data, 64); }
    // Whether the target has answered commands of a kind in the order in which they came: of the answers that
    // are in the file and had a choice, at least seven of eight went to the oldest. True if there were none.
    bool answers_in_order() const { return in_order_.mostly(); }
    // Whether the target sends the status of a good Read in its last Data-In; empty: not seen yet, or it does
    // both.
    std::optional<bool> status_with_data() const {
        return (with_data_.yes > 0) != (with_data_.no > 0) ? std::optional(with_data_.yes > 0) : std::nullopt;
    }

private:
    RecentCounts in_order_, with_data_;
};

} // namespace iscsiscope

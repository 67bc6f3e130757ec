// SPDX-License-Identifier: GPL-2.0-or-later
// CycleNumbers: the numbers of tasks in the order of the capture. A ConnectionFollower numbers its tasks in
// the order in which it works them off.
//
// In: TaskBegun records, in the order of the capture. Out: translate() gives other records the numbers of the
// capture. Memory: four bytes for each task from the oldest on that forget_before() leaves.
#pragma once

#include "analyzer/cycles/records/record_sink.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <type_traits>

namespace iscsiscope {

class CycleNumbers final : public Takes<TaskBegun> {
public:
    void on(const TaskBegun &r) override {
        const std::size_t at = place(r.cycle);
        if (at >= ahead_.size())
            ahead_.resize(at + 1);
        ahead_[at] = static_cast<std::int32_t>(static_cast<std::int64_t>(next_++ - r.cycle.number));
    }
    // Replaces the follower's numbers in a record, whose tasks have all begun.
    template <class Record>
    void translate(Record &r) const {
        if constexpr (std::is_same_v<Record, TaskBegun>)
            return;
        else if constexpr (requires { r.cycle.cycle; })
            replace(r.cycle.cycle);
        else if constexpr (requires { r.burst.cycle; })
            replace(r.burst.cycle);
        else if constexpr (requires { r.cycle; })
            replace(r.cycle);
    }
    // No record names an older task from now on, by the follower's numbers.
    void forget_before(CycleId oldest) {
        if (oldest.number <= first_)
            return;
        const auto tasks = std::min<std::uint64_t>(oldest.number - first_, ahead_.size());
        ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<std::ptrdiff_t>(tasks));
        first_ += tasks;
    }

private:
    std::size_t place(CycleId followed) const { return static_cast<std::size_t>(followed.number - first_); }
    void replace(CycleId &id) const {
        id = CycleId{id.number + static_cast<std::uint64_t>(std::int64_t{ahead_.at(place(id))})};
    }
    void replace(std::optional<CycleId> &id) const {
        if (id)
            replace(*id);
    }

    std::uint64_t first_ = 0; // the follower's number of the first task that is remembered
    std::uint64_t next_ = 0;  // the number of the next task
    // From first_ on: the number less that of the follower. Tasks of one batch change places, no others.
    std::deque<std::int32_t> ahead_;
};

} // namespace iscsiscope

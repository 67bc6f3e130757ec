// SPDX-License-Identifier: GPL-2.0-or-later
// OldestCycle: the lowest number of a task that records to come may name. Each part of the cycles room that
// keeps numbers of tasks for its records shows them to it (ConnectionFollower::oldest_cycle).
#pragma once

#include "analyzer/base/ids.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace iscsiscope {

struct OldestCycle {
    CycleId cycle{std::numeric_limits<std::uint64_t>::max()};

    void see(CycleId id) { cycle = std::min(cycle, id); }
    void see(const std::optional<CycleId> &id) {
        if (id)
            see(*id);
    }
};

} // namespace iscsiscope

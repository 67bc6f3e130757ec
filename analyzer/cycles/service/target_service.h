// SPDX-License-Identifier: GPL-2.0-or-later
// target_service(): the target's own time for one ended task (docs/figures.md, "Where the capture was
// taken").
#pragma once

#include "analyzer/cycles/bursts/burst_tracker.h"
#include "analyzer/cycles/service/service_evidence.h"
#include "analyzer/cycles/tasks/task.h"

namespace iscsiscope {

// writing: the write data of the task; null: none. status: from the command's delivery to the status. Returns
// the sum over the task's waits for the target, not known if that of one of them is not.
OwnTime target_service(const ServiceEvidence &, const Task &, const BurstTracker *writing,
                       const TargetWait &status, Duration min_rtt);

} // namespace iscsiscope

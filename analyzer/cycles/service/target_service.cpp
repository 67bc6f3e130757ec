// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/service/target_service.h"

namespace iscsiscope {

OwnTime target_service(const ServiceEvidence &evidence, const Task &task, const BurstTracker *writing,
                       const TargetWait &status, Duration min_rtt) {
    OwnTime sum{Duration{}};
    const auto add = [&](const TargetWait &wait) {
        const OwnTime own = evidence.own_time(wait, min_rtt);
        if (sum.time && own.time)
            *sum.time += *own.time;
        else
            sum.time.reset();
        sum.window_closed = sum.window_closed || own.window_closed;
    };
    TargetWait first = status;
    if (writing != nullptr && writing->any()) {
        writing->waits(status, add);
        return sum;
    }
    if (task.data_begun && task.data_ended) {
        first.to = task.first_data;
        first.answer = *task.first_data_frame;
    }
    add(first);
    return sum;
}

} // namespace iscsiscope

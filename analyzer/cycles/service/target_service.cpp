// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/service/target_service.h"

namespace iscsiscope {

std::optional<Duration> target_service(const ServiceEvidence &evidence, const Task &task,
                                       const BurstTracker *writing, const TargetWait &status,
                                       Duration least_rtt) {
    std::optional<Duration> sum = Duration{};
    const auto add = [&](const TargetWait &wait) {
        const std::optional<Duration> own = evidence.own_time(wait, least_rtt);
        if (sum && own)
            *sum += *own;
        else
            sum.reset();
    };
    TargetWait first = status;
    if (writing != nullptr && writing->any()) {
        writing->waits(status, add);
        return sum;
    }
    if (task.data_begun && task.data_ended) {
        first.to = task.first_data;
        first.answer = task.first_data_frame;
    }
    add(first);
    return sum;
}

} // namespace iscsiscope

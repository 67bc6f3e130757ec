// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/tasks/phases.h"

#include <algorithm>

namespace iscsiscope {

Phases read_phases(const ReadTimes &times) {
    Phases phases;
    Time at = times.start;
    // Returns the time up to the boundary, where the next phase begins.
    const auto up_to = [&](Time boundary) {
        const Time next = std::min(std::max(boundary, at), std::max(times.end, times.start));
        const Duration length = next - at;
        at = next;
        return length;
    };
    phases.command = up_to(times.command_delivered);
    if (times.first_data) {
        phases.first_data_wait = up_to(*times.first_data);
        phases.data = up_to(times.last_data);
    }
    phases.status_wait = up_to(times.end);
    return phases;
}

} // namespace iscsiscope

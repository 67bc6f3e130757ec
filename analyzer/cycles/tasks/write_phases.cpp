// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/tasks/phases.h"

#include <algorithm>

namespace iscsiscope {

void WritePhases::add_interval(Time from, Time to, std::uint8_t layer) {
    if (from < to) {
        edges_.push_back({from, layer, 1});
        edges_.push_back({to, layer, -1});
    }
}

Phases WritePhases::partition(const WriteTimes &times) {
    Phases phases;
    const Time end = std::max(times.end, times.start);
    const Time command = std::clamp(times.command_delivered, times.start, end);
    const Time unsolicited =
        times.unsolicited_end ? std::clamp(*times.unsolicited_end, command, end) : command;
    phases.command = command - times.start;
    phases.unsolicited = unsolicited - command; // takes precedence over all others

    edges_.clear();
    Time last_r2t = unsolicited;
    const auto inside = [&](Time t) { return std::clamp(t, unsolicited, end); };
    for (const BurstTimes &burst : bursts_) {
        if (burst.first)
            add_interval(inside(*burst.first), inside(burst.last), 0);
        if (burst.r2t) {
            add_interval(inside(*burst.r2t), burst.first ? inside(*burst.first) : end, 1);
            last_r2t = std::max(last_r2t, inside(*burst.r2t));
        }
    }
    std::sort(edges_.begin(), edges_.end(), [](const Edge &a, const Edge &b) { return a.at < b.at; });

    int sending = 0, requested = 0;
    Time at = unsolicited;
    const auto up_to = [&](Time next) {
        if (sending > 0) {
            phases.burst_data += next - at;
        } else if (requested > 0) {
            phases.burst_response += next - at;
        } else {
            // Up to the last R2T the task waits for a further R2T, afterwards for the status.
            const Time split = std::clamp(last_r2t, at, next);
            phases.r2t_wait += split - at;
            phases.status_wait += next - split;
        }
        at = next;
    };
    for (const Edge &edge : edges_) {
        up_to(edge.at);
        (edge.layer == 0 ? sending : requested) += edge.step;
    }
    up_to(end);
    return phases;
}

} // namespace iscsiscope

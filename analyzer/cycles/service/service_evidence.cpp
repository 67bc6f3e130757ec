// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/service/service_evidence.h"

#include <algorithm>

namespace iscsiscope {
// Returns why it is not known when the question arrived: during the wait it, or bytes before it in the
// stream, were sent again, or the target read nothing since it had no room.
std::optional<ServiceEvidence::Stop> ServiceEvidence::stop_in(const TargetWait &wait) const {
    if (stops_.size() == max_stops && wait.from < stops_[0].at)
        return Stop{}; // earlier ones are forgotten
    for (std::size_t i = stops_.size(); i > 0 && stops_[i - 1].at >= wait.from; --i)
        if (stops_[i - 1].at < wait.to && stops_[i - 1].from_frame.value_or(0) <= wait.last_asked)
            return stops_[i - 1];
    return std::nullopt;
}

OwnTime ServiceEvidence::own_time(const TargetWait &wait, Duration min_rtt) const {
    if (const std::optional<Stop> stop = stop_in(wait))
        return {std::nullopt, stop->window};
    Time to = wait.to;
    if (const std::optional<LateSegments::Late> late = late_.find(wait.answer)) {
        if (!late->sent_by)
            return {};
        to = std::min(to, *late->sent_by);
    }
    const Time from = wait.r2t_unanswered ? wait.from : wait.from + tap_rtts.usual().value_or(min_rtt);
    if (to <= from)
        return {Duration{}};
    const std::optional<Duration> others = answers.within(from, to);
    if (!others)
        return {};
    return {to - from - *others};
}

} // namespace iscsiscope

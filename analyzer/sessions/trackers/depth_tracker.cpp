// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/trackers/depth_tracker.h"

#include "analyzer/base/saturating.h"

#include <algorithm>

namespace iscsiscope {

void DepthTracker::task(const Member &m, const CycleRecord &r) {
    if (!r.command_frame)
        return; // its start is not known
    if (states_.size() <= m.index)
        states_.resize(m.index + std::size_t{1});
    State &s = states_[m.index];
    s.area.add(r.start, r.end, 1);
    s.start = s.start ? std::min(*s.start, r.start) : r.start;
    s.end = s.end ? std::max(*s.end, r.end) : r.end;
    ++s.tasks;
    if (r.response_time) {
        ++s.answered;
        add_saturated(s.response, *r.response_time);
    } else {
        add_saturated(s.unanswered, std::max(r.end - r.start, Duration{0}));
    }
    s.most = std::max(s.most, r.queue_depth);
    s.session_max = std::max(s.session_max, r.session_depth);
}

void DepthTracker::merge(State &to, const State &from) {
    if (!from.start)
        return;
    to.area.merge(from.area);
    to.start = to.start ? std::min(*to.start, *from.start) : *from.start;
    to.end = to.end ? std::max(*to.end, *from.end) : *from.end;
    to.tasks += from.tasks;
    to.answered += from.answered;
    add_saturated(to.response, from.response);
    add_saturated(to.unanswered, from.unanswered);
    to.session_max = std::max(to.session_max, from.session_max);
}

DepthFigures DepthTracker::figures(const State &s) {
    DepthFigures f;
    f.start = *s.start;
    f.end = *s.end;
    f.tasks = s.tasks;
    f.answered = s.answered;
    f.depth = s.area.track();
    const auto length = static_cast<double>(to_ns(f.end - f.start));
    if (s.answered != 0)
        f.mean_response = Duration{to_ns(s.response) / static_cast<std::int64_t>(s.answered)};
    if (length > 0) {
        f.mean_depth = s.area.area() / length;
        f.rate = static_cast<double>(s.answered) / (length / 1e9);
        // Not rounded like mean_response: littles_depth is compared with mean_depth.
        const double mean =
            s.answered == 0 ? 0
                            : static_cast<double>(to_ns(s.response)) / static_cast<double>(s.answered) / 1e9;
        f.littles_depth = f.rate * mean;
        f.outside_depth = static_cast<double>(to_ns(s.unanswered)) / length;
    }
    return f;
}

std::vector<DepthFigures> DepthTracker::by_connection(const MemberTable &table) const {
    std::vector<DepthFigures> all;
    for (const auto &m : table.members()) {
        if (m->index >= states_.size() || !states_[m->index].start)
            continue;
        DepthFigures f = figures(states_[m->index]);
        f.number = m->stream.number;
        f.most = states_[m->index].most;
        all.push_back(std::move(f));
    }
    std::ranges::sort(all, {}, &DepthFigures::number);
    return all;
}

std::vector<DepthFigures> DepthTracker::by_session(MemberTable &table,
                                                   const std::vector<SessionGroup> &groups) const {
    std::vector<DepthFigures> all;
    for (const SessionGroup &group : groups) {
        State sum;
        for (const StreamId stream : group.streams)
            if (const Member *m = table.of_stream(stream); m->index < states_.size())
                merge(sum, states_[m->index]);
        if (!sum.start)
            continue;
        DepthFigures f = figures(sum);
        f.number = group.session.number;
        if (group.sessions.size() == 1)
            f.most = sum.session_max;
        all.push_back(std::move(f));
    }
    return all;
}

} // namespace iscsiscope

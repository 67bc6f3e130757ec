// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/trackers/depth_tracker.h"

#include "analyzer/base/ratio.h"
#include "analyzer/base/saturating.h"

#include <algorithm>

namespace iscsiscope {

void DepthTracker::task(const Member &m, const CycleRecord &r) {
    if (!r.command_frame)
        return; // its start is not known
    State &s = states_.of(m.index);
    s.area.add(r.start, r.end, 1);
    s.active.add(r.start, r.end);
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
    to.area.merge(from.area);
    to.active.add(from.active);
    to.tasks += from.tasks;
    to.answered += from.answered;
    add_saturated(to.response, from.response);
    add_saturated(to.unanswered, from.unanswered);
    to.session_max = std::max(to.session_max, from.session_max);
}

DepthFigures DepthTracker::figures(const State &s) {
    DepthFigures f;
    f.start = s.active.start;
    f.end = s.active.end;
    f.tasks = s.tasks;
    f.answered = s.answered;
    f.depth = s.area.track();
    const Duration length = s.active.length();
    if (s.answered != 0)
        f.mean_response = Duration{to_ns(s.response) / static_cast<std::int64_t>(s.answered)};
    f.mean_depth = ratio(s.area.area(), length);
    f.rate = per_second(s.answered, length).value_or(0);
    // Not rounded like mean_response: littles_depth is compared with mean_depth.
    f.littles_depth = f.rate * (ratio(s.response, s.answered) / 1e9);
    f.outside_depth = ratio(s.unanswered, length);
    return f;
}

std::vector<DepthFigures> DepthTracker::by_connection(const MemberTable &table) const {
    std::vector<DepthFigures> all;
    for (const auto &m : table.members()) {
        const State *s = states_.find(m->index);
        if (s == nullptr || s->active.empty())
            continue;
        DepthFigures f = figures(*s);
        f.number = m->stream.number;
        f.most = s->most;
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
            if (const State *s = states_.find(table.of_stream(stream)->index))
                merge(sum, *s);
        if (sum.active.empty())
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

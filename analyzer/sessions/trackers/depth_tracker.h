// SPDX-License-Identifier: GPL-2.0-or-later
// Tasks outstanding over time of each connection; those of a session are the sum over its connections.
#pragma once

#include "analyzer/base/containers/by_index.h"
#include "analyzer/base/extent.h"
#include "analyzer/sessions/figures/grouping_figures.h"
#include "analyzer/sessions/grouping/member_table.h"
#include "analyzer/sessions/trackers/area_track.h"

#include <vector>

namespace iscsiscope {

class DepthTracker {
public:
    void task(const Member &, const CycleRecord &);

    std::vector<DepthFigures> by_connection(const MemberTable &) const;
    std::vector<DepthFigures> by_session(MemberTable &, const std::vector<SessionGroup> &) const;

private:
    struct State {
        AreaTrack area;
        Extent active;
        std::uint64_t tasks = 0, answered = 0;
        Duration response{}, unanswered{}; // sums of response times; of times outstanding without an answer
        std::uint32_t most = 0, session_max = 0;
    };
    static void merge(State &, const State &);
    static DepthFigures figures(const State &);

    ByIndex<State> states_; // by member
};

} // namespace iscsiscope

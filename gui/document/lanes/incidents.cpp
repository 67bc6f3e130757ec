// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/document/lanes/incidents.h"

#include "analyzer/figures/tallies.h"

#include <algorithm>

namespace iscsiscope::gui {

bool hasFailed(TaskOutcome o) {
    return o != TaskOutcome::good && o != TaskOutcome::no_command && o != TaskOutcome::unanswered &&
           o != TaskOutcome::logout;
}

std::map<StreamId, Incidents> incidentsOf(const Tables &t) {
    std::map<StreamId, Incidents> all;
    const auto add = [&all](StreamId stream, IncidentKind kind, const Incident &i) {
        all[stream][static_cast<std::size_t>(kind)].push_back(i);
    };
    for (std::size_t i = 0; i < t.cycles.size(); ++i) {
        const auto row = static_cast<Row>(i);
        if (hasFailed(t.cycles.outcome(row)) && !(t.cycles.outcome(row) == TaskOutcome::check_condition &&
                                                  of_every_scan(t.cycles.type(row), t.cycles.sense(row))))
            add(t.cycles.stream(row), IncidentKind::failedTask,
                {t.cycles.end(row), t.cycles.lastFrame(row), row});
    }
    for (std::size_t i = 0; i < t.gaps.size(); ++i) {
        const GapRecord &g = t.gaps.record(static_cast<Row>(i));
        // A gap that a reset ends is marked by the reset: the path itself may be well.
        if (g.kind == GapKind::path_down && g.proof[0].proof != GapProof::reset)
            add(g.stream, IncidentKind::outage, {g.start, g.before_frame, static_cast<Row>(i)});
    }
    for (std::size_t i = 0; i < t.retransmissions.size(); ++i) {
        const TcpRetransmission &r = t.retransmissions.record(static_cast<Row>(i));
        add(r.stream, IncidentKind::sentAgain, {r.time, r.frame, static_cast<Row>(i)});
    }
    for (std::size_t i = 0; i < t.events.size(); ++i) {
        const EventRecord &e = t.events[i];
        if (e.opcode == Opcode::task_management_request || e.opcode == Opcode::reject ||
            e.opcode == Opcode::async_message)
            add(e.stream, IncidentKind::reset, {e.time, e.frame, static_cast<Row>(i)});
    }
    for (std::size_t i = 0; i < t.connections.size(); ++i) {
        const ConnectionRecord &c = t.connections[i];
        if (c.outcome == ConnectionOutcome::reset)
            add(c.stream, IncidentKind::reset, {c.end, c.last_frame, Incident::noPlace});
        if (c.login)
            add(c.stream, IncidentKind::login, {c.login->start, c.login->first_frame, static_cast<Row>(i)});
    }
    for (auto &[stream, kinds] : all)
        for (auto &list : kinds)
            std::stable_sort(list.begin(), list.end(),
                             [](const Incident &a, const Incident &b) { return a.time < b.time; });
    return all;
}

} // namespace iscsiscope::gui

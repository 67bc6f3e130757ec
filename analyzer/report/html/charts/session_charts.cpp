// SPDX-License-Identifier: GPL-2.0-or-later
// Throughput deviation and command windows of sessions over time.
#include "analyzer/base/number_format.h"
#include "analyzer/report/html/charts/charts.h"
#include "analyzer/report/palette.h"

#include <algorithm>
#include <fmt/format.h>

namespace iscsiscope::html {
namespace {

// Returns true if a Read or Write of the session was open between the two times. A session without a series
// of its own counts as open always.
bool open_between(const Timeline &t, SessionId session, Time from, Time to) {
    const auto at = t.sessions.find(session);
    if (at == t.sessions.end())
        return t.sessions.empty() || t.other_sessions.tasks != 0;
    const std::vector<GroupPoint> &points = at->second.points;
    const auto bucket = [&](Time time) {
        return std::clamp<std::int64_t>((time - t.origin) / t.width, 0,
                                        static_cast<std::int64_t>(points.size()) - 1);
    };
    return std::any_of(points.begin() + bucket(from), points.begin() + bucket(to) + 1,
                       [](const GroupPoint &p) { return p.open; });
}

Chart::Series steps(std::string label, std::uint32_t color) {
    Chart::Series s{std::move(label), color, {}};
    s.steps = true;
    return s;
}

// Equation 8 of Nomoto et al. for each session of several connections.
void deviations(const Report &r, std::vector<Chart> &all) {
    for (const ThroughputFigures &f : r.session_figures->throughput) {
        if (f.streams.size() < 2 || f.rows.end_interval() - f.rows.first_interval() < 2)
            continue;
        Chart c;
        c.id = fmt::format("deviation-{}", f.session);
        c.title = fmt::format("Throughput deviation, session {}", f.session);
        c.unit = "MB/s";
        c.note = fmt::format("between its {} connections, over intervals of {}", f.streams.size(),
                             human::duration(f.interval));
        Chart::Series mean = steps("mean of a connection", palette::lines[0]),
                      deviation = steps("deviation", palette::lines[1]);
        const auto add = [&](std::uint64_t interval, std::uint64_t count, const Spread &rate) {
            const Time begin = f.first + f.interval * static_cast<std::int64_t>(interval);
            const bool open = open_between(r.timeline, first_session(f.session), begin,
                                           begin + f.interval * static_cast<std::int64_t>(count));
            c.x.push_back(seconds_in_capture(r, begin));
            mean.y.push_back(open ? rate.mean / 1e6 : not_asked);
            deviation.y.push_back(open ? rate.deviation / 1e6 : not_asked);
        };
        // Intervals without a row, in which nothing passed: not more of them than the timeline has buckets.
        std::uint64_t next = f.rows.first_interval();
        const auto at_once =
            static_cast<std::uint64_t>(std::max<std::int64_t>(1, r.timeline.width / f.interval));
        const auto add_empty = [&](std::uint64_t end) {
            for (; next < end; next += std::min(at_once, end - next))
                add(next, std::min(at_once, end - next), {});
        };
        for (const ThroughputRow &row : f.rows) {
            add_empty(row.interval);
            add(row.interval, 1, row.rate);
            next = row.interval + 1;
        }
        add_empty(f.rows.end_interval());
        c.series = {std::move(mean), std::move(deviation)};
        all.push_back(std::move(c));
    }
}

void command_windows(const Report &r, std::vector<Chart> &all) {
    for (const WindowFigures &w : r.session_figures->windows) {
        if (w.closings == 0 || w.size.size() < 2)
            continue; // a window that never closed delays nothing
        Chart c;
        c.id = fmt::format("window-{}", w.session);
        c.title = fmt::format("Command window, session {}", w.session);
        c.unit = "commands";
        c.note = fmt::format("MaxCmdSN − CmdSN + 1, mean of each {}; at 0 the initiator may send no command",
                             human::duration(w.size.width));
        Chart::Series window = steps("window", palette::of(GapKind::command_window));
        window.filled = true;
        window.y = w.size.means();
        for (std::size_t i = 0; i < w.size.size(); ++i) {
            const Time begin = w.size.start + w.size.width * static_cast<std::int64_t>(i);
            c.x.push_back(seconds_in_capture(r, begin));
            if (!open_between(r.timeline, first_session(w.session), begin, begin + w.size.width))
                window.y[i] = not_asked;
        }
        c.series = {std::move(window)};
        all.push_back(std::move(c));
    }
}

} // namespace

void add_session_charts(const Report &r, std::vector<Chart> &all) {
    if (!r.session_figures)
        return;
    deviations(r, all);
    command_windows(r, all);
}

} // namespace iscsiscope::html

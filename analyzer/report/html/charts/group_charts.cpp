// SPDX-License-Identifier: GPL-2.0-or-later
// Response times over time by logical unit and by session.
#include "analyzer/report/html/charts/charts.h"

#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/report/palette.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace iscsiscope::html {
namespace {

constexpr std::size_t groups_shown = 6;

struct Group {
    std::string label;
    const GroupSeries *series;
};

// Those whose tasks took the most time in all, which are the slow ones and the busy ones, and all others as
// one.
Chart chart_of(const Report &r, std::vector<Group> groups, const GroupSeries &beyond) {
    std::stable_sort(groups.begin(), groups.end(),
                     [](const Group &a, const Group &b) { return a.series->total_ns > b.series->total_ns; });
    GroupSeries others = beyond;
    const std::size_t shown = std::min(groups.size(), groups_shown);
    std::size_t left_out = groups.size() - shown;
    for (std::size_t i = shown; i < groups.size(); ++i)
        others.merge(*groups[i].series);
    groups.resize(shown);
    if (others.tasks != 0) {
        groups.push_back({beyond.tasks != 0 ? fmt::format("{} and more others", left_out)
                                            : fmt::format("{} others", left_out),
                          &others});
    }
    Chart c;
    c.unit = "ms";
    c.logarithmic = true;
    for (std::size_t b = 0; b < r.timeline.used; ++b)
        c.x.push_back(bucket_seconds(r, b));
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const GroupSeries &g = *groups[i].series;
        Chart::Series s{groups[i].label, i < shown ? palette::lines[i] : palette::other, {}};
        for (std::size_t b = 0; b < r.timeline.used; ++b) {
            const auto mean = g.points[b].mean();
            s.y.push_back(mean ? *mean / 1e6 : g.points[b].open ? no_sample : not_asked);
        }
        c.series.push_back(std::move(s));
    }
    return c;
}

std::string session_label(const Report &r, SessionId session) {
    for (const ConnectionRecord &c : r.connections)
        if (c.session == session)
            return fmt::format("session {}, to {}", session, to_text(c.target));
    return fmt::format("session {}", session);
}

std::string note_of(const Report &r, std::string_view what) {
    return fmt::format(
        "mean of the reads and writes that ended in {}; the {} whose tasks took the most time in all",
        interval_words(r), what);
}

} // namespace

void add_group_charts(const Report &r, std::vector<Chart> &all) {
    const Timeline &t = r.timeline;
    std::vector<Group> luns, sessions;
    std::set<SessionId> with_luns;
    for (const auto &[key, series] : t.luns)
        with_luns.insert(key.first);
    for (const auto &[key, series] : t.luns) {
        luns.push_back({with_luns.size() > 1
                            ? fmt::format("session {}, LUN {}", key.first, to_string(Lun{key.second}))
                            : "LUN " + to_string(Lun{key.second}),
                        &series});
    }
    for (const auto &[session, series] : t.sessions)
        sessions.push_back({session_label(r, session), &series});
    // Of sessions with one LUN each, both charts would be the same.
    if (luns.size() > 1 && luns.size() != sessions.size()) {
        Chart c = chart_of(r, luns, t.other_luns);
        c.id = "response-luns";
        c.title = "Response time by LUN";
        c.note = note_of(r, "LUNs");
        all.push_back(std::move(c));
    }
    if (sessions.size() > 1) {
        Chart c = chart_of(r, sessions, t.other_sessions);
        c.id = "response-sessions";
        c.title = luns.size() == sessions.size() ? "Response time by session, each with one LUN"
                                                 : "Response time by session";
        c.note = note_of(r, "sessions");
        all.push_back(std::move(c));
    }
}

} // namespace iscsiscope::html

// SPDX-License-Identifier: GPL-2.0-or-later
// Shares of connections, paths and mirror members; load, command window, pings, access patterns; conformance.
#include "analyzer/base/number_format.h"
#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/report/text/text_sections.h"
#include "analyzer/words/capture/range_words.h"
#include "analyzer/words/kind_words.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace iscsiscope {
namespace {

constexpr std::size_t rows_shown = 12;

std::string ratio(const std::optional<double> &v) {
    return v ? fmt::format("{:.2f}", *v) : "-";
}

std::string streams(const std::vector<StreamId> &all) {
    return fmt::format("{}", fmt::join(all, ", "));
}

void shared_sessions(Page &page, const Report &r) {
    const SessionFigures &s = *r.session_figures;
    TextTable table({">session", "<connections", ">throughput", ">mean", ">deviation", ">of mean", ">Jain",
                     "<dispatch", ">ExpCmdSN held"});
    for (const ThroughputFigures &t : s.throughput) {
        if (t.streams.size() < 2 || table.rows().size() >= rows_shown)
            continue;
        std::string policy = "-", held = "-";
        for (const DispatchFigures &d : s.dispatch)
            policy = d.session == t.session ? std::string(name(d.policy)) : policy;
        for (const HoldFigures &h : s.holds)
            held = h.session == t.session ? human::share(h.share) : held;
        table.row({to_string(t.session), streams(t.streams), human::megabyte_rate(t.total_rate.sum),
                   human::megabyte_rate(t.total_rate.mean), human::megabyte_rate(t.total_rate.deviation),
                   ratio(t.total_rate.ratio), ratio(t.total_rate.jain), policy, held});
    }
    if (!table.empty()) {
        page.heading("CONNECTIONS OF ONE SESSION",
                     of_whole_capture(r, "throughput deviation over the session's whole active life"));
        page.table(table);
    }
}

void inferred_sessions(Page &page, const Report &r) {
    const SessionFigures &s = *r.session_figures;
    TextTable table({">session", "<connections", "<grouped by", ">confidence", "<because"});
    for (const SessionGroup &g : s.groups) {
        if (g.by == GroupedBy::command_numbers && table.rows().size() < rows_shown) {
            table.row({to_string(g.session), streams(g.streams), std::string(name(g.by)),
                       human::share(g.confidence), g.reason});
        }
    }
    if (!table.empty()) {
        page.heading("SESSIONS WITHOUT A LOGIN", of_whole_capture(r, "inferred from command numbers"));
        page.table(table);
    }
}

void paths(Page &page, const Report &r) {
    const SessionFigures &s = *r.session_figures;
    TextTable table({"<LUN", ">session", ">tasks", ">bytes", ">share", ">in a row", ">IOPS", ">p50", ">p99"});
    for (const PathGroup &g : s.path_groups) {
        bool first = true;
        // Of the group: how long the runs are after which the host takes another path.
        const auto run = g.runs.quantile(0.5);
        const std::string in_a_row = run ? std::to_string(*run) : "-";
        for (const PathShare &p : g.paths) {
            table.row({first ? human::name(g.identity, 40) + (g.guess ? " (guess)" : "") : "",
                       to_string(p.session), human::count(p.tasks), human::bytes(p.bytes),
                       human::share(p.byte_share), in_a_row, p.iops ? fmt::format("{:.0f}", *p.iops) : "-",
                       human::duration(p.response_time.quantile(0.5)),
                       human::duration(p.response_time.quantile(0.99))});
            first = false;
        }
        if (table.rows().size() >= 2 * rows_shown)
            break;
    }
    if (!table.empty()) {
        page.heading("PATHS TO ONE LUN", of_whole_capture(r, "sessions that reach the same logical unit"));
        page.table(table);
    }
}

void mirrors(Page &page, const Report &r) {
    const SessionFigures &s = *r.session_figures;
    TextTable table({"<member", ">writes", ">held up", ">share", ">waited for it", ">p50", ">p99"});
    std::vector<std::string> lines;
    for (const MirrorPair &m : s.mirrors) {
        for (const MirrorPair::Member &x : m.members) {
            table.row({fmt::format("session {}, LUN {}", x.session, to_string(Lun{x.lun})),
                       human::count(x.writes), human::count(x.last), human::share(x.held_share),
                       human::duration(x.held), human::duration(x.response_time.quantile(0.5)),
                       human::duration(x.response_time.quantile(0.99))});
        }
        lines.push_back(
            fmt::format("{} paired writes ({} of the smaller member's); ends {} apart in the median, p99 {}",
                        human::count(m.pairs), human::share(m.paired_share),
                        human::duration(m.skew.quantile(0.5)), human::duration(m.skew.quantile(0.99))));
        if (table.rows().size() >= rows_shown)
            break;
    }
    if (!table.empty()) {
        page.heading("MIRRORED WRITES",
                     of_whole_capture(r, "two LUNs that get the same writes: who answers last "
                                         "holds them up"));
        page.table(table);
        for (const std::string &l : lines)
            page.line(l, 4, Tone::dim);
    }
}

// Returns the mean number of tasks in progress: of answered ones by Little's law, of unanswered ones apart.
std::string littles_law(const DepthFigures &d) {
    return d.closed() ? fmt::format("{:.2f}", d.littles_depth)
                      : fmt::format("{:.2f} + {:.2f} unanswered", d.littles_depth, d.outside_depth);
}

void windows(Page &page, const Report &r) {
    const SessionFigures &s = *r.session_figures;
    TextTable table({">session", ">depth mean", ">most", ">by Little's law", ">window least", ">mean",
                     ">closed", ">with work waiting"});
    for (const DepthFigures &d : s.session_depth) {
        if (table.rows().size() >= rows_shown)
            break;
        std::vector<std::string> row = {std::to_string(d.number), fmt::format("{:.2f}", d.mean_depth),
                                        d.most ? std::to_string(*d.most) : "-", littles_law(d)};
        for (const WindowFigures &w : s.windows) {
            if (w.session.number == d.number) {
                row.push_back(std::to_string(w.smallest));
                row.push_back(fmt::format("{:.1f}", w.mean));
                row.push_back(w.closed > Duration{0} ? human::share(w.closed_share) : "-");
                row.push_back(w.closed_waiting > Duration{0} ? human::share(w.closed_waiting_share) : "-");
                break;
            }
        }
        table.row(std::move(row));
    }
    if (!table.empty()) {
        page.heading(
            "LOAD AND COMMAND WINDOW",
            of_whole_capture(r, "tasks outstanding and commands the target would still take, over time"));
        page.table(table);
    }
}

void pings(Page &page, const SessionFigures &s) {
    TextTable table(
        {">stream", ">NOPs", ">unanswered", ">not known", ">p50 idle", ">p50 loaded", ">longest"});
    for (const NopFigures &n : s.nops) {
        if (table.rows().size() < rows_shown) {
            table.row({to_string(n.stream), human::count(n.asked_by_initiator + n.asked_by_target),
                       n.unanswered == 0 ? "-" : human::count(n.unanswered),
                       n.not_known == 0 ? "-" : human::count(n.not_known),
                       human::duration(n.idle_round_trip.quantile(0.5)),
                       human::duration(n.loaded_round_trip.quantile(0.5)),
                       human::duration(std::max(n.round_trip.maximum(), n.round_trip_of_target.maximum()))});
        }
    }
    if (!table.empty()) {
        page.blank();
        page.table(table);
    }
}

void access(Page &page, const Report &r) {
    const SessionFigures &s = *r.session_figures;
    TextTable table(
        {">session", "<LUN", "<type", ">commands", ">sequential", ">in streams", ">misaligned", "<split"});
    for (const AccessFigures &a : s.access) {
        if (a.commands < 2 || table.rows().size() >= rows_shown)
            continue;
        table.row({to_string(a.lun.session), to_string(Lun{a.lun.lun}), std::string(name(a.type)),
                   human::count(a.commands), human::share(a.sequential_share()),
                   human::share(a.stream_share()), a.misaligned == 0 ? "-" : human::count(a.misaligned),
                   a.split ? fmt::format("{} asked, sent as {} of {}", human::block(a.split->asked_bytes),
                                         a.split->pieces, human::block(a.split->piece_bytes))
                           : "-"});
    }
    if (!table.empty()) {
        page.heading("ACCESS PATTERN BY LUN", of_whole_capture(r, "aligned: to 4 KiB"));
        page.table(table);
    }
}

} // namespace

void sharing_section(Page &page, const Report &r) {
    if (r.session_figures) {
        inferred_sessions(page, r);
        shared_sessions(page, r);
        paths(page, r);
        mirrors(page, r);
    }
}

void load_section(Page &page, const Report &r) {
    if (r.session_figures) {
        windows(page, r);
        pings(page, *r.session_figures);
        access(page, r);
    }
}

void conformance_section(Page &page, const Report &r) {
    if (!r.session_figures)
        return;
    TextTable table({"<rule of RFC 7143", "<section", ">broken", ">of", "<first in frame", "<what was done"});
    std::uint64_t kept = 0;
    for (const RuleRow &row : r.session_figures->conformance.rules) {
        if (row.broken != 0) {
            table.row({std::string(name(row.rule)), std::string(section(row.rule)), human::count(row.broken),
                       human::count(row.checked),
                       row.first_frames.empty() ? "-" : human::frame(row.first_frames.front()),
                       std::string(explanation(row.rule))});
        }
        kept += row.checked != 0 && row.broken == 0 ? 1 : 0;
    }
    if (!table.empty()) {
        page.heading("RULES BROKEN",
                     of_whole_capture(r, fmt::format("{} other rules were checked and kept", kept)));
        page.table(table);
    }
}

} // namespace iscsiscope

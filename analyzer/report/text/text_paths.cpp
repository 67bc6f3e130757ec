// SPDX-License-Identifier: GPL-2.0-or-later
// What happened to paths, and to the rights to logical units, in order of time.
#include "analyzer/base/number_format.h"
#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/report/text/text_sections.h"
#include "analyzer/words/capture/range_words.h"

#include <algorithm>
#include <fmt/format.h>

namespace iscsiscope {
namespace {

constexpr std::size_t rows_of_overview = 12, rows_of_all = 200;

// Logins and logouts alone belong to every capture, and logins that all fail stand under the findings.
bool says_more(const PathFigures &paths) {
    bool up = false, failed = false;
    for (const PathEvent &e : paths.events) {
        up = up || e.kind == PathEventKind::up;
        failed = failed || e.kind == PathEventKind::refused || e.kind == PathEventKind::unreachable;
        if (e.kind == PathEventKind::moved || e.kind == PathEventKind::state ||
            e.kind == PathEventKind::sense || e.kind == PathEventKind::reservation ||
            (e.kind == PathEventKind::down && e.outcome != ConnectionOutcome::logged_out))
            return true;
    }
    return up && failed;
}

} // namespace

void paths_over_time_section(Page &page, const Report &r, bool all) {
    if (!r.session_figures)
        return;
    const PathFigures &paths = r.session_figures->paths;
    if (!says_more(paths))
        return;
    const std::size_t most = all ? rows_of_all : rows_of_overview;
    TextTable table({">after", ">frame", "<path", "<what"});
    const Time begin = r.capture.first_frame_time.value_or(paths.events.front().time);
    std::size_t shown = 0;
    for (const PathEvent &e : paths.events) {
        if (++shown > most)
            break;
        std::string what = human::name(e.words, 120);
        if (e.lun && *e.lun != 0)
            what = fmt::format("LUN {}: {}", to_string(Lun{*e.lun}), what);
        table.row({human::duration(std::max(Duration{}, e.time - begin)), human::frame(e.frame),
                   fmt::format("{} → {}", to_text(e.initiator.address), to_text(e.target)), what});
    }
    page.heading("PATHS OVER TIME", of_whole_capture(r, "logins, port groups (ALUA) and reservations"));
    page.table(table);
    const std::uint64_t rest = paths.events.size() - std::min(shown, paths.events.size()) +
                               paths.events_left_out + (shown > most ? 1 : 0);
    if (rest > 0)
        page.line(fmt::format("and {} more{}", human::count(rest), all ? "" : ": --all"), 2, Tone::dim);
}

} // namespace iscsiscope

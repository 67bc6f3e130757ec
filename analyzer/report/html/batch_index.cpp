// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/html/batch_index.h"

#include "analyzer/base/number_format.h"
#include "analyzer/figures/rates.h"
#include "analyzer/figures/shares.h"
#include "analyzer/figures/totals.h"
#include "analyzer/report/html/assets.h"
#include "analyzer/report/html/document_head.h"
#include "analyzer/report/html/html_page.h"
#include "analyzer/report/text/text_sections.h"

#include <algorithm>
#include <fmt/format.h>

namespace iscsiscope {
namespace {

BatchEntry::Part part_of(const Report &r, TaskType type) {
    const Histogram &h = r.of(type).of(CycleFigure::response_time);
    return {r.of(type).count, rates(r, type).throughput.value_or(0), h.quantile(0.5), h.quantile(0.99)};
}

std::string cells(const BatchEntry::Part &p) {
    if (p.count == 0)
        return "<td></td><td></td><td></td><td></td>";
    return fmt::format("<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
                       "class=\"n\">{}</td>",
                       human::count(p.count), human::megabyte_rate(p.rate), human::duration(p.median),
                       human::duration(p.p99));
}

} // namespace

void BatchEntry::fill(const Report &r) {
    complete = r.capture.info.complete;
    tasks = r.tasks();
    not_good = task_totals(r).not_good;
    reads = part_of(r, TaskType::read);
    writes = part_of(r, TaskType::write);
    idle = idle_ratio(r.time).value_or(0);
    first_time = r.capture.info.first_time ? human::instant(*r.capture.info.first_time) : "";
    if (r.capture.coverage.connections == 0 && !portal_failed(r)) {
        verdict = "no iSCSI in it";
    } else if (r.findings && !r.findings->findings.empty()) {
        const Finding &f = r.findings->findings.front();
        severity = f.severity;
        verdict = f.title;
        if (f.lost_time > Duration{0})
            verdict += fmt::format(" ({} lost)", human::share(f.share));
    }
}

std::string batch_index(const std::vector<BatchEntry> &all, const std::string &version) {
    using html::escape;
    const auto failed = static_cast<std::uint64_t>(
        std::count_if(all.begin(), all.end(), [](const BatchEntry &e) { return !e.problem.empty(); }));
    const std::string title = "iSCSI reports of " + human::plural(all.size(), "capture", "captures");
    std::string out =
        html::document_head(title, fmt::format("{}.page{{max-width:none}}", html::page_css), {});
    out += fmt::format(
        "<div class=\"page\">\n<header><h1>{}</h1><p>{}</p></header>\n<main><section><div "
        "class=\"wide\"><table><thead><tr><th "
        "scope=\"col\">capture</th><th scope=\"col\">begins</th><th scope=\"col\" class=\"n\">tasks</th><th "
        "scope=\"col\" class=\"n\">not good</th><th scope=\"col\" class=\"n\">reads</th><th scope=\"col\" "
        "class=\"n\">throughput</th><th scope=\"col\" class=\"n\">p50</th><th scope=\"col\" "
        "class=\"n\">p99</th><th "
        "scope=\"col\" class=\"n\">writes</th><th scope=\"col\" class=\"n\">throughput</th><th scope=\"col\" "
        "class=\"n\">p50</th><th scope=\"col\" class=\"n\">p99</th><th scope=\"col\" "
        "class=\"n\">idle</th><th "
        "scope=\"col\">first finding</th></tr></thead><tbody>\n",
        title,
        failed == 0 ? std::string("All of them were read.")
                    : fmt::format("{} could not be read.", human::plural(failed, "capture", "captures")));
    for (const BatchEntry &e : all) {
        if (!e.problem.empty()) {
            out += fmt::format("<tr><td>{}</td><td colspan=\"13\" class=\"bad\">{}</td></tr>\n",
                               escape(e.file), escape(e.problem));
            continue;
        }
        out += fmt::format("<tr><td><a href=\"{}\">{}</a>{}{}</td><td>{}</td><td class=\"n\">{}</td><td "
                           "class=\"n\">{}</td>{}{}<td class=\"n\">{}</td><td{}>{}</td></tr>\n",
                           escape(html::link_to(e.link)), escape(e.file),
                           e.complete ? "" : " <span class=\"notice\">cut short</span>",
                           e.condition ? " <span class=\"bad\">condition holds</span>" : "",
                           escape(e.first_time), human::count(e.tasks),
                           e.not_good == 0 ? "" : human::count(e.not_good), cells(e.reads), cells(e.writes),
                           e.tasks == 0 ? "" : human::share(e.idle),
                           e.severity == Severity::problem ? " class=\"bad\"" : "", escape(e.verdict));
    }
    return out + fmt::format("</tbody></table></div></section></main>\n<footer><p>iscsiscope "
                             "{}</p></footer>\n</div>\n</body>\n</html>\n",
                             version);
}

} // namespace iscsiscope

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/html/findings_cards.h"

#include "analyzer/base/glossary/glossary.h"
#include "analyzer/base/number_format.h"
#include "analyzer/report/html/charts/finding_marks.h"
#include "analyzer/words/finding_words.h"

#include <fmt/format.h>

namespace iscsiscope::html {
namespace {

std::string lost_words(const Finding &f) {
    if (f.lost_time > Duration{0})
        return fmt::format("<p class=\"lost\"><b>{}</b> lost, {} of the busy time</p>",
                           human::duration(f.lost_time), human::share(f.share));
    if (f.task_time > Duration{0})
        return fmt::format("<p class=\"lost\"><b>{}</b> of the tasks' time, {}</p>",
                           human::duration(f.task_time), human::share(f.task_share));
    return "";
}

std::string card(const Finding &f, std::size_t index) {
    const std::string meaning(meaning_of(fmt::format("finding.{}", name(f.kind))));
    std::string out = fmt::format(
        "<article class=\"finding {0}\" id=\"{1}\"><header><span class=\"badge\">{2}</span><h3>{3}</h3>"
        "<span class=\"tag\">{0}</span><code class=\"kind\"{4}>{5}</code>{6}</header>\n<div "
        "class=\"body\"><p>{7}</p>",
        name(f.severity), finding_id(index), index + 1, escape(f.title),
        meaning.empty() ? "" : fmt::format(" title=\"{}\"", escape(meaning)), name(f.kind), lost_words(f),
        escape(f.sentence));
    out += "<div>";
    if (!f.where.empty())
        out += fmt::format("<p class=\"when\"><b>Where:</b> {}</p>", escape(f.where));
    if (!f.when.empty())
        out += fmt::format("<p class=\"when\"><b>When:</b> {}</p>", escape(f.when));
    if (!f.remedy.empty())
        out += fmt::format("<p class=\"remedy\"><b>Remedy:</b> {}</p>", escape(f.remedy));
    if (const std::size_t frames = evidence_frames(f).size(); frames != 0) {
        const std::string filter = evidence_filter(f);
        out +=
            fmt::format("<details class=\"evidence\"><summary>Evidence: {0}</summary><p "
                        "class=\"dim\">{1}</p></details>\n<p class=\"filter\"><code>{2}</code> <button "
                        "type=\"button\" class=\"copy\" data-copy=\"{2}\">Copy filter</button></p>",
                        human::plural(frames, "frame", "frames"), escape(evidence_words(f)), escape(filter));
    }
    if (const std::string also = also_words(f); !also.empty())
        out += fmt::format("<p class=\"dim\">{}</p>", escape(also));
    return out + "</div></div></article>\n";
}

} // namespace

void findings_cards(HtmlPage &page, const Report &r) {
    if (!r.findings)
        return;
    const FindingsResult &f = *r.findings;
    page.heading("FINDINGS", findings_note(f));
    if (const std::string cover = findings_cover(r); !cover.empty())
        page.line(cover, 2, Tone::dim);
    std::string out;
    if (f.findings.empty())
        page.line(no_findings, 2, Tone::good);
    out += "<div class=\"findings\">\n";
    for (std::size_t i = 0; i < f.findings.size(); ++i)
        out += card(f.findings[i], i);
    out += "</div>\n";
    if (!f.ruled_out.empty()) {
        out += fmt::format("<details class=\"aside\"><summary>{} looked for and ruled out</summary><div "
                           "class=\"wide\"><table "
                           "class=\"words\"><tbody>",
                           human::plural(f.ruled_out.size(), "cause", "causes"));
        for (const RuledOut &o : f.ruled_out)
            out += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", escape(title(o.kind)), escape(o.why_not));
        out += "</tbody></table></div></details>\n";
    }
    page.raw(out);
}

} // namespace iscsiscope::html

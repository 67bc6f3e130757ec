// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/html/findings_cards.h"

#include "analyzer/base/number_format.h"
#include "analyzer/report/wording.h"

#include <fmt/format.h>

namespace iscsiscope::html {

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
    for (const Finding &x : f.findings) {
        out += fmt::format("<article class=\"finding {0}\"><h3>{1}<span class=\"tag\">{0}</span>",
                           name(x.severity), escape(x.title));
        if (x.lost_time > Duration{0}) {
            out += fmt::format("<span class=\"lost\">{} lost, {}</span>", human::duration(x.lost_time),
                               human::share(x.share));
        }
        out += fmt::format("</h3><p>{}</p>", escape(x.sentence));
        if (!x.remedy.empty())
            out += fmt::format("<p><b>Remedy:</b> {}</p>", escape(x.remedy));
        if (const std::string frames = evidence_words(x); !frames.empty())
            out += fmt::format("<p class=\"dim\">Evidence: {}</p>", escape(frames));
        if (const std::string also = also_words(x); !also.empty())
            out += fmt::format("<p class=\"dim\">{}</p>", escape(also));
        out += "</article>\n";
    }
    if (!f.ruled_out.empty()) {
        out += "<details><summary>Looked for and ruled out</summary><table><tbody>";
        for (const RuledOut &o : f.ruled_out)
            out += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", escape(title(o.kind)), escape(o.why_not));
        out += "</tbody></table></details>\n";
    }
    page.raw(out);
}

} // namespace iscsiscope::html

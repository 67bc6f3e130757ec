// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/html/headline_cards.h"

#include "analyzer/figures/shares.h"
#include "analyzer/figures/verdict/verdict.h"
#include "analyzer/report/palette.h"
#include "analyzer/words/headline.h"
#include "analyzer/words/outcome_sentence.h"
#include "analyzer/words/verdict_words.h"

#include <fmt/format.h>

namespace iscsiscope::html {
namespace {

// A number stays on the line of its unit.
std::string unbroken(std::string_view value) {
    std::string out = escape(value);
    const auto last = out.rfind(' ');
    return last == std::string::npos ? out : out.replace(last, 1, "&nbsp;");
}

} // namespace

TaskType headline_type(const Report &r) {
    const auto count = [&](TaskType t) { return r.of(t).of(CycleFigure::response_time).count(); };
    return count(TaskType::write) > count(TaskType::read) ? TaskType::write : TaskType::read;
}

void headline_cards(HtmlPage &page, const Report &r) {
    const CaptureVerdict v = capture_verdict(r);
    const char *tone = v.problem != nullptr                              ? "problem"
                       : v.certainty == VerdictCertainty::cannot_be_told ? "notice"
                                                                         : "fine";
    page.heading("VERDICT");
    std::string out = fmt::format("<p class=\"verdict {}\">{}</p>\n", tone, escape(verdict_words(r, v)));
    if (r.tasks() != 0) {
        const OutcomeSentence ended = outcome_sentence(r);
        out += fmt::format("<p class=\"{}\">{}</p>\n", ended.harmless ? "dim" : "bad", escape(ended.text));
    }
    out += "<div class=\"cards\">\n";
    const std::vector<HeadlineNumber> numbers = headline(r);
    for (const HeadlineNumber &n : numbers) {
        out += fmt::format("<div class=\"card\"><h3>{}</h3><p class=\"number{}\">{}</p>", escape(n.name),
                           n.value.size() > 10 ? " long" : "", unbroken(n.value));
        if (&n == &numbers.back() && r.time.owners.sum() > Duration{}) {
            out += "<div class=\"stack\" aria-hidden=\"true\">";
            for (const OwnerShare &s : longest_first(owner_shares(r.time.owners)))
                out += page.stack_part(s.name, s.share, palette::of(s.kind));
            out += "</div>";
        }
        out += fmt::format("<p class=\"detail\">{}</p></div>\n", escape(n.detail));
    }
    page.raw(out + "</div>\n");
}

} // namespace iscsiscope::html

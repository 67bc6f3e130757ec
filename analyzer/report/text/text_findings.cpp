// SPDX-License-Identifier: GPL-2.0-or-later
// Named causes with their evidence and remedy.
#include "analyzer/base/number_format.h"
#include "analyzer/report/text/text_sections.h"
#include "analyzer/words/finding_words.h"
#include "analyzer/words/share_words.h"
#include "analyzer/words/verdict_words.h"

#include <fmt/format.h>

namespace iscsiscope {

void verdict_section(Page &page, const Report &r) {
    const CaptureVerdict v = capture_verdict(r);
    page.heading("VERDICT");
    page.line(verdict_words(r, v), 2,
              v.problem != nullptr                              ? Tone::bad
              : v.certainty == VerdictCertainty::cannot_be_told ? Tone::notice
                                                                : Tone::good);
}

namespace {

// A finding that costs less of the busy time is shown with --all only, unless something failed.
constexpr double small_share = 0.02;

bool is_small(const Finding &f) {
    return f.severity != Severity::problem && f.lost_time > Duration{0} && f.share < small_share;
}

Tone tone_of(Severity s) {
    return s == Severity::problem ? Tone::bad : s == Severity::notice ? Tone::notice : Tone::plain;
}

// With the share of the busy time, unless the sentence follows, which has it.
std::string title_line(const Finding &f, bool sentence_follows) {
    const std::string head = fmt::format("{}: {}", name(f.severity), f.title);
    return sentence_follows || f.lost_time <= Duration{0} ? head
                                                          : fmt::format("{}, {}", head, rough_share(f.share));
}

void write(Page &page, const Finding &f, bool first, ReportDetail detail) {
    page.line(f.sentence, 4);
    if (!f.where.empty() && detail != ReportDetail::brief)
        page.line("Where: " + f.where, 4);
    if (!f.when.empty() && detail != ReportDetail::brief)
        page.line("When: " + f.when, 4);
    const bool advises = first || f.severity == Severity::problem || detail == ReportDetail::all;
    if (!f.remedy.empty() && advises)
        page.line("Remedy: " + f.remedy, 4);
    if (const std::string filter = evidence_filter(f); !filter.empty())
        page.line("Filter: " + filter, 4, Tone::dim);
    if (detail != ReportDetail::all)
        return;
    if (const std::string frames = evidence_words(f); !frames.empty())
        page.line("Evidence: " + frames, 4, Tone::dim);
    if (const std::string also = also_words(f); !also.empty())
        page.line(also, 4, Tone::dim);
}

} // namespace

void findings_section(Page &page, const Report &r, ReportDetail detail) {
    if (!r.findings)
        return;
    const std::vector<Finding> &all = r.findings->findings;
    page.heading("FINDINGS", findings_note(*r.findings));
    if (const std::string cover = findings_cover(r); !cover.empty())
        page.line(cover, 2, Tone::dim);
    if (all.empty()) {
        page.line(no_findings, 2, Tone::good);
        page.line(ruled_out_words(*r.findings), 2);
    }
    std::size_t small = 0;
    for (const Finding &f : all) {
        if (detail != ReportDetail::all && &f != &all.front() && is_small(f)) {
            ++small;
            continue;
        }
        const bool whole = detail != ReportDetail::brief || &f == &all.front();
        page.headline(title_line(f, whole), fmt::format("[{}]", name(f.kind)), tone_of(f.severity));
        if (whole)
            write(page, f, &f == &all.front(), detail);
    }
    if (small != 0)
        page.line(fmt::format("{} of less than 2 % of the busy time: --all",
                              human::plural(small, "finding", "findings")),
                  2, Tone::dim);
}

void ruled_out_section(Page &page, const Report &r) {
    if (!r.findings || r.findings->ruled_out.empty())
        return;
    page.heading("RULED OUT", "causes that were checked, each with the figure that rules it out");
    for (const RuledOut &o : r.findings->ruled_out)
        page.line(fmt::format("{}: {}", name(o.kind), o.why_not), 2, Tone::dim);
}

} // namespace iscsiscope

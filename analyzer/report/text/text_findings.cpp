// SPDX-License-Identifier: GPL-2.0-or-later
// Named causes with their evidence and remedy.
#include "analyzer/base/number_format.h"
#include "analyzer/figures/shares.h"
#include "analyzer/report/text/text_sections.h"
#include "analyzer/report/verdict_words.h"
#include "analyzer/report/wording.h"

#include <fmt/format.h>

namespace iscsiscope {

std::string findings_note(const FindingsResult &f) {
    if (f.busy <= Duration{0})
        return "causes, each with what proves it and what helps";
    return fmt::format("problems first, then by lost time; {} of {} explained, small causes included",
                       human::share(explained_share(f)), human::duration(f.busy));
}

std::string findings_cover(const Report &r) {
    std::string s;
    if (!r.range.everything()) {
        s = "Of the range: its waits, tasks and events. What proves a loss, a window or a path is of whole "
            "connections.";
    }
    if (!r.filter.empty()) {
        s += s.empty() ? "" : " ";
        s += "Of all tasks: the filter does not bound findings.";
    }
    return s;
}

std::string evidence_words(const Finding &f) {
    std::string s;
    for (const EvidenceFrame &e : f.evidence) {
        s += fmt::format("{}frame {}{}", s.empty() ? "" : ", ", e.frame,
                         e.word.empty() ? "" : fmt::format(" ({})", e.word));
    }
    return s;
}

std::string also_words(const Finding &f) {
    std::string s;
    for (const FindingKind k : f.also)
        s += fmt::format("{}{}", s.empty() ? "Seen in the same gaps: " : ", ", name(k));
    return s.empty() ? s : s + ".";
}

void verdict_section(Page &page, const Report &r) {
    const CaptureVerdict v = capture_verdict(r);
    page.heading("VERDICT");
    page.line(verdict_words(r, v), 2,
              v.problem != nullptr                              ? Tone::bad
              : v.certainty == VerdictCertainty::cannot_be_told ? Tone::notice
                                                                : Tone::good);
}

void findings_section(Page &page, const Report &r) {
    if (!r.findings)
        return;
    page.heading("FINDINGS", findings_note(*r.findings));
    if (const std::string cover = findings_cover(r); !cover.empty())
        page.line(cover, 2, Tone::dim);
    if (r.findings->findings.empty())
        page.line(no_findings, 2, Tone::good);
    for (const Finding &f : r.findings->findings) {
        const Tone tone = f.severity == Severity::problem  ? Tone::bad
                          : f.severity == Severity::notice ? Tone::notice
                                                           : Tone::plain;
        std::string head = fmt::format("{}: {} [{}]", name(f.severity), f.title, name(f.kind));
        if (f.lost_time > Duration{0})
            head += fmt::format(", {} lost ({})", human::duration(f.lost_time), human::share(f.share));
        page.line(head, 2, tone);
        page.line(f.sentence, 4);
        if (!f.remedy.empty())
            page.line("Remedy: " + f.remedy, 4);
        if (const std::string frames = evidence_words(f); !frames.empty())
            page.line("Evidence: " + frames, 4, Tone::dim);
        if (const std::string also = also_words(f); !also.empty())
            page.line(also, 4, Tone::dim);
    }
}

} // namespace iscsiscope

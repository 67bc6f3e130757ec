// SPDX-License-Identifier: GPL-2.0-or-later
// Named causes with their evidence and remedy.
#include "analyzer/base/number_format.h"
#include "analyzer/figures/shares.h"
#include "analyzer/report/text/text_sections.h"
#include "analyzer/words/headline.h"
#include "analyzer/words/verdict_words.h"
#include "analyzer/words/wording.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace iscsiscope {

std::string findings_note(const FindingsResult &f) {
    if (f.busy <= Duration{0} || f.explained <= Duration{0})
        return "";
    return fmt::format("they cover {} of the {} of busy time", rough_share(explained_share(f)),
                       human::duration(f.busy));
}

std::string findings_cover(const Report &r) {
    std::string s;
    if (!r.range.everything()) {
        s = "Of the range: its waits, tasks and events. What proves a loss, a window or a path is of whole "
            "connections.";
    }
    if (!r.filter.empty()) {
        s += s.empty() ? "" : " ";
        s += "The filter does not apply to findings: they are of all commands.";
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

std::vector<FrameNumber> evidence_frames(const Finding &f) {
    std::vector<FrameNumber> frames;
    for (const EvidenceFrame &e : f.evidence)
        if (e.frame != 0)
            frames.push_back(e.frame);
    std::sort(frames.begin(), frames.end());
    frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
    return frames;
}

std::string evidence_filter(const Finding &f) {
    const std::vector<FrameNumber> frames = evidence_frames(f);
    if (frames.empty())
        return "";
    if (frames.size() == 1)
        return fmt::format("frame.number == {}", frames.front());
    return fmt::format("frame.number in {{{}}}", fmt::join(frames, ", "));
}

std::string also_words(const Finding &f) {
    std::string s;
    for (const FindingKind k : f.also)
        s += fmt::format("{}{}", s.empty() ? "Seen in the same gaps: " : "; ", title(k));
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

// The causes that engineers ask for first, of those that were ruled out.
std::string checked_words(const FindingsResult &r) {
    constexpr FindingKind asked[] = {FindingKind::packet_loss,
                                     FindingKind::retransmission_timeout,
                                     FindingKind::reordering,
                                     FindingKind::mtu_black_hole,
                                     FindingKind::small_receive_window,
                                     FindingKind::delayed_ack,
                                     FindingKind::nagle,
                                     FindingKind::slow_target,
                                     FindingKind::command_window,
                                     FindingKind::command_errors,
                                     FindingKind::connection_reset};
    std::string s;
    std::size_t named = 0;
    for (const FindingKind k : asked) {
        if (std::any_of(r.ruled_out.begin(), r.ruled_out.end(),
                        [k](const RuledOut &o) { return o.kind == k; })) {
            s += fmt::format("{}{}", s.empty() ? "Checked and ruled out: " : ", ", words(k));
            ++named;
        }
    }
    if (r.ruled_out.size() > named)
        s += fmt::format("{}{} {}", s.empty() ? "Checked and ruled out: " : " and ",
                         r.ruled_out.size() - named, s.empty() ? "causes" : "more");
    return s.empty() ? s : s + ".";
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
        page.line(checked_words(*r.findings), 2);
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
    page.heading("RULED OUT", "causes that were checked, with the figure that rules each out");
    for (const RuledOut &o : r.findings->ruled_out)
        page.line(fmt::format("{}: {}", name(o.kind), o.why_not), 2, Tone::dim);
}

} // namespace iscsiscope

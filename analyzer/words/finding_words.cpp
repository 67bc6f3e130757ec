// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/words/finding_words.h"

#include "analyzer/base/number_format.h"
#include "analyzer/figures/report.h"
#include "analyzer/figures/shares.h"
#include "analyzer/words/kind_words.h"
#include "analyzer/words/share_words.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace iscsiscope {

std::string words(FindingKind kind) {
    return spaced(name(kind));
}

std::string findings_note(const FindingsResult &f) {
    if (f.busy <= Duration{0} || f.explained <= Duration{0})
        return "";
    return fmt::format("they cover {} of the {} of busy time", rough_share(explained_share(f)),
                       human::duration(f.busy));
}

std::string findings_cover(const Report &r) {
    std::string s;
    if (!r.range.everything())
        s = "Waits, tasks and events are counted in the range only. ";
    if (!r.filter.empty())
        s += "Waits and tasks are those of the filter's commands; events that name no command are of all. ";
    return s.empty() ? s : s + "Losses, windows and paths are judged over whole connections.";
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

std::string ruled_out_words(const FindingsResult &r) {
    // What engineers ask for first.
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

} // namespace iscsiscope
